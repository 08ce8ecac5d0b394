import type { NextAction } from './events.ts';

/** Every way a model call can go wrong, each with one sentence for people and what to do next. */

export interface ErrorKindFacts {
  readonly sentence: string;
  /** Said when it is tried again without asking, as long as nothing has come out yet; null where it never is. */
  readonly retry: string | null;
  /** Most likely first. Every failure can be tried again once its cause is mended. */
  readonly next_actions: readonly NextAction[];
}

const RETRY: NextAction = { label: 'Try again', command: 'ledgerline.retryTurn' };
const SET_KEY: NextAction = { label: 'Set API key', command: 'ledgerline.setApiKey' };
const SELECT_MODEL: NextAction = { label: 'Select model', command: 'ledgerline.selectModel' };
const SETTINGS: NextAction = {
  label: 'Open settings',
  command: 'workbench.action.openSettings',
  args: ['ledgerline'],
};
const NEW_SESSION: NextAction = { label: 'New session', command: 'ledgerline.newSession' };
const FORK: NextAction = { label: 'Fork this session', command: 'ledgerline.fork' };
const CONTINUE: NextAction = { label: 'Continue', command: 'ledgerline.continueTurn' };

export const PROVIDER_ERRORS = {
  rate_limited: {
    sentence: 'The provider is limiting requests. Wait a moment, then try again.',
    retry: 'The provider is limiting requests.',
    next_actions: [RETRY],
  },
  quota_exceeded: {
    sentence: 'The account has no quota left. Check its plan and billing, or use another key.',
    retry: null,
    next_actions: [SET_KEY, RETRY],
  },
  server_error: {
    sentence: 'The provider had an internal error. Your prompt is safe; try again.',
    retry: 'The provider had an internal error.',
    next_actions: [RETRY],
  },
  connection: {
    sentence:
      'The provider could not be reached, or the connection broke. Check the network and the base URL.',
    retry: 'The provider could not be reached, or the connection broke.',
    next_actions: [RETRY, SETTINGS],
  },
  tls: {
    sentence: 'No secure connection could be made: the certificate of the provider was not accepted.',
    retry: null,
    next_actions: [SETTINGS, RETRY],
  },
  auth: {
    sentence: 'The provider did not accept the API key. Set a valid key.',
    retry: null,
    next_actions: [SET_KEY, RETRY],
  },
  missing_key: {
    sentence: 'No API key is set. Set one, or choose the offline model.',
    retry: null,
    next_actions: [SET_KEY, SETTINGS, RETRY],
  },
  forbidden: {
    sentence: 'The API key may not do this. Use a key with access to the model.',
    retry: null,
    next_actions: [SET_KEY, SELECT_MODEL, RETRY],
  },
  model_not_found: {
    sentence: 'The provider does not know this model. Select another one.',
    retry: null,
    next_actions: [SELECT_MODEL, RETRY],
  },
  context_overflow: {
    sentence: 'The conversation is larger than the context window of the model.',
    retry: null,
    next_actions: [NEW_SESSION, SELECT_MODEL, RETRY],
  },
  invalid_request: {
    sentence: 'The provider refused the request as invalid. The details say why.',
    retry: null,
    next_actions: [SETTINGS, RETRY],
  },
  /** It stays in the input: whoever only tries again fails again. */
  image_rejected: {
    sentence:
      'The provider refused an image of this conversation, which goes with every later message as well. Fork from before it, or select a model that takes it.',
    retry: null,
    next_actions: [FORK, SELECT_MODEL, NEW_SESSION, RETRY],
  },
  reasoning_rejected: {
    sentence: 'The provider no longer accepts the reasoning of earlier answers.',
    retry: null,
    next_actions: [RETRY],
  },
  content_filter: {
    sentence: 'The provider stopped the answer with its content filter.',
    retry: null,
    next_actions: [RETRY],
  },
  refusal: {
    sentence: 'The model declined to answer.',
    retry: null,
    next_actions: [RETRY],
  },
  output_limit: {
    sentence: 'The answer was cut off at the output limit of the model.',
    retry: null,
    next_actions: [CONTINUE, RETRY],
  },
  response_failed: {
    sentence: 'The provider ended the response with an error.',
    retry: null,
    next_actions: [RETRY],
  },
  response_cancelled: {
    sentence: 'The provider cancelled the response.',
    retry: null,
    next_actions: [RETRY],
  },
  stream_cut: {
    sentence: 'The stream ended before the answer was complete.',
    retry: 'The stream ended before the answer was complete.',
    next_actions: [CONTINUE, RETRY],
  },
  stream_idle: {
    sentence: 'The provider stopped sending. The stream was closed.',
    retry: null,
    next_actions: [RETRY, SETTINGS],
  },
  malformed_stream: {
    sentence: 'The provider sent something that is not a valid response stream.',
    retry: null,
    next_actions: [RETRY, SETTINGS],
  },
  empty_response: {
    sentence: 'The provider completed the response with neither text nor tool calls.',
    retry: null,
    next_actions: [RETRY],
  },
  internal: {
    sentence: 'Ledgerline itself failed. The log up to here is safe; the details help to report it.',
    retry: null,
    next_actions: [{ label: 'Diagnose', command: 'ledgerline.diagnose' }, RETRY],
  },
} as const satisfies Record<string, ErrorKindFacts>;

export type ProviderErrorKind = keyof typeof PROVIDER_ERRORS;

export function errorFacts(kind: ProviderErrorKind): ErrorKindFacts {
  return PROVIDER_ERRORS[kind];
}
