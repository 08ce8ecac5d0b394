import type { LogEvent } from '../../src/runtime/events.ts';

/**
 * Logs that no runtime writes, made of one that a runtime wrote by one change that has a name. Seqs are counted anew,
 * and what names another event by its seq still names that one.
 */

type Log = readonly LogEvent[];
type Fits = (event: LogEvent) => boolean;
type Raw = Readonly<Record<string, unknown>>;

export function ofChild(event: string, subagent_id = 'agent_1'): Fits {
  return ({ type, data }) =>
    type === 'subagent_event' && data.event === event && data.subagent_id === subagent_id;
}

export function ofFlow(event: string, step_id?: string): Fits {
  return ({ type, data }) =>
    type === 'workflow_event' && data.event === event && (step_id === undefined || data.step_id === step_id);
}

export function isEnd({ type, data }: LogEvent): boolean {
  return type === 'subagent_event' && (data.event === 'finished' || data.event === 'detached');
}

export function without(log: Log, ...fits: readonly Fits[]): Log {
  return numbered(log.filter((event) => !fits.some((one) => one(event))));
}

/** The log up to the first event that fits, as a process leaves it that is killed then. */
export function cutAfter(log: Log, fits: Fits): Log {
  return log.slice(0, placeOf(log, fits) + 1);
}

/** What the first event that fits says. */
export function dataOf(log: Log, fits: Fits): Raw {
  const event = log[placeOf(log, fits)];
  return event === undefined ? {} : raw(event);
}

export function placeOf(log: Log, fits: Fits): number {
  const at = log.findIndex(fits);
  if (at < 0) throw new Error('the log has no such event');
  return at;
}

/** With other facts in all events that fit. */
export function changed(log: Log, fits: Fits, facts: Raw | ((data: Raw) => Raw)): Log {
  placeOf(log, fits);
  return log.map((event) =>
    fits(event)
      ? withData(event, typeof facts === 'function' ? facts(raw(event)) : { ...event.data, ...facts })
      : event,
  );
}

export function lacking(log: Log, fits: Fits, ...fields: readonly string[]): Log {
  return changed(log, fits, (data) =>
    Object.fromEntries(Object.entries(data).filter(([name]) => !fields.includes(name))),
  );
}

/** The same event again, at the end or wherever it is said. */
export function again(log: Log, fits: Fits, at = log.length): Log {
  const event = log[placeOf(log, fits)];
  return event === undefined ? log : numbered([...log.slice(0, at), { ...event }, ...log.slice(at)]);
}

/** An event that comes later than it did. */
export function moved(log: Log, fits: Fits, behind: Fits): Log {
  const event = log[placeOf(log, fits)];
  const others = log.filter((one) => one !== event);
  const at = placeOf(others, behind) + 1;
  return event === undefined ? log : numbered([...others.slice(0, at), event, ...others.slice(at)]);
}

/** So many copies of the events that fit, one after the other where the last of them was, each with a name of its own. */
export function repeated(log: Log, fits: Fits, name: string, count: number): Log {
  const one = log.filter(fits);
  const last = one.at(-1);
  if (last === undefined) throw new Error('the log has no such event');
  const [before, after] = [log.slice(0, last.seq), log.slice(last.seq + 1)].map((part) =>
    part.filter((event) => !fits(event)),
  );
  const copies = Array.from({ length: count }, (_, n) =>
    numbered(one.map((event) => renamed(event, name, n))),
  );
  const start = before?.length ?? 0;
  const counted = copies.flat().map((event, index) => {
    const base = start + index - event.seq;
    return sealed(event, start + index, (seq) => base + seq);
  });
  const end = start + counted.length;
  const seqOf = (seq: number): number => (seq >= last.seq ? end + seq - last.seq - 1 : seq);
  const rest = (after ?? []).map((event, index) => sealed(event, end + index, seqOf));
  return [...(before ?? []), ...counted, ...rest];
}

function renamed(event: LogEvent, name: string, n: number): LogEvent {
  return JSON.parse(JSON.stringify(event).replaceAll(`"${name}"`, `"${name}.${n}"`)) as LogEvent;
}

/** Counted anew in the order in which they are. */
function numbered(log: Log): Log {
  const places = new Map(log.map(({ seq }, index) => [seq, index]));
  // Of what is not there any more, what was before it.
  const seqOf = (seq: number): number => {
    for (let at = seq; at >= 0; at -= 1) {
      const place = places.get(at);
      if (place !== undefined) return place;
    }
    return 0;
  };
  return log.map((event, index) => sealed(event, index, seqOf));
}

const NAMES: ReadonlySet<string> = new Set(['of_seq', 'at_seq']);

function sealed(event: LogEvent, seq: number, seqOf: (seq: number) => number): LogEvent {
  const data = Object.fromEntries(
    Object.entries(raw(event)).map(([name, value]) => {
      if (NAMES.has(name) && typeof value === 'number') return [name, seqOf(value)];
      if (name !== 'delivers' || !Array.isArray(value)) return [name, value];
      return [name, value.map((one: { readonly seq: number }) => ({ ...one, seq: seqOf(one.seq) }))];
    }),
  );
  return { ...withData(event, data), seq };
}

function raw({ data }: LogEvent): Raw {
  return data as unknown as Raw;
}

function withData(event: LogEvent, data: Raw): LogEvent {
  return { ...event, data } as unknown as LogEvent;
}
