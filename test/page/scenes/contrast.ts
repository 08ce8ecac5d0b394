import type { Locator } from 'playwright-core';

interface Painted {
  readonly what: string;
  readonly colour: string;
  /** From the element itself up to the page. */
  readonly behind: readonly string[];
}

async function paintedTexts(turn: Locator): Promise<readonly Painted[]> {
  return turn.evaluate((root) =>
    [...root.querySelectorAll('.markdown *')]
      .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
      .map((element) => {
        const behind: string[] = [];
        for (let at: Element | null = element; at !== null; at = at.parentElement) {
          behind.push(getComputedStyle(at).backgroundColor);
        }
        return {
          what: element.className || element.localName,
          colour: getComputedStyle(element).color,
          behind,
        };
      }),
  );
}

function channels(colour: string): readonly number[] {
  return (colour.match(/[\d.]+/g) ?? []).map(Number);
}

function luminance(colour: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = colour.slice(0, 3).map((one) => {
    const part = one / 255;
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function over(colour: string, below: readonly number[]): readonly number[] {
  const [r = 0, g = 0, b = 0, alpha = 1] = channels(colour);
  return [r, g, b].map((one, at) => one * alpha + (below[at] ?? 0) * (1 - alpha));
}

/** As the accessibility guidelines count it. */
function contrast({ colour, behind }: Painted): number {
  const back = behind.reduceRight<readonly number[]>((below, one) => over(one, below), [255, 255, 255]);
  const [front, ground] = [luminance(over(colour, back)), luminance(back)];
  return (Math.max(front, ground) + 0.05) / (Math.min(front, ground) + 0.05);
}

/** The words of an answer that are too faint, with how much they stand out. */
export async function lowContrast(turn: Locator): Promise<readonly string[]> {
  const faint = (await paintedTexts(turn)).filter((one) => contrast(one) < 4.5);
  return faint.map((one) => `${one.what} ${contrast(one).toFixed(2)}`);
}
