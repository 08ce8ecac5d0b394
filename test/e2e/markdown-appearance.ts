import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { MARKDOWN } from './appearance-scenes.ts';
import type { Stage } from './appearance-stage.ts';
import { runCommand, send, setSideBarWidth, turnIn } from './chat-driver.ts';
import { inEachTheme, screenshot } from './harness/index.ts';

const NARROW = 300;
const WIDE = 900;

/** Tables and code scroll inside themselves: nothing else is wider than the view. */
async function widerThanView(turn: Locator): Promise<readonly string[]> {
  return turn.evaluate((root) => {
    const { right } = root.getBoundingClientRect();
    return [...root.querySelectorAll('p, li, h3, h4, blockquote, .table, .code-block, .code-head')]
      .filter((element) => element.getBoundingClientRect().right > right + 1)
      .map((element) => `${element.localName} ${element.className}`);
  });
}

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

async function lowContrast(turn: Locator): Promise<readonly string[]> {
  const faint = (await paintedTexts(turn)).filter((one) => contrast(one) < 4.5);
  return faint.map((one) => `${one.what} ${contrast(one).toFixed(2)}`);
}

/** With a provider that has a key. */
export function markdownInEveryTheme(stage: Stage): void {
  describe('an answer, in every theme', () => {
    beforeAll(async () => {
      const { page, chat } = stage;
      await page.setViewportSize({ width: 1300, height: 900 });
      await runCommand(page, 'New Session');
      await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    });

    test.each([NARROW, WIDE])('Markdown is calm and legible at %i px', async (width) => {
      const { page, chat, replies } = stage;
      await setSideBarWidth(page, width);
      for (const [index, text] of MARKDOWN.entries()) {
        replies.push(
          streamOf(
            responseEvents({
              text,
              // The API takes no id twice.
              reasoning: { id: `rs_${width}_${index}`, summary: ['**Looking** at `clock.ts`.'] },
            }),
          ),
        );
        await send(chat, `Explain, part ${index + 1}.`);
        const turn = await turnIn(chat, 'completed');
        await turn.locator('.thought summary').click();
        await turn.evaluate((element) => element.scrollIntoView({ block: 'start' }));
        const code = turn.getByRole('group', { name: /^Code/ });
        if ((await code.count()) > 0) await code.first().hover();
        const look = async (colorTheme: string): Promise<void> => {
          await screenshot(page, `${colorTheme}-markdown-${index + 1}-${width}`);
          expect({ colorTheme, wide: await widerThanView(turn), faint: await lowContrast(turn) }).toEqual({
            colorTheme,
            wide: [],
            faint: [],
          });
        };
        await inEachTheme(page, look, chat);
      }
    });
  });
}
