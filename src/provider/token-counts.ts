import type { TokenCounts } from '../runtime/events.ts';
import { isObject, objectAt } from './json-values.ts';

export const NO_COUNTS: TokenCounts = {
  input: null,
  cached: null,
  output: null,
  reasoning: null,
  total: null,
};

/** What the provider measured. A number it did not give, or that cannot be a count, is unknown: null. */
export function tokenCounts(usage: unknown): TokenCounts {
  return {
    input: count(usage, 'input_tokens'),
    cached: count(objectAt(usage, 'input_tokens_details'), 'cached_tokens'),
    output: count(usage, 'output_tokens'),
    reasoning: count(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens'),
    total: count(usage, 'total_tokens'),
  };
}

function count(holder: unknown, key: string): number | null {
  const value = isObject(holder) ? holder[key] : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
