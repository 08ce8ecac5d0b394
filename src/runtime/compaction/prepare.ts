import { attempt, type AttemptContext } from '../attempt.ts';
import type { CompactionRecord, CompactionStrategy, ProviderUsage } from '../context-events.ts';
import { draft, type Draft } from '../events.ts';
import { errorFacts } from '../provider-errors.ts';
import { promptCacheKey } from '../prompt/contract.ts';
import type { ReplayTarget } from '../replay/fold.ts';
import { usage, type Asking } from '../usage.ts';
import { answersIn } from './answers.ts';
import { cutOf } from './cut.ts';
import { summaryIn, summaryRequest } from './model-summary.ts';
import {
  deterministicStory,
  modelStory,
  planCompaction,
  type CompactionView,
  type Plan,
  type Story,
  type Wanted,
} from './plan.ts';
import type { RangeFacts } from './range-facts.ts';

/** What a compaction is made with. */
export interface CompactionContext
  extends Asking, Pick<AttemptContext, 'clock' | 'ids' | 'signal' | 'settings' | 'provider'> {
  compaction(target: ReplayTarget): CompactionView;
}

/** A compaction that can be recorded as it is, or why there is none. */
export type Prepared = {
  /** Of the call that the summary took, whatever came of it. */
  readonly usage: ProviderUsage | null;
} & (
  | { readonly kind: 'ready'; readonly record: CompactionRecord }
  | Exclude<Plan, { kind: 'planned' }>
  | { readonly kind: 'halted' }
);

export async function prepareCompaction(
  context: CompactionContext,
  wanted: Wanted,
  strategy: CompactionStrategy,
): Promise<Prepared> {
  const { settings, provider } = context;
  const view = context.compaction({ model: settings.model, endpoint: provider.endpoint });
  if (strategy === 'deterministic_v1') return ready(planCompaction(view, wanted), null);
  // Nobody is asked for what would not be recorded.
  const plain = planCompaction(view, wanted);
  if (plain.kind !== 'planned') return ready(plain, null);
  const asked = await askModel(context, view, wanted);
  if (asked.kind === 'halted') return asked;
  const planned = planCompaction(view, wanted, asked.story);
  if (planned.kind === 'planned') return ready(planned, asked.usage);
  const message = 'The summary was not smaller than what it stands for.';
  const fallback = { from: strategy, kind: 'not_smaller', message } as const;
  return ready(
    planCompaction(view, wanted, (facts) => deterministicStory(facts, fallback)),
    asked.usage,
  );
}

function ready(plan: Plan, spent: ProviderUsage | null): Prepared {
  return plan.kind === 'planned'
    ? { kind: 'ready', record: plan.record, usage: spent }
    : { ...plan, usage: spent };
}

/** The events of a compaction: what it took, then what came of it, if anything did. */
export function compactionDrafts(prepared: Prepared): readonly Draft[] {
  const { usage: spent } = prepared;
  return [
    ...(spent === null ? [] : [draft('provider_usage', spent)]),
    ...(prepared.kind === 'ready' ? [draft('history_compaction', prepared.record)] : []),
  ];
}

type Told = { readonly usage: ProviderUsage } & (
  | { readonly kind: 'told'; readonly story: (facts: RangeFacts) => Story }
  | { readonly kind: 'halted' }
);

/** Asks once, beside the conversation. Whatever goes wrong, the rules tell the story, and the record says why. */
async function askModel(context: CompactionContext, view: CompactionView, wanted: Wanted): Promise<Told> {
  const { settings, hasher, session } = context;
  const cut = cutOf(view.history.events, wanted.tail);
  const range = view.history.events.filter(({ seq }) => cut !== null && seq < cut.tail_from_seq);
  const key = promptCacheKey(
    {
      model: settings.model,
      mode: settings.permission_mode,
      fork_root_session_id: session().fork_root_session_id,
      toolset_hash: 'summary',
      skill_index_hash: 'none',
    },
    hasher,
  );
  const completed = new Set(answersIn(view.history.events).keys());
  const material = { range, completed };
  const request = summaryRequest(material, view.history.checkpoint?.data.summary ?? null, {
    model: settings.model,
    reasoning_effort: settings.reasoning_effort,
    prompt_cache_key: key,
  });
  const result = await attempt(unheard(context), request);
  const { turn_id } = wanted;
  const once = { turn_id, iteration: 1, attempts: 1, at_seq: null, parts: null, tells_skills: false };
  const spent = usage(context, { ...once, request }, result);
  if (context.signal.aborted || result.kind === 'halted') return { kind: 'halted', usage: spent };
  const words = result.kind === 'completed' ? summaryIn(result.items) : null;
  if (words !== null) return { kind: 'told', story: (facts) => modelStory(facts, words), usage: spent };
  const fallback = {
    from: 'model_assisted_v1' as const,
    ...(result.kind === 'failed'
      ? {
          kind: result.failure.kind,
          message: errorFacts(result.failure.kind).sentence,
          provider_message: result.failure.message,
        }
      : { kind: 'not_in_form', message: 'The answer was not in the form that was asked for.' }),
  };
  return { kind: 'told', story: (facts) => deterministicStory(facts, fallback), usage: spent };
}

/** Nothing of it is shown or kept: it is no answer of the conversation. */
function unheard({ clock, ids, signal, settings, provider }: CompactionContext): AttemptContext {
  const log = { saveStream: () => undefined };
  return {
    clock,
    ids,
    signal,
    settings,
    provider,
    log,
    publish: () => undefined,
    turn: () => ({ turn_id: '' }),
  };
}
