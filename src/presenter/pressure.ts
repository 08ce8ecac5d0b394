import type { EventData } from '../runtime/events.ts';
import { tierOf } from '../runtime/usage.ts';
import type { HostMessage } from './protocol.ts';

type Usage = EventData['provider_usage'];

/**
 * Pure: how full the window is, by what the provider measured at its last call. The window is the one that is
 * known now, which may not have been known then.
 */
export function pressureMessage(
  usage: Usage | null,
  window_tokens: number | null,
): Extract<HostMessage, { type: 'context_pressure' }> {
  const input_tokens = usage?.tokens.input ?? null;
  const cached_tokens = usage?.tokens.cached ?? null;
  const ratio = input_tokens === null || window_tokens === null ? null : input_tokens / window_tokens;
  return {
    v: 1,
    type: 'context_pressure',
    tier: tierOf(ratio),
    ratio,
    input_tokens,
    cached_tokens,
    window_tokens,
  };
}
