import { field, list, numberOrNull, text, textOrNull, wordsOrNull } from '../loose-fields.ts';

/**
 * What a checkpoint says, as those who show it read it: a log may be of another version, and what does not have
 * the expected shape counts as not said.
 */
export interface CompactionFacts {
  readonly trigger: string;
  readonly strategy: string;
  /** What it stands for; null where it does not say. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** From here on, what was there before it still stands for itself. */
  readonly tail_from: number | null;
  /** Events of the range that still stand for themselves. */
  readonly keeps: readonly number[];
  readonly tokens: CompactionTokens;
  readonly summary: string;
  readonly files_touched: readonly string[];
  readonly open_tasks: readonly string[];
  readonly decisions: readonly DecisionFact[];
  readonly skills_dropped: readonly string[];
  readonly limitations: readonly string[];
  readonly calls: CallFacts | null;
  readonly event_counts: readonly NamedCount[];
  readonly fallback: FallbackFact | null;
}

export interface CompactionTokens {
  readonly before: number | null;
  readonly after: number | null;
  /** `measured` or `estimated`; empty where it does not say. */
  readonly basis: string;
}

export interface DecisionFact {
  readonly name: string;
  readonly subject: string;
  readonly action: string;
  readonly decided_by: string;
  readonly reason: string | null;
}

export interface CallFact {
  readonly seq: number | null;
  readonly name: string;
  readonly subject: string;
  readonly ok: boolean;
  readonly output_bytes: number | null;
  readonly blob: string | null;
}

export interface CallFacts {
  readonly total: number;
  readonly failed: number | null;
  readonly by_name: readonly NamedCount[];
  readonly last: readonly CallFact[];
}

export interface FallbackFact {
  readonly from: string;
  readonly kind: string;
  readonly message: string;
  /** What the provider said; empty where it said nothing. */
  readonly details: string;
}

export type NamedCount = readonly [name: string, count: number];

export function compactionFacts(data: unknown): CompactionFacts {
  const calls = field(data, 'tool_calls');
  const fallback = field(data, 'fallback');
  return {
    trigger: text(data, 'trigger'),
    strategy: text(data, 'strategy'),
    range: rangeIn(field(data, 'range')),
    tail_from: numberOrNull(data, 'tail_from_seq'),
    keeps: list(data, 'keeps').filter((seq) => typeof seq === 'number'),
    tokens: {
      before: numberOrNull(data, 'tokens_before'),
      after: numberOrNull(data, 'tokens_after'),
      basis: text(data, 'tokens_basis'),
    },
    summary: text(data, 'summary'),
    files_touched: textsIn(data, 'files_touched'),
    open_tasks: textsIn(data, 'open_tasks'),
    decisions: list(data, 'decisions').map(decisionOf),
    skills_dropped: textsIn(data, 'skills_dropped'),
    limitations: textsIn(data, 'limitations'),
    calls: callsIn(calls),
    event_counts: countsIn(data, 'event_counts'),
    fallback: textOrNull(fallback, 'kind') === null ? null : fallbackOf(fallback),
  };
}

/** How many events a checkpoint stands for; null where it does not say. */
export function eventsOf({ range, keeps }: Pick<CompactionFacts, 'range' | 'keeps'>): number | null {
  return range === null ? null : Math.max(0, range.to - range.from + 1 - keeps.length);
}

/** How many events before the checkpoint at a seq still stand for themselves; null where it does not say. */
export function tailOf({ tail_from }: Pick<CompactionFacts, 'tail_from'>, seq: number): number | null {
  return tail_from === null ? null : Math.max(0, seq - tail_from);
}

function rangeIn(value: unknown): CompactionFacts['range'] {
  const from = numberOrNull(value, 'from_seq');
  const to = numberOrNull(value, 'to_seq');
  return from === null || to === null ? null : { from, to };
}

/** What is no text is told as it stands there, so that nothing is missing. */
function textsIn(data: unknown, key: string): readonly string[] {
  return list(data, key).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

function decisionOf(value: unknown): DecisionFact {
  return {
    name: typeof value === 'string' ? value : text(value, 'name'),
    subject: text(value, 'subject'),
    action: text(value, 'action'),
    decided_by: text(value, 'decided_by'),
    reason: wordsOrNull(value, 'reason'),
  };
}

function callsIn(value: unknown): CallFacts | null {
  const total = numberOrNull(value, 'total');
  if (total === null) return null;
  return {
    total,
    failed: numberOrNull(value, 'failed'),
    by_name: countsIn(value, 'by_name'),
    last: list(value, 'last').map(callOf),
  };
}

function callOf(value: unknown): CallFact {
  return {
    seq: numberOrNull(value, 'seq'),
    name: text(value, 'name'),
    subject: text(value, 'subject'),
    ok: field(value, 'ok') === true,
    output_bytes: numberOrNull(value, 'output_bytes'),
    blob: wordsOrNull(value, 'blob'),
  };
}

function countsIn(data: unknown, key: string): readonly NamedCount[] {
  const counts = field(data, key);
  if (typeof counts !== 'object' || counts === null || Array.isArray(counts)) return [];
  return Object.entries(counts).flatMap(([name, count]): NamedCount[] =>
    typeof count === 'number' ? [[name, count]] : [],
  );
}

function fallbackOf(value: unknown): FallbackFact {
  return {
    from: text(value, 'from'),
    kind: text(value, 'kind'),
    message: text(value, 'message'),
    details: text(value, 'provider_message'),
  };
}
