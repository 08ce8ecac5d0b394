import type { ProviderFailure } from '../runtime/ports.ts';

const MAX_MESSAGE = 2_000;
const MAX_TOKEN = 200;
const HIDDEN = '[hidden]';
const KEY_LIKE = /\bsk-[\w*-]{8,}/gu;
const BEARER = /\b(bearer\s+)[\w.~+/=-]{8,}/giu;

/** Takes the key, and whatever looks like one, out of text that will be logged and shown. */
export function scrub(text: string, apiKey: string): string {
  const known = apiKey === '' ? text : text.replaceAll(apiKey, HIDDEN);
  return known.replace(KEY_LIKE, HIDDEN).replace(BEARER, `$1${HIDDEN}`);
}

/** Everything in a failure that came from outside, scrubbed and bounded. */
export function scrubFailure(failure: ProviderFailure, apiKey: string): ProviderFailure {
  const { code, request_id } = failure;
  return {
    ...failure,
    message: bounded(scrub(failure.message, apiKey), MAX_MESSAGE),
    ...(code === undefined ? {} : { code: bounded(scrub(code, apiKey), MAX_TOKEN) }),
    ...(request_id === undefined ? {} : { request_id: bounded(scrub(request_id, apiKey), MAX_TOKEN) }),
  };
}

function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
