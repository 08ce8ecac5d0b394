import type {
  CompactionRecord,
  CompactionStrategy,
  CompactionTrigger,
  ContextParts,
} from '../context-events.ts';
import type { EventData } from '../events.ts';
import type { Pressure } from '../pressure.ts';
import { sumOf } from '../replay/weights.ts';
import { cutOf, isHeld } from './cut.ts';
import type { History } from './history.ts';
import { limitationsOf } from './limitations.ts';
import { rangeFacts, type RangeFacts } from './range-facts.ts';
import { factSections, factsLeftOut, plainWords, summaryOf, type Told } from './summary.ts';

/** Replayed events that stay as they are. Recovery goes on to the next smaller tail where one was not enough. */
export const TAILS = [20, 10, 5] as const;

/** What a compaction is planned from. */
export interface CompactionView {
  readonly history: History;
  readonly pressure: Pressure;
  /** What fills the next request, as it is or with a checkpoint. */
  parts(checkpoint?: EventData['history_compaction']): ContextParts;
}

export interface Wanted {
  readonly trigger: CompactionTrigger;
  readonly tail: number;
  /** Inside a run: its turn. */
  readonly turn_id: string | null;
}

/** What is told of the range, and by whom. */
export interface Story {
  readonly strategy: CompactionStrategy;
  readonly told: Told;
  readonly fallback?: CompactionRecord['fallback'];
}

export type Plan =
  | { readonly kind: 'planned'; readonly record: CompactionRecord }
  /** Everything is in the tail, or the checkpoint before this one stands for it already. */
  | { readonly kind: 'nothing' }
  /** Nothing, because a call before it all is still pending. */
  | { readonly kind: 'held' }
  /** The checkpoint would take as much room as what it stands for. */
  | { readonly kind: 'not_smaller'; readonly tokens_before: number; readonly tokens_after: number };

/** The story by rules: needs nobody. */
export function deterministicStory(facts: RangeFacts, fallback?: CompactionRecord['fallback']): Story {
  return {
    strategy: 'deterministic_v1',
    told: summaryOf(facts),
    ...(fallback === undefined ? {} : { fallback }),
  };
}

/** A model's story, and the lists of facts, which are never a model's. */
export function modelStory(facts: RangeFacts, words: string): Story {
  const text = [plainWords(words), ...factSections(facts)].filter((one) => one !== '').join('\n\n');
  return {
    strategy: 'model_assisted_v1',
    told: { text: text.toWellFormed(), left_out: factsLeftOut(facts) },
  };
}

/** Pure: exactly what would be recorded, and whether it would help. */
export function planCompaction(
  view: CompactionView,
  { trigger, tail, turn_id }: Wanted,
  storyOf: (facts: RangeFacts) => Story = deterministicStory,
): Plan {
  const cut = cutOf(view.history.events, tail);
  if (cut === null) return { kind: isHeld(view.history.events, tail) ? 'held' : 'nothing' };
  const facts = rangeFacts(view.history, cut);
  const { strategy, told, fallback } = storyOf(facts);
  const { event_counts, tool_calls, files_touched, open_tasks, decisions, skills_dropped, images } = facts;
  const unweighed: CompactionRecord = {
    ...(turn_id === null ? {} : { turn_id }),
    trigger,
    strategy,
    range: { from_seq: 0, to_seq: cut.tail_from_seq - 1 },
    tail_from_seq: cut.tail_from_seq,
    ...(cut.keeps.length === 0 ? {} : { keeps: cut.keeps }),
    summary: told.text,
    limitations: limitationsOf(facts, { strategy, left_out: told.left_out, fallback }),
    event_counts,
    tool_calls,
    files_touched,
    open_tasks,
    decisions,
    skills_dropped,
    ...(images.length === 0 ? {} : { images }),
    tokens_before: 0,
    tokens_after: 0,
    tokens_basis: 'estimated',
    parts_after: view.parts(),
    ...(fallback === undefined ? {} : { fallback }),
  };
  const parts_after = view.parts(unweighed);
  const [before, after] = [sumOf(unweighed.parts_after), sumOf(parts_after)];
  const weight = weighed(before, after, view.pressure.scale);
  if (after < before) return { kind: 'planned', record: { ...unweighed, ...weight, parts_after } };
  const { tokens_before, tokens_after } = weight;
  return { kind: 'not_smaller', tokens_before, tokens_after };
}

/** As the provider would count them, unless what it counted says nothing about either. */
function weighed(
  before: number,
  after: number,
  scale: number | null,
): Pick<CompactionRecord, 'tokens_before' | 'tokens_after' | 'tokens_basis'> {
  const tokens_before = Math.round(before * (scale ?? 1));
  const tokens_after = Math.round(after * (scale ?? 1));
  return scale === null || tokens_before === tokens_after
    ? { tokens_before: before, tokens_after: after, tokens_basis: 'estimated' }
    : { tokens_before, tokens_after, tokens_basis: 'measured' };
}
