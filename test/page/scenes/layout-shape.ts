import type { Frame } from 'playwright-core';

/** Where the parts of the view are, in whole pixels of the page. */
export interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Shape {
  readonly width: number;
  readonly height: number;
  /** The parts from top to bottom. */
  readonly parts: readonly Box[];
  /** What can be pressed, in the order of the page, as far as it is in view. */
  readonly targets: readonly Box[];
  /** How much wider than the page its content is. */
  readonly overflow: number;
}

const PARTS = ['.header', '.banner', '.transcript', '.notices', '.composer'];
const TARGETS = 'button, summary, textarea, input, select, a[href], [role="button"]';

export async function layoutShape(frame: Frame): Promise<Shape> {
  return frame.evaluate(
    ({ parts, targets }) => {
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this runs in the page
      const boxOf = (element: Element): Box => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const named = element.getAttribute('aria-label') ?? element.textContent ?? '';
        return { name: named.trim().slice(0, 40) || element.className, x, y, width, height };
      };
      const { innerWidth: width, innerHeight: height } = window;
      const isInView = ({ x, y, width: w, height: h }: Box): boolean =>
        w > 0 && h > 0 && x + w > 0 && y + h > 0 && x < width && y < height;
      // What is scrolled half under another part of the page is pressed once it is scrolled back.
      // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this runs in the page
      const isUncovered = (element: Element): boolean => {
        const frame = element.closest('.log, .notices')?.getBoundingClientRect();
        const { top, bottom } = element.getBoundingClientRect();
        return frame === undefined || (top >= frame.top - 1 && bottom <= frame.bottom + 1);
      };
      return {
        width,
        height,
        parts: parts.flatMap((selector) =>
          [...document.querySelectorAll(selector)].map((one) => ({ ...boxOf(one), name: selector })),
        ),
        targets: [...document.querySelectorAll(targets)].filter(isUncovered).map(boxOf).filter(isInView),
        overflow: Math.max(
          ...[...document.querySelectorAll('html, .log, .header, .composer, .notices')].map(
            (one) => one.scrollWidth - one.clientWidth,
          ),
        ),
      };
    },
    { parts: PARTS, targets: TARGETS },
  );
}

const MIN_TARGET_PX = 24;
/** Rounding of fractions of a pixel. */
const SLACK_PX = 0.6;

/** What is wrong with a shape by itself; nothing, if all is well. */
export function shapeFaults({ width, height, parts, targets, overflow }: Shape): readonly string[] {
  const faults: string[] = [];
  if (overflow > 0) faults.push(`the content is ${overflow} px wider than the page`);
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    const inside =
      part.x >= -SLACK_PX &&
      part.y >= -SLACK_PX &&
      part.x + part.width <= width + SLACK_PX &&
      part.y + part.height <= height + SLACK_PX;
    if (!inside) faults.push(`${part.name} is not inside the page`);
    if (next !== undefined && part.y + part.height > next.y + SLACK_PX)
      faults.push(`${part.name} overlaps ${next.name}`);
  });
  for (const target of targets)
    if (isTooSmall(target, targets)) faults.push(`${target.name} is a small target`);
  return faults;
}

/** Of 24 by 24 pixels, or so far from the others that a circle of that size around it meets none of theirs. */
function isTooSmall(target: Box, all: readonly Box[]): boolean {
  const least = MIN_TARGET_PX - SLACK_PX;
  if (target.width >= least && target.height >= least) return false;
  const [x, y] = middle(target);
  return all.some((other) => {
    if (other === target) return false;
    const nearX = Math.max(other.x, Math.min(x, other.x + other.width));
    const nearY = Math.max(other.y, Math.min(y, other.y + other.height));
    return Math.hypot(nearX - x, nearY - y) < MIN_TARGET_PX / 2 - SLACK_PX;
  });
}

function middle({ x, y, width, height }: Box): readonly [number, number] {
  return [x + width / 2, y + height / 2];
}

const THEME_SLACK_PX = 2;

/** Where two shapes differ by more than borders may. */
export function shapeDifferences(one: Shape, other: Shape): readonly string[] {
  return (['parts', 'targets'] as const).flatMap((kind) => {
    if (one[kind].length !== other[kind].length)
      return [`${one[kind].length} ${kind} and ${other[kind].length}`];
    return one[kind].flatMap((box, index) => {
      const twin = other[kind][index];
      if (twin === undefined) return [];
      const far = (['x', 'y', 'width', 'height'] as const).filter(
        (side) => Math.abs(box[side] - twin[side]) > THEME_SLACK_PX,
      );
      return far.map((side) => `${box.name}: ${side} is ${box[side]} and ${twin[side]}`);
    });
  });
}
