import type { ProviderFailure } from '../runtime/ports.ts';
import type { ProviderErrorKind } from '../runtime/provider-errors.ts';
import { type ApiError, apiErrorIn, kindOfCode } from './error-kinds.ts';
import { parsedJson } from './json-values.ts';

/** A failure on its way through the SDK, which only lets exceptions pass. */
export class TransportFailed extends Error {
  override readonly name = 'TransportFailed';
  constructor(
    readonly failure: ProviderFailure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The head of the body, as text. */
  readonly body: string;
  readonly now: number;
}

/** What an HTTP answer other than a stream means. */
export function httpFailure(answer: HttpAnswer): ProviderFailure {
  const error = apiErrorIn(parsedJson(answer.body));
  const kind = kindOfStatus(answer.status, error);
  const code = error?.code ?? error?.type ?? null;
  const retry_after_ms = retryAfter(answer.headers, answer.now);
  const request_id = answer.headers.get('x-request-id');
  return {
    kind,
    message: messageOf(answer, error, kind),
    status: answer.status,
    ...(code === null ? {} : { code }),
    ...(retry_after_ms === null ? {} : { retry_after_ms }),
    ...(request_id === null ? {} : { request_id }),
  };
}

function kindOfStatus(status: number, error: ApiError | null): ProviderErrorKind {
  const said = error === null ? null : kindOfCode(error);
  switch (status) {
    case 401:
      return 'auth';
    case 402:
      return 'quota_exceeded';
    case 403:
      return 'forbidden';
    case 404:
      return said === 'model_not_found' || /\bmodel/iu.test(error?.message ?? '')
        ? 'model_not_found'
        : 'invalid_request';
    case 407:
    case 408:
      return 'connection';
    case 409:
      // The API answers lock timeouts with it, and its SDK tries again.
      return 'server_error';
    case 413:
      return 'context_overflow';
    case 429:
      return said === 'quota_exceeded' ? 'quota_exceeded' : 'rate_limited';
    default:
      if (status >= 500) return 'server_error';
      return said === 'context_overflow' ||
        said === 'image_rejected' ||
        said === 'reasoning_rejected' ||
        said === 'model_not_found' ||
        said === 'content_filter' ||
        said === 'quota_exceeded'
        ? said
        : 'invalid_request';
  }
}

function messageOf(answer: HttpAnswer, error: ApiError | null, kind: ProviderErrorKind): string {
  const { status, headers } = answer;
  const words = error?.message ?? describeBody(answer.body);
  const head = `HTTP ${status}: ${words}`;
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? 'nowhere';
    return `HTTP ${status}: the base URL redirects to ${withoutQuery(target)}, which is not followed. Set the base URL to where the API is.`;
  }
  return status === 404 && kind === 'invalid_request' ? `${head} (check the base URL)` : head;
}

/** Bodies that are no API error: proxies and portals answer with pages. */
export function describeBody(body: string): string {
  const text = body.trim();
  if (text === '') return 'an empty body';
  if (!text.startsWith('<')) return text.slice(0, 300);
  const title = /<title[^>]*>([^<]{1,200})/iu.exec(text)?.[1]?.trim();
  return title === undefined ? 'a page of HTML' : `a page of HTML titled "${title}"`;
}

function withoutQuery(location: string): string {
  return location.replace(/[?#].*$/su, '').replace(/\/\/[^/@]*@/u, '//');
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. Nonsense and the past count as not given. */
export function retryAfter(headers: Headers, now: number): number | null {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(value)) {
    const seconds = Number.parseFloat(value);
    return Number.isFinite(seconds) ? Math.round(seconds * 1000) : null;
  }
  const wait = Date.parse(value) - now;
  return Number.isFinite(wait) && wait >= 0 ? wait : null;
}

const TLS_CODES: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'EPROTO',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why no answer came at all. Decided by error codes down the chain of causes. */
export function connectionFailure(error: unknown): ProviderFailure {
  const chain = causes(error);
  const coded = chain.find((one) => one.code !== null);
  const isTls = chain.some(
    ({ code }) => code !== null && (TLS_CODES.has(code) || /^ERR_(?:TLS|SSL)_/u.test(code)),
  );
  const message = (coded ?? chain.at(-1))?.message ?? 'the connection failed';
  const code = coded?.code ?? null;
  return { kind: isTls ? 'tls' : 'connection', message, ...(code === null ? {} : { code }) };
}

function causes(error: unknown): readonly { readonly message: string; readonly code: string | null }[] {
  const found: { readonly message: string; readonly code: string | null }[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && found.length < 10) {
    const one = queue.shift();
    if (!(one instanceof Error)) continue;
    const code = 'code' in one && typeof one.code === 'string' ? one.code : null;
    found.push({ code, message: one.message === '' ? (code ?? one.name) : one.message });
    queue.push(one.cause);
    if (one instanceof AggregateError) queue.push(...one.errors);
  }
  return found;
}
