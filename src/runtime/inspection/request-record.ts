import type { KnownEvent } from '../events.ts';
import { field, numberOrNull, textOrNull, wordsOrNull } from '../loose-fields.ts';

/** What the log has of a call. Whatever it does not say is null, never 0. */
export interface RequestRecord {
  readonly usage_seq: number;
  readonly turn_id: string | null;
  readonly iteration: number | null;
  /** Set for a call beside the conversation. */
  readonly purpose: string | null;
  readonly model: string;
  readonly transport: string | null;
  readonly attempts: number | null;
  readonly response_id: string | null;
  readonly tokens: RecordedTokens;
  readonly cache_hit_rate: number | null;
  readonly continuation: RecordedContinuation | null;
  readonly context: {
    readonly window_tokens: number | null;
    readonly ratio: number | null;
    readonly tier: string | null;
    /** Estimated by us, instructions and tools: what a prompt has ahead of its input. */
    readonly ahead_of_input: number | null;
  };
  readonly cache_diagnostics: {
    readonly type: string;
    readonly reason: string | null;
    readonly missed_tokens: number | null;
  } | null;
  readonly output_truncation: string | null;
  readonly time_to_first_token_ms: number | null;
  readonly total_ms: number | null;
}

export interface RecordedTokens {
  readonly input: number | null;
  readonly cached: number | null;
  readonly cache_write: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
  readonly total: number | null;
}

export interface RecordedContinuation {
  readonly attempted: boolean;
  readonly used: boolean;
  readonly reset_reason: string | null;
}

/** Pure: a record as it is read. It may be of another version: a field of another shape counts as absent. */
export function recordOf({ seq, data }: KnownEvent<'provider_usage'>): RequestRecord {
  const context = field(data, 'context');
  return {
    usage_seq: seq,
    turn_id: textOrNull(data, 'turn_id'),
    iteration: numberOrNull(data, 'iteration'),
    purpose: textOrNull(data, 'purpose'),
    model: data.model,
    transport: wordsOrNull(data, 'transport'),
    attempts: numberOrNull(data, 'attempts'),
    response_id: textOrNull(data, 'response_id'),
    tokens: tokensOf(field(data, 'tokens')),
    cache_hit_rate: numberOrNull(data, 'cache_hit_rate'),
    continuation: continuationOf(field(data, 'continuation')),
    context: {
      window_tokens: numberOrNull(context, 'window_tokens'),
      ratio: numberOrNull(context, 'ratio'),
      tier: wordsOrNull(context, 'tier'),
      ahead_of_input: aheadOf(field(context, 'parts')),
    },
    cache_diagnostics: diagnosticsOf(field(data, 'cache_diagnostics')),
    output_truncation: wordsOrNull(data, 'output_truncation'),
    time_to_first_token_ms: numberOrNull(data, 'time_to_first_token_ms'),
    total_ms: numberOrNull(data, 'total_ms'),
  };
}

function tokensOf(tokens: unknown): RecordedTokens {
  return {
    input: numberOrNull(tokens, 'input'),
    cached: numberOrNull(tokens, 'cached'),
    cache_write: numberOrNull(tokens, 'cache_write'),
    output: numberOrNull(tokens, 'output'),
    reasoning: numberOrNull(tokens, 'reasoning'),
    total: numberOrNull(tokens, 'total'),
  };
}

function continuationOf(told: unknown): RecordedContinuation | null {
  if (typeof told !== 'object' || told === null) return null;
  return {
    attempted: field(told, 'attempted') === true,
    used: field(told, 'used') === true,
    reset_reason: wordsOrNull(told, 'reset_reason'),
  };
}

function aheadOf(parts: unknown): number | null {
  const instructions = numberOrNull(parts, 'instructions');
  const tools = numberOrNull(parts, 'tools');
  return instructions === null || tools === null ? null : instructions + tools;
}

function diagnosticsOf(told: unknown): RequestRecord['cache_diagnostics'] {
  const type = wordsOrNull(told, 'type');
  if (type === null) return null;
  return { type, reason: wordsOrNull(told, 'reason'), missed_tokens: numberOrNull(told, 'missed_tokens') };
}
