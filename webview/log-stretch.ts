import type { Item } from '../src/presenter/protocol.ts';
import { applyItem, foldItems, type Block, type Turn } from './transcript.ts';

/** How much of the log the view holds: pure decisions about what to let go of, and when. */

/** Items held at most, give or take one answer of the host: a few screens, though most items draw no line. */
export const MOST = 1400;
/** What stays of the end when the view lets go. */
export const KEPT = 700;

/** Items of the log that follow each other, and their fold. */
export interface LogStretch {
  readonly items: readonly Item[];
  readonly blocks: readonly Block[];
  /** The log has items before these. */
  readonly has_more: boolean;
}

export interface Past extends LogStretch {
  /** The last seq of the log when the reader left the end. */
  readonly left_at: number;
}

/** The end of the log, and where the reader is when that is not there. */
export interface Held extends LogStretch {
  readonly past: Past | null;
  readonly away: boolean;
}

type Stretches = Pick<Held, 'items' | 'blocks' | 'has_more' | 'past'>;

export function shown(held: Held): LogStretch {
  return held.past ?? held;
}

/** The log goes on. Who is elsewhere keeps what is on screen; who is at the end does not miss what is far above. */
export function appended(held: Held, items: readonly Item[]): Stretches {
  const grown = {
    items: [...held.items, ...items],
    blocks: items.reduce(applyItem, held.blocks),
    has_more: held.has_more,
  };
  if (grown.items.length <= MOST) return { ...grown, past: held.past };
  const past = held.past ?? (held.away ? { ...grown, left_at: lastSeq(held) } : null);
  return { ...lastOf(grown, KEPT), past };
}

/**
 * What comes before: when it becomes too much, the view lets go of the end, which it can have back at any time.
 * What does not reach up to what is shown is somewhere else, and the reader is there from now on.
 */
export function prepended(held: Held, items: readonly Item[], has_more: boolean): Stretches {
  const now = shown(held);
  const first = now.items[0]?.seq ?? Number.POSITIVE_INFINITY;
  const last = items.at(-1)?.seq ?? Number.POSITIVE_INFINITY;
  if (Number.isFinite(first) && last < first - 1) {
    const left_at = held.past?.left_at ?? lastSeq(held);
    return { ...lastOf(held, KEPT), past: { ...folded(items, has_more, now), left_at } };
  }
  const all = folded([...items.filter(({ seq }) => seq < first), ...now.items], has_more, now);
  const { past } = held;
  if (past === null && all.items.length <= MOST) return { ...all, past };
  const kept = past === null ? lastOf(held, KEPT) : held;
  return {
    items: kept.items,
    blocks: kept.blocks,
    has_more: kept.has_more,
    past: { ...firstOf(all, MOST), left_at: past?.left_at ?? lastSeq(held) },
  };
}

/** What comes after where the reader is; where that meets the end, the reader is back in what goes on. */
export function extended(
  held: Held,
  past: Past,
  more: { readonly items: readonly Item[]; readonly has_later: boolean },
): Stretches {
  const { items, blocks, has_more } = held;
  const last = past.items.at(-1)?.seq ?? -1;
  const end = items[0]?.seq ?? Number.POSITIVE_INFINITY;
  const fresh = more.items.filter(({ seq }) => seq > last);
  const meets = !more.has_later || fresh.some(({ seq }) => seq >= end) || last + 1 >= end;
  const before = [...past.items, ...fresh].filter(({ seq }) => seq < end);
  if (meets) {
    const all = folded([...before, ...items], past.has_more, past);
    return { ...lastOf(all, Math.max(MOST, items.length + KEPT)), past: null };
  }
  const all = folded(before, past.has_more, past);
  return { items, blocks, has_more, past: { ...lastOf(all, MOST), left_at: past.left_at } };
}

/** A session that is told anew, from its end: who was reading further up goes on reading. */
export function keptPast(held: Held, items: readonly Item[]): Past | null {
  if (held.past !== null || !held.away) return held.past;
  const [first] = held.items;
  const [told] = items;
  if (first === undefined || told === undefined || first.seq >= told.seq) return null;
  return { items: held.items, blocks: held.blocks, has_more: held.has_more, left_at: lastSeq(held) };
}

/** Shown up to a point in the middle of it: how it stands is not known there. */
export function isCutOff(past: Past | null, turn: Turn): boolean {
  return past !== null && past.blocks.at(-1) === turn && turn.run !== 'done';
}

export function hasNews(held: Held): boolean {
  return held.past !== null && lastSeq(held) > held.past.left_at;
}

function lastSeq({ items }: LogStretch): number {
  return items.at(-1)?.seq ?? -1;
}

function lastOf(all: LogStretch, count: number): LogStretch {
  return all.items.length <= count ? all : folded(all.items.slice(-count), true, all);
}

function firstOf(all: LogStretch, count: number): LogStretch {
  return all.items.length <= count ? all : folded(all.items.slice(0, count), all.has_more, all);
}

/** Turns with the same items as before stay the same objects, and so are not drawn again. */
function folded(items: readonly Item[], has_more: boolean, before: LogStretch): LogStretch {
  const [old, now] = [spansOf(before.items), spansOf(items)];
  const known = new Map(
    before.blocks.flatMap((block) => (block.kind === 'turn' ? [[block.turn_id, block] as const] : [])),
  );
  const blocks = foldItems(items).map((block) => {
    if (block.kind !== 'turn' || old.get(block.turn_id) !== now.get(block.turn_id)) return block;
    return known.get(block.turn_id) ?? block;
  });
  return { items, blocks, has_more };
}

/** Tells by the seqs of a turn's items whether they are the same ones. */
function spansOf(items: readonly Item[]): ReadonlyMap<string, string> {
  const spans = new Map<string, { readonly first: number; last: number; count: number }>();
  for (const { turn_id, seq } of items) {
    if (turn_id === undefined) continue;
    const span = spans.get(turn_id);
    if (span === undefined) spans.set(turn_id, { first: seq, last: seq, count: 1 });
    else {
      span.last = seq;
      span.count += 1;
    }
  }
  return new Map([...spans].map(([id, { first, last, count }]) => [id, `${first} ${last} ${count}`]));
}
