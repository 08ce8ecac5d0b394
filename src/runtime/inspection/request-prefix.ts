import type { KnownEvent } from '../events.ts';
import { numberOrNull, wordsOrNull } from '../loose-fields.ts';
import type { ReplayEntry, ReplayTarget } from '../replay/entries.ts';

/** Why a request does not begin with the whole one before it, in the order in which a prompt is read. */
export type PrefixBreak =
  /** What stood on a line that cannot be read may have been sent before. */
  | 'damaged_log'
  | 'model_or_endpoint_changed'
  | 'prompt_contract_changed'
  | 'skills_changed'
  | 'tools_changed'
  | 'cache_key_changed'
  | 'compaction'
  | 'pending_call_decided'
  | 'reasoning_left_out'
  | 'reasoning_sent_again'
  | 'unknown';

/** What took the place of earlier history. */
export interface NamedCheckpoint {
  readonly seq: number;
  readonly trigger: string | null;
  readonly strategy: string | null;
  readonly tokens_before: number | null;
  readonly tokens_after: number | null;
}

/** A request as it can be compared with another. */
export interface Built {
  readonly target: ReplayTarget;
  readonly sent: readonly ReplayEntry[];
  /** The last checkpoint that it was made with. */
  readonly checkpoint: KnownEvent<'history_compaction'> | null;
  /** Null where it is not on record: then nothing is known of what it has ahead of its input. */
  readonly usage: KnownEvent<'provider_usage'> | null;
}

export interface Comparison {
  /** Items of the input that are the same, from the first on. */
  readonly items: number;
  readonly of_previous: number;
  /** Nothing of the request before is missing or changed, instructions and tools included. */
  readonly whole: boolean;
  /** The first of `breaks`; null when it is whole, or when there was none before. */
  readonly broken_by: PrefixBreak | null;
  /** All that changed. What comes first breaks everything after it. */
  readonly breaks: readonly PrefixBreak[];
  /** The event behind the first item that is another. */
  readonly broken_at_seq: number | null;
  /** Where a compaction is among the breaks. */
  readonly checkpoint: NamedCheckpoint | null;
}

/** Pure: what a request shares with the one before it, and why not more. */
export function compared(before: Built | null, now: Built, log: { readonly damaged: boolean }): Comparison {
  const previous = before?.sent ?? [];
  const items = sharedItems(previous, now.sent);
  const same = items === previous.length;
  const input = before === null || same ? null : inputBreak(before, now, items);
  const breaks = [
    ...(log.damaged ? (['damaged_log'] as const) : []),
    ...(before === null ? [] : aheadBreaks(before, now)),
    ...(input === null || (log.damaged && input === 'unknown') ? [] : [input]),
  ].filter((reason, index, all) => all.indexOf(reason) === index);
  return {
    items,
    of_previous: previous.length,
    whole: breaks.length === 0,
    broken_by: breaks[0] ?? null,
    breaks,
    broken_at_seq: same ? null : (now.sent[items]?.seq ?? null),
    checkpoint: input === 'compaction' ? named(now.checkpoint) : null,
  };
}

/** The fields of a record that stand for what a prompt has ahead of its input, in its order. */
const AHEAD = [
  ['prompt_contract_version', 'prompt_contract_changed'],
  ['skill_index_hash', 'skills_changed'],
  ['toolset_hash', 'tools_changed'],
] as const satisfies readonly (readonly [string, PrefixBreak])[];

function aheadBreaks(before: Built, now: Built): readonly PrefixBreak[] {
  const moved =
    now.target.model !== before.target.model || now.target.endpoint !== before.target.endpoint
      ? (['model_or_endpoint_changed'] as const)
      : [];
  const changed = AHEAD.flatMap(([name, reason]) => (differs(before, now, name) ? [reason] : []));
  const known: readonly PrefixBreak[] = [...moved, ...changed];
  // The key is made of the others and of the mode: where one of them changed, that is the reason.
  return known.length === 0 && differs(before, now, 'prompt_cache_key') ? ['cache_key_changed'] : known;
}

/** What one of the two does not say is no change. */
function differs(before: Built, now: Built, name: string): boolean {
  const [old, next] = [before, now].map(({ usage }) => wordsOrNull(usage?.data, name));
  return old !== null && next !== null && old !== next;
}

function inputBreak(before: Built, now: Built, at: number): PrefixBreak {
  const old = before.sent[at];
  const next = now.sent[at];
  if (now.checkpoint?.seq !== before.checkpoint?.seq) return 'compaction';
  if (old?.placeholder === true && next?.item.type === 'function_call_output') return 'pending_call_decided';
  if (old?.item.type !== 'reasoning' && next?.item.type !== 'reasoning') return 'unknown';
  const { target } = before;
  if (now.target.model !== target.model || now.target.endpoint !== target.endpoint)
    return 'model_or_endpoint_changed';
  return old?.item.type === 'reasoning' ? 'reasoning_left_out' : 'reasoning_sent_again';
}

function named(event: KnownEvent<'history_compaction'> | null): NamedCheckpoint | null {
  if (event === null) return null;
  const { seq, data } = event;
  return {
    seq,
    trigger: wordsOrNull(data, 'trigger'),
    strategy: wordsOrNull(data, 'strategy'),
    tokens_before: numberOrNull(data, 'tokens_before'),
    tokens_after: numberOrNull(data, 'tokens_after'),
  };
}

function sharedItems(a: readonly ReplayEntry[], b: readonly ReplayEntry[]): number {
  let shared = 0;
  while (shared < a.length && shared < b.length && isSame(a[shared], b[shared])) shared += 1;
  return shared;
}

/** Items of one fold are the same objects: nearly all of them are compared at the cost of nothing. */
function isSame(one: ReplayEntry | undefined, other: ReplayEntry | undefined): boolean {
  return one?.item === other?.item || JSON.stringify(one?.item) === JSON.stringify(other?.item);
}
