import type { KnownEvent, LogEvent } from '../events.ts';
import type { ExclusionReason, ReplayTarget } from '../replay/entries.ts';
import { ReplayFold } from '../replay/fold.ts';
import type { Built } from './request-prefix.ts';

/** A moment of a log at which a request is looked at. */
export interface Stop {
  readonly at_seq: number;
  readonly target: ReplayTarget;
  readonly usage: KnownEvent<'provider_usage'> | null;
}

export type Explained = Built & {
  /** Of replayed events, by seq. */
  readonly excluded: ReadonlyMap<number, ExclusionReason>;
};

/** Pure: the requests at some moments of a log, and of one of them also why something is left out. One walk for all. */
export function builtAt(
  log: readonly LogEvent[],
  looked: Stop,
  others: Iterable<Stop>,
): { readonly now: Explained; readonly all: ReadonlyMap<Stop, Built> } {
  const stops = [...new Set([looked, ...others])].toSorted((a, b) => a.at_seq - b.at_seq);
  const all = new Map<Stop, Built>();
  const fold = new ReplayFold();
  let excluded: Explained['excluded'] = new Map();
  let checkpoint: Built['checkpoint'] = null;
  let next = 0;
  for (const stop of stops) {
    for (; next < log.length; next += 1) {
      const event = log[next];
      if (event === undefined || event.seq > stop.at_seq) break;
      fold.push(event);
      if (event.type === 'history_compaction') checkpoint = event;
    }
    const { target, usage } = stop;
    all.set(stop, { target, usage, checkpoint, sent: fold.sent(target) });
    if (stop === looked) ({ excluded } = fold.explain(target));
  }
  const { target, usage } = looked;
  const now = all.get(looked) ?? { target, usage, checkpoint, sent: [] };
  return { now: { ...now, excluded }, all };
}
