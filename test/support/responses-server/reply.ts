import type { ResponsesServerEvent } from 'openai/resources/responses/responses';
import type { ResponseEvent } from './response-events.ts';
import type { SseStyle } from './sse-encoding.ts';

/**
 * What the server does with one request, step by step, over either transport. A fake network has no clock: tests
 * release the waits.
 */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly steps: readonly Step[];
    }
  /** The connection is closed without an answer. */
  | { readonly kind: 'drop' }
  /** No answer ever comes. */
  | { readonly kind: 'silence' };

export type Step =
  /** Over a socket each event is a frame; over HTTP all of them are one piece of an event stream. */
  | { readonly kind: 'events'; readonly list: readonly unknown[]; readonly style: SseStyle }
  /** Over a socket: a frame as it is, binary where these are bytes. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | string }
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  /** Nothing more is sent; the connection stays open until the client closes it. */
  | { readonly kind: 'hang' }
  /** The connection is destroyed in the middle of the body. */
  | { readonly kind: 'cut' };

export const HANG: Step = { kind: 'hang' };
export const CUT: Step = { kind: 'cut' };

export function bytes(content: Uint8Array | string): Step {
  return { kind: 'bytes', bytes: content };
}

export function wait(until: Promise<unknown>): Step {
  return { kind: 'wait', until };
}

/** What the API sends, by the types of its SDK. */
export type ServerEvent = ResponseEvent | ResponsesServerEvent.ResponseWsError;

export function events(list: readonly ServerEvent[], style: SseStyle = {}): Step {
  return { kind: 'events', list, style };
}

/** Events that the API does not have, or not like that. */
export function oddEvents(list: readonly unknown[]): Step {
  return { kind: 'events', list, style: {} };
}

/** A 200 event stream. Ends cleanly after its last step. */
export function stream(
  steps: readonly Step[],
  headers: Readonly<Record<string, string>> = { 'content-type': 'text/event-stream; charset=utf-8' },
): Reply {
  return { kind: 'answer', status: 200, headers, steps };
}

/** The usual case: a whole response in one go. */
export function streamOf(list: readonly ServerEvent[], style?: SseStyle): Reply {
  return stream([events(list, style)]);
}

export function oddStreamOf(list: readonly unknown[]): Reply {
  return stream([oddEvents(list)]);
}

export function answer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Reply {
  return { kind: 'answer', status, headers, steps: [bytes(body)] };
}

export interface ApiErrorBody {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** An error as the API sends it: as the body of an HTTP answer, or as an `error` event over a socket. */
export function apiError(
  status: number,
  error: Partial<ApiErrorBody>,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = { message: 'An error', type: 'invalid_request_error', param: null, code: null, ...error };
  return answer(status, JSON.stringify({ error: body }), { 'content-type': 'application/json', ...headers });
}
