import type { CacheDiagnostics, TokenCounts } from '../runtime/context-events.ts';
import { isObject, objectAt, stringAt } from './json-values.ts';

/** These are words of the endpoint that end up in the log. */
const MAX_WORD = 100;

export const NO_COUNTS: TokenCounts = {
  input: null,
  cached: null,
  output: null,
  reasoning: null,
  total: null,
};

/** What the provider measured. A number it did not give, or that cannot be a count, is unknown: null. */
export function tokenCounts(usage: unknown): TokenCounts {
  const details = objectAt(usage, 'input_tokens_details');
  const cache_write = count(details, 'cache_write_tokens');
  return {
    input: count(usage, 'input_tokens'),
    cached: count(details, 'cached_tokens'),
    output: count(usage, 'output_tokens'),
    reasoning: count(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens'),
    total: count(usage, 'total_tokens'),
    ...(cache_write === null ? {} : { cache_write }),
  };
}

/** Why a prefix was not found in the prompt cache, where the endpoint was asked and says so. */
export function cacheDiagnostics(diagnostics: unknown): CacheDiagnostics | null {
  const type = stringAt(diagnostics, 'type');
  if (type === null) return null;
  const reason = stringAt(diagnostics, 'reason');
  const missed_tokens = count(diagnostics, 'cache_missed_tokens');
  return {
    type: type.slice(0, MAX_WORD),
    ...(reason === null ? {} : { reason: reason.slice(0, MAX_WORD) }),
    ...(missed_tokens === null ? {} : { missed_tokens }),
  };
}

function count(holder: unknown, key: string): number | null {
  const value = isObject(holder) ? holder[key] : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
