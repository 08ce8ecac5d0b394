import type { ProviderFailure } from './ports.ts';

export type Again = NonNullable<ProviderFailure['again']>;

/** What the log says of a request that is asked again at once, and in another way. */
const AGAIN = {
  full_input: {
    code: 'continuation_reset',
    message: 'The provider no longer had the response to continue; asked again with the whole input.',
  },
  over_sse: {
    code: 'transport_fallback',
    message: 'No WebSocket to the provider could be used; asked again over server-sent events.',
  },
  without_cache_options: {
    code: 'cache_options_refused',
    message: 'The provider does not know the options of the prompt cache; asked again without them.',
  },
} as const satisfies Record<Again, { readonly code: string; readonly message: string }>;

export interface AskedAgain {
  readonly again: Again;
  readonly code: string;
  readonly message: string;
}

/**
 * Pure: whether a failed call is asked again without waiting. That is no retry: the provider itself said how it has to be
 * asked. Each way is gone once a call.
 */
export function askedAgain(
  result: { readonly failure: ProviderFailure; readonly output_seen: boolean },
  gone: readonly Again[],
): AskedAgain | null {
  const { again } = result.failure;
  if (again === undefined || result.output_seen || gone.includes(again)) return null;
  return { again, ...AGAIN[again] };
}
