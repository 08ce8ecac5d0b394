import type { ProviderFailure } from '../runtime/ports.ts';
import { apiErrorIn } from './error-kinds.ts';
import { connectionFailure, httpFailure, TransportFailed } from './failures.ts';
import { isObject, type JsonObject, objectAt, parsedJson, stringAt } from './json-values.ts';

export const CONNECTION_LIMIT = 'websocket_connection_limit_reached';
export const RESPONSE_NOT_FOUND = 'previous_response_not_found';

/**
 * Why no socket came about: the endpoint has none (`absent`), nothing was reached that could say so (`unreachable`), or
 * it said what is wrong, and would over server-sent events as well (`answered`).
 */
export type Refusal = 'absent' | 'unreachable' | 'answered';

/** What a failed request over a socket says of the socket: another one would fare no better, or it may, or nothing. */
export type SocketFault = 'unusable' | 'broken' | 'none';

export class SocketRefused extends TransportFailed {
  constructor(
    readonly refusal: Refusal,
    failure: ProviderFailure,
    options?: ErrorOptions,
  ) {
    super(failure, options);
  }
}

/** They are about how something is asked, and not about what. */
const OF_THE_PROTOCOL: readonly number[] = [405, 406, 421, 426, 501, 505];

/** What an HTTP answer to the request for a socket means. */
export function refusalOf(status: number, body: string): Refusal {
  // A redirect is of the page that a browser would get; the API itself may well be here.
  if (status < 400) return 'absent';
  // A gate on the way may let no socket through; the API says no in its own words.
  if (status === 403 && apiErrorIn(parsedJson(body)) === null) return 'unreachable';
  return [400, 404, 410, ...OF_THE_PROTOCOL].includes(status) ? 'absent' : 'answered';
}

/** Over server-sent events there is neither: whoever names one of them in a refusal refuses the socket. */
const OF_THE_SOCKET = /web[ _-]?socket|\bresponse\.create\b/iu;
const REFUSING: ReadonlySet<string> = new Set([
  'invalid_request',
  'response_failed',
  'forbidden',
  'server_error',
]);

/**
 * Pure: who is to blame for a failure before any output. What cannot be read, or is closed for what was sent, comes of a
 * socket that is not of this API, unless it has answered before: then it broke.
 */
export function faultOf(failure: ProviderFailure, { answered }: { readonly answered: boolean }): SocketFault {
  const { kind, status, code = '', message } = failure;
  if (code === CONNECTION_LIMIT) return 'none';
  if (status !== undefined && OF_THE_PROTOCOL.includes(status)) return 'unusable';
  if (REFUSING.has(kind) && (OF_THE_SOCKET.test(message) || OF_THE_SOCKET.test(code))) return 'unusable';
  if (kind === 'malformed_stream' || code.startsWith(CLOSED_AS)) return answered ? 'broken' : 'unusable';
  return kind === 'connection' || kind === 'stream_cut' || kind === 'server_error' ? 'broken' : 'none';
}

/** Pure: whether it is the continuation that was refused. The API itself does so with and without a code. */
export function refusesContinuation({ kind, code, message }: ProviderFailure): boolean {
  return (
    code === RESPONSE_NOT_FOUND || (kind === 'invalid_request' && message.includes('previous_response_id'))
  );
}

/** An error on the way to a socket. A certificate that is not accepted is none over server-sent events either. */
export function refusedBy(error: Error): SocketRefused {
  const failure = connectionFailure(error);
  return new SocketRefused(failure.kind === 'tls' ? 'answered' : 'unreachable', failure, { cause: error });
}

/** An `error` event that has the status of an HTTP answer is that answer. Null for every other frame. */
export function frameFailure(frame: unknown, now: number): ProviderFailure | null {
  if (!isObject(frame) || stringAt(frame, 'type') !== 'error') return null;
  const error = apiErrorIn(frame);
  // The socket is too old; on another one the same request is welcome.
  if (error?.code === CONNECTION_LIMIT)
    return { kind: 'connection', message: error.message, code: CONNECTION_LIMIT };
  const { status } = frame;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) return null;
  return httpFailure({ status, headers: headersIn(frame), body: JSON.stringify(frame), now });
}

function headersIn(frame: JsonObject): Headers {
  const told = objectAt(frame.error, 'headers') ?? objectAt(frame, 'headers') ?? {};
  const headers = new Headers();
  for (const name of ['retry-after', 'retry-after-ms', 'x-request-id']) {
    const value = stringAt(told, name);
    // What no header can hold is no header.
    if (value !== null && /^[\x20-\x7e]*$/u.test(value)) headers.set(name, value);
  }
  return headers;
}

/** An error of the socket itself. What breaks the rules of the protocol has a code of its own. */
export function socketFailure(error: Error, isAnswering: boolean): ProviderFailure {
  const failure = connectionFailure(error);
  if (failure.code?.startsWith('WS_ERR_') === true) {
    return { ...failure, kind: 'malformed_stream', message: `The stream is malformed: ${error.message}.` };
  }
  return isAnswering ? { ...failure, kind: 'stream_cut' } : failure;
}

/** Closes that speak of what was sent and not of the network. The same request is too large for any other socket too. */
const REFUSING_CLOSES: readonly number[] = [1002, 1003, 1007, 1009, 1010];
const CLOSED_AS = 'WS_CLOSE_';

export function closeFailure(code: number, reason: string, isAnswering: boolean): ProviderFailure {
  const why = reason === '' ? String(code) : `${code}: ${reason}`;
  return {
    kind: isAnswering ? 'stream_cut' : 'connection',
    message: `The socket was closed before the answer was complete (${why}).`,
    ...(REFUSING_CLOSES.includes(code) ? { code: `${CLOSED_AS}${code}` } : {}),
  };
}

export function malformedFrame(what: string): ProviderFailure {
  return { kind: 'malformed_stream', message: `The stream is malformed: ${what}.` };
}
