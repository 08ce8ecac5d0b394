import { channelOf } from '../channels.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
import { RememberedChildren } from './remembered-children.ts';

/** Evidence that a checkpoint repeats, beside what is replayed. */
const EVIDENCE: ReadonlySet<string> = new Set([
  'file_change',
  'tool_call_decision',
  'turn_failed',
  'subagent_event',
]);

/** That a child lives says nothing that a checkpoint would: of a long life there are many. */
export function isEvidence(event: LogEvent): boolean {
  return EVIDENCE.has(event.type) && !(event.type === 'subagent_event' && event.data.event === 'heartbeat');
}

/** What a checkpoint could stand for: everything since the last one's tail, as far as a checkpoint speaks of it. */
export interface History {
  readonly events: readonly LogEvent[];
  /** The last checkpoint, whose facts the next one carries forward. */
  readonly checkpoint: KnownEvent<'history_compaction'> | null;
  /** Where outputs are not held whole: how many bytes each had, by its call. */
  readonly sizes?: ReadonlyMap<string, number>;
  /** How many events of each type there are from the last tail up to, not including, a seq. */
  countsBefore(seq: number): Readonly<Record<string, number>>;
}

/** Keeps of a log what the next compaction needs. What a checkpoint stands for is let go of. */
export class HistoryFold implements History {
  private kept: LogEvent[] = [];
  private types: string[] = [];
  /** The seq of the first of the types. */
  private from = 0;
  private last: KnownEvent<'history_compaction'> | null = null;
  private readonly children = new RememberedChildren();

  get events(): readonly LogEvent[] {
    return this.kept;
  }

  get checkpoint(): KnownEvent<'history_compaction'> | null {
    return this.last;
  }

  push(event: LogEvent): void {
    if (this.types.length === 0) this.from = event.seq;
    this.types.push(event.type);
    this.children.push(event);
    if (event.type === 'history_compaction') return this.compacted(event);
    if (isEvidence(event) || channelOf(event) === 'replayed') this.kept.push(event);
  }

  countsBefore(seq: number): Readonly<Record<string, number>> {
    const counts = new Map<string, number>();
    for (const type of this.types.slice(0, Math.max(0, seq - this.from)))
      counts.set(type, (counts.get(type) ?? 0) + 1);
    return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private compacted(event: KnownEvent<'history_compaction'>): void {
    const { tail_from_seq, keeps = [] } = event.data;
    const stays = new Set(keeps);
    this.children.compacted(tail_from_seq);
    this.kept = this.kept.filter(
      (one) => one.seq >= tail_from_seq || stays.has(one.seq) || this.children.needs(one),
    );
    const from = Math.max(this.from, Math.min(tail_from_seq, event.seq));
    this.types = this.types.slice(from - this.from);
    this.from = from;
    this.last = event;
  }
}
