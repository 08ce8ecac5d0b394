import type { CacheDiagnostics } from '../runtime/context-events.ts';
import type { ProviderEvent, ProviderFailure } from '../runtime/ports.ts';

const MAX_MESSAGE = 2_000;
const MAX_TOKEN = 200;
const HIDDEN = '[hidden]';
const KEY_LIKE = /\bsk-[\w*-]{8,}/gu;
const BEARER = /\b(bearer\s+)[\w.~+/=-]{8,}/giu;
/** So much of a secret is taken for it: what quotes it may have been cut in the middle. */
const TELLING = 8;

/** Takes the secrets, and whatever looks like one, out of text that will be logged and shown. */
export function scrub(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap(spellings).reduce(without, text);
  return known.replace(KEY_LIKE, HIDDEN).replace(BEARER, `$1${HIDDEN}`);
}

/** As it is, as in a URL and as in JSON: an answer may quote any of them. */
function spellings(secret: string): readonly string[] {
  if (secret === '') return [];
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}

function without(text: string, secret: string): string {
  const head = secret.slice(0, TELLING);
  let clean = '';
  let from = 0;
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, from)) {
    clean += text.slice(from, at) + HIDDEN;
    from = at + head.length;
    while (from - at < secret.length && text[from] === secret[from - at]) from += 1;
  }
  return clean + text.slice(from);
}

/** Everything in an event that is the endpoint's own words and is logged as such. What the model says is not touched. */
export function scrubEvent(event: ProviderEvent, secrets: readonly string[]): ProviderEvent {
  if (event.kind === 'failed') return { ...event, failure: scrubFailure(event.failure, secrets) };
  if (event.kind !== 'completed') return event;
  const { response_id, unknown_events, cache_diagnostics } = event;
  return {
    ...event,
    response_id: response_id === null ? null : token(response_id, secrets),
    unknown_events: unknown_events.map((name) => token(name, secrets)),
    ...(cache_diagnostics === undefined
      ? {}
      : { cache_diagnostics: scrubDiagnostics(cache_diagnostics, secrets) }),
  };
}

function scrubDiagnostics(told: CacheDiagnostics, secrets: readonly string[]): CacheDiagnostics {
  const { type, reason } = told;
  return {
    ...told,
    type: token(type, secrets),
    ...(reason === undefined ? {} : { reason: token(reason, secrets) }),
  };
}

/** Everything in a failure that came from outside, scrubbed and bounded. */
export function scrubFailure(failure: ProviderFailure, secrets: readonly string[]): ProviderFailure {
  const { code, request_id } = failure;
  return {
    ...failure,
    message: bounded(scrub(failure.message, secrets), MAX_MESSAGE),
    ...(code === undefined ? {} : { code: token(code, secrets) }),
    ...(request_id === undefined ? {} : { request_id: token(request_id, secrets) }),
  };
}

function token(text: string, secrets: readonly string[]): string {
  return bounded(scrub(text, secrets), MAX_TOKEN);
}

function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
