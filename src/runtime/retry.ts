import { errorFacts } from './provider-errors.ts';
import type { ProviderFailure } from './ports.ts';

export const MAX_RETRIES = 2;
const BASE_MS = 500;
/** A provider that asks for more is not waited for silently: the turn fails and says so. */
const LONGEST_WAIT_MS = 60_000;

/** Pure: how long to wait before another attempt, or null when there is none. */
export function retryDelay(
  failure: ProviderFailure,
  retriesMade: number,
  outputSeen: boolean,
): number | null {
  if (outputSeen || retriesMade >= MAX_RETRIES || errorFacts(failure.kind).retry === null) return null;
  const wait = failure.retry_after_ms ?? BASE_MS * 2 ** retriesMade;
  return wait > LONGEST_WAIT_MS ? null : wait;
}
