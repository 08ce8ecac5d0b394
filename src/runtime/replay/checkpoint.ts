import type { ReplayEntry } from './entries.ts';

/** What a log is sent as before a checkpoint. */
export interface Uncompacted {
  readonly entries: readonly ReplayEntry[];
  /** The last context that was told; null when there was none. */
  readonly context: ReplayEntry | null;
  /** The checkpoint before this one. */
  readonly checkpoint: ReplayEntry | null;
}

export interface CheckpointPlace {
  readonly tail_from_seq: number;
  readonly keeps?: readonly number[];
}

/** Pure: what is sent once a checkpoint stands for all before its tail, and for the checkpoint before it. */
export function compactedEntries(
  { entries, context, checkpoint: previous }: Uncompacted,
  checkpoint: ReplayEntry,
  { tail_from_seq, keeps = [] }: CheckpointPlace,
): readonly ReplayEntry[] {
  const kept = new Set(keeps);
  const calls = new Set<string>();
  const tail = entries.filter((entry) => {
    if ((entry.seq < tail_from_seq && !kept.has(entry.seq)) || entry === previous) return false;
    if (entry.item.type === 'function_call') calls.add(entry.item.call_id);
    return entry.item.type !== 'function_call_output' || calls.has(entry.item.call_id);
  });
  const first = context === null || tail.includes(context) ? [] : [context];
  return [...first, checkpoint, ...tail];
}
