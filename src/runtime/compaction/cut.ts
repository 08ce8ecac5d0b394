import { channelOf } from '../channels.ts';
import type { LogEvent } from '../events.ts';

/** Where the tail begins, and what of the part before it stays as it is. */
export interface Cut {
  readonly tail_from_seq: number;
  readonly keeps: readonly number[];
  /** Replayed events that stay. */
  readonly tail: number;
}

/**
 * Pure: where to cut so that at most so many replayed events stay. At the start of a turn; inside of one only when it
 * alone is larger than the tail, and then between its rounds, with its prompt kept. Never between a call and its
 * result, and never before a call that is still pending. Null when there is nothing before the tail to speak of.
 */
export function cutOf(history: readonly LogEvent[], tail: number): Cut | null {
  const events = history.filter((event) => channelOf(event) === 'replayed');
  const whole = wholeAt(events);
  const starts = turnStarts(events);
  const isLegal = (index: number): boolean => whole[index] === true;
  const fits = (index: number): boolean => isLegal(index) && events.length - index <= tail;
  const atTurn = starts.find(fits);
  const large = starts.findLast((start) => atTurn === undefined || start < atTurn);
  const inside = large === undefined ? undefined : insideOf(events, { large, atTurn, tail, isLegal, fits });
  const index = inside ?? atTurn;
  if (index === undefined) return null;
  const keeps = inside === undefined ? [] : keptOf(events.slice(large, inside));
  const dropped = events
    .slice(0, index)
    .some((event) => event.type !== 'developer_context' && !keeps.includes(event.seq));
  const first = events[index];
  if (!dropped || first === undefined) return null;
  return { tail_from_seq: first.seq, keeps, tail: events.length - index + keeps.length };
}

interface Search {
  readonly large: number;
  readonly atTurn: number | undefined;
  readonly tail: number;
  readonly isLegal: (index: number) => boolean;
  readonly fits: (index: number) => boolean;
}

/** A cut between the rounds of the turn that does not fit, where it is too large by itself. */
function insideOf(events: readonly LogEvent[], search: Search): number | undefined {
  const { large, atTurn, tail, isLegal, fits } = search;
  const end = atTurn ?? events.length;
  if (end - large <= tail) return undefined;
  const rounds = roundStarts(events, large, end);
  const fitting = rounds.find(fits);
  if (fitting !== undefined || atTurn !== undefined) return fitting;
  // The last round may be larger than the tail, and so may be what a turn is told before its first: it stays whole.
  return rounds.findLast(isLegal) ?? (isLegal(large) ? large : undefined);
}

/** The first event of each turn: what was recorded just for it comes before its prompt. */
function turnStarts(events: readonly LogEvent[]): readonly number[] {
  return events.flatMap((event, index) => {
    if (event.type !== 'user_message') return [];
    let start = index;
    while (isOpening(events[start - 1])) start -= 1;
    return [start];
  });
}

function isOpening(event: LogEvent | undefined): boolean {
  return event?.type === 'developer_context' || event?.type === 'interruption_note';
}

/** The first item of each response of a turn. */
function roundStarts(events: readonly LogEvent[], from: number, to: number): readonly number[] {
  const found: number[] = [];
  let stream = '';
  for (let index = from; index < to; index += 1) {
    const event = events[index];
    const isItem =
      event?.type === 'reasoning' || event?.type === 'assistant_message' || event?.type === 'tool_call';
    if (!isItem || event.data.stream_run_id === stream) continue;
    stream = event.data.stream_run_id;
    found.push(index);
  }
  return found;
}

/** For each place: whether every call before it has its result before it. */
function wholeAt(events: readonly LogEvent[]): readonly boolean[] {
  const open = new Set<string>();
  return events.map((event) => {
    const whole = open.size === 0;
    if (event.type === 'tool_call') open.add(event.data.call_id);
    if (event.type === 'tool_result') open.delete(event.data.call_id);
    return whole;
  });
}

/** Pure: whether a call without a result is further back than the tail, so that nothing from it on can be cut off. */
export function isHeld(history: readonly LogEvent[], tail: number): boolean {
  const events = history.filter((event) => channelOf(event) === 'replayed');
  const settled = new Set(
    events.flatMap((event) => (event.type === 'tool_result' ? [event.data.call_id] : [])),
  );
  const first = events.findIndex((event) => event.type === 'tool_call' && !settled.has(event.data.call_id));
  return first >= 0 && events.length - first > tail;
}

/** What a turn that is cut cannot go on without: what was asked, and by which practice. */
function keptOf(events: readonly LogEvent[]): readonly number[] {
  return events.flatMap(({ type, seq }) =>
    type === 'user_message' || type === 'skill_activation' ? [seq] : [],
  );
}
