import { createContext } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { slices } from './slices.ts';
import type { Block } from './transcript.ts';

/** A conversation is drawn a few turns at a time, what is nearest to the reader first. */

/** Characters that are drawn in one go. */
const PORTION = 8_000;
/** What a line costs besides its text. */
const EACH = 200;

export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Pure: what is drawn now, when these were before: all of that and between, then what follows, then what comes before,
 * until the portion is used up. Where nothing was, it begins at the end.
 */
export function nextRange(blocks: readonly Block[], drawn: ReadonlySet<string>): Range {
  const first = blocks.findIndex((block) => drawn.has(keyOf(block)));
  let from = first < 0 ? blocks.length : first;
  let to = first < 0 ? blocks.length : blocks.findLastIndex((block) => drawn.has(keyOf(block))) + 1;
  let left = PORTION;
  for (; to < blocks.length && left > 0; to += 1) left -= costOf(blocks[to]);
  for (; from > 0 && left > 0; from -= 1) left -= costOf(blocks[from - 1]);
  return { from, to };
}

export function keyOf(block: Block): string {
  return block.kind === 'turn' ? block.turn_id : String(block.seq);
}

function costOf(block: Block | undefined): number {
  if (block?.kind !== 'turn') return EACH;
  return block.entries.reduce(
    (sum, entry) => sum + EACH + (entry.kind === 'text' ? entry.text.length : 0),
    EACH,
  );
}

const NONE: ReadonlySet<string> = new Set();

/** What of these blocks is drawn by now. The rest follows, a portion a task. */
export function useGradually(blocks: readonly Block[]): Range {
  const drawn = useRef(NONE);
  const [, again] = useState(0);
  const range = nextRange(blocks, drawn.current);
  const isWhole = range.from === 0 && range.to === blocks.length;
  useLayoutEffect(() => {
    drawn.current = new Set(blocks.slice(range.from, range.to).map(keyOf));
    return isWhole ? undefined : slices.add('draw', () => again((times) => times + 1));
  });
  return range;
}

/** Told when something was drawn that the conversation itself does not know of, so that the reader keeps the place. */
export const DrawnMore = createContext<() => void>(() => undefined);

/** Where there is no page, as in tests, everything is drawn at once. */
export const CAN_WAIT = globalThis.document !== undefined;

/** From which of its parts on a long text is drawn by now: its end first, unless it is still growing there. */
export function useFirstDrawn(count: number, isGrowing: boolean): number {
  const [first, setFirst] = useState(() => (isGrowing || !CAN_WAIT ? 0 : Math.max(0, count - 1)));
  const drawnMore = useContext(DrawnMore);
  const begun = useRef(first);
  useLayoutEffect(() => {
    if (first !== begun.current) drawnMore();
  }, [first]);
  useEffect(
    () => (first === 0 ? undefined : slices.add('draw', () => setFirst(Math.max(0, first - 1)))),
    [first],
  );
  return Math.min(first, count);
}
