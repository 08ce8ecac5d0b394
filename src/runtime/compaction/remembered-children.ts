import { CHILD_OPEN, isUnended } from '../agents/child-states.ts';
import type { EventData, KnownEvent, LogEvent } from '../events.ts';
import { list, numberOrNull, text } from '../loose-fields.ts';

/** What the log says of a child, all its events together; what is told of it to the model is none of them. */
export type ChildFacts = EventData['subagent_event'];

interface Remembered {
  /** Where the log first tells of it. */
  readonly from: number;
  readonly open: boolean;
  /** Not over as far as the model knows. */
  readonly unended: boolean;
  readonly ends: readonly ToldEnd[];
}

interface ToldEnd {
  readonly seq: number;
  /** The result of a call that told the model of it; null as long as nobody has. */
  readonly told_at: number | null;
}

/**
 * Children that a later checkpoint may have to speak of: those at work, those whose end the model has not been told of,
 * and those of whose end a result tells that is still sent as it is. A child may outlive every checkpoint of its parent,
 * and its end may be told long after it.
 */
export class RememberedChildren {
  private readonly children = new Map<string, Remembered>();

  push(event: LogEvent): void {
    if (event.type === 'subagent_event') this.follow(event);
    if (event.type !== 'tool_result') return;
    for (const one of list(event.data, 'delivers'))
      this.change(text(one, 'subagent_id'), (end) =>
        end.seq === numberOrNull(one, 'seq') ? [{ ...end, told_at: event.seq }] : [end],
      );
  }

  /** A checkpoint that stands for everything before its tail has told on what was told there. */
  compacted(tailFrom: number): void {
    for (const id of this.children.keys())
      this.change(id, (end) => (end.told_at !== null && end.told_at < tailFrom ? [] : [end]));
  }

  /** Whether an event is of one of them, from where it matters. What told the model of an end was sent, as others were. */
  needs(event: LogEvent): boolean {
    if (event.type !== 'subagent_event' || event.data.event === 'delivered') return false;
    const child = this.children.get(event.data.subagent_id);
    return child !== undefined && event.seq >= child.from;
  }

  /** Where the log first tells of each. */
  get places(): readonly number[] {
    return [...this.children.values()].map(({ from }) => from);
  }

  private follow({ seq, data }: KnownEvent<'subagent_event'>): void {
    const { subagent_id, status, event, workflow_id } = data;
    // What tells an end by itself also says what it is: nothing else is needed then.
    if (event === 'delivered') {
      const last = this.children.get(subagent_id)?.ends.at(-1)?.seq;
      const of = numberOrNull(data, 'of_seq') ?? last;
      return this.change(subagent_id, (end) => (end.seq === of ? [] : [end]));
    }
    if (event === 'heartbeat') return;
    const { from, unended, ends } = this.children.get(subagent_id) ?? { from: seq, unended: true, ends: [] };
    const isEnd = event === 'finished' && status !== 'detached' && workflow_id === undefined && unended;
    const all = isEnd ? [...ends, { seq, told_at: null }] : ends;
    const now = { open: CHILD_OPEN.has(status), unended: isUnended({ status }) };
    this.keep(subagent_id, { from, ...now, ends: all });
  }

  private change(id: string, of: (end: ToldEnd) => readonly ToldEnd[]): void {
    const child = this.children.get(id);
    if (child !== undefined) this.keep(id, { ...child, ends: child.ends.flatMap(of) });
  }

  private keep(id: string, child: Remembered): void {
    if (child.open || child.ends.length > 0) this.children.set(id, child);
    else this.children.delete(id);
  }
}

/** Children that are not over, with what is known of them. */
export function openChildren(events: readonly LogEvent[]): ReadonlyMap<string, ChildFacts> {
  const children = new Map<string, ChildFacts>();
  for (const { type, data } of events)
    if (type === 'subagent_event' && data.event !== 'delivered' && data.event !== 'heartbeat')
      children.set(data.subagent_id, { ...children.get(data.subagent_id), ...data });
  return new Map([...children].filter(([, { status }]) => CHILD_OPEN.has(status)));
}

/** The events that say how a child ended, by their place. */
export function endsIn(events: readonly LogEvent[]): ReadonlyMap<number, ChildFacts> {
  return new Map(
    events.flatMap(({ type, seq, data }) =>
      type === 'subagent_event' && data.event === 'finished' ? [[seq, data] as const] : [],
    ),
  );
}
