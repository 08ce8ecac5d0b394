import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ResponsesWS } from 'openai/resources/responses/ws';
import { headOf } from './error-body.ts';
import { httpFailure } from './failures.ts';
import { headersOf, webStream } from './http-transport.ts';
import { sdkClient } from './sdk-client.ts';
import { refusalOf, refusedBy, SocketRefused } from './socket-failures.ts';
import type { SocketTimers } from './socket-timers.ts';

/** How long a server may think about changing protocols. Some never answer. */
const HANDSHAKE_MS = 15_000;

export interface Handshake {
  readonly url: string;
  readonly apiKey: string;
  readonly maxFrame: number;
  readonly errorBodyMs: number;
  readonly timers: SocketTimers;
}

export interface OpenedSocket {
  readonly sdk: ResponsesWS;
  /** What keeps a program alive, and need not. */
  readonly link: Socket | null;
}

/** A socket of the SDK that is open, and not read from yet. Rejects with `SocketRefused`, or because it was aborted. */
export async function openSocket(call: Handshake, signal: AbortSignal): Promise<OpenedSocket> {
  const { url, apiKey, maxFrame } = call;
  const [client, { ResponsesWS }] = await Promise.all([
    sdkClient({ apiKey, baseURL: url }),
    import('openai/resources/responses/ws'),
  ]);
  signal.throwIfAborted();
  const sdk = new ResponsesWS(client, {
    maxPayload: maxFrame,
    headers: { 'user-agent': 'ledgerline' },
    finishRequest: sendPlain,
  });
  // Without anybody who listens, the SDK makes an unhandled rejection of every error, the last one included.
  sdk.on('error', () => undefined);
  const socket = sdk.socket.platformSocket;
  const found: { link: Socket | null } = { link: null };
  socket.once('upgrade', (response) => {
    found.link = response.socket;
  });
  try {
    await opened(socket, call, signal);
  } catch (error) {
    socket.terminate();
    throw error;
  }
  return { sdk, link: found.link };
}

const HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'host',
  'sec-websocket-key',
  'sec-websocket-version',
  'upgrade',
  'user-agent',
]);

/** As over HTTP: what an environment variable would add, another key included, is not sent. */
function sendPlain(request: ClientRequest): void {
  for (const name of request.getHeaderNames()) if (!HEADERS.has(name)) request.removeHeader(name);
  request.end();
}

type PlatformSocket = ResponsesWS['socket']['platformSocket'];

function opened(socket: PlatformSocket, call: Handshake, signal: AbortSignal): Promise<void> {
  const ends: (() => void)[] = [];
  const opening = new Promise<void>((resolve, reject) => {
    const abort = (): void => reject(new DOMException('The request was aborted.', 'AbortError'));
    const late = (): void =>
      reject(refusedBy(new Error('The server did not answer the request for a socket.')));
    signal.addEventListener('abort', abort, { once: true });
    ends.push(() => signal.removeEventListener('abort', abort), call.timers.after(HANDSHAKE_MS, late));
    socket.once('open', () => {
      // What comes together with the handshake is read by the first exchange, not by nobody.
      socket.pause();
      resolve();
    });
    socket.once('error', (error) => reject(refusedBy(error)));
    socket.once('unexpected-response', (_request, response) => {
      refused(response, call).then(reject, reject);
    });
  });
  return opening.finally(() => {
    for (const end of ends) end();
  });
}

async function refused(response: IncomingMessage, call: Handshake): Promise<SocketRefused> {
  const status = response.statusCode ?? 0;
  const stream = webStream(response, () => response.destroy());
  const body = await headOf(stream, call.errorBodyMs);
  const failure = httpFailure({ status, headers: headersOf(response), body, now: call.timers.now() });
  return new SocketRefused(refusalOf(status, body), failure);
}
