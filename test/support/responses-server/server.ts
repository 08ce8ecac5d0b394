import { type EventEmitter, once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { unreachable } from '../../../src/runtime/unreachable.ts';
import { apiError, type Reply } from './reply.ts';
import { checkRequest, type Refusal } from './request-check.ts';

/**
 * A Responses API on loopback that does what its script says. It is a real HTTP server: clients meet real
 * sockets. Requests that the API would refuse are refused, before they use up a line of the script.
 */

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The body as it was sent, and as JSON (null when it is none). */
  readonly raw: string;
  readonly body: unknown;
  /** Why it was refused, if it was. */
  readonly refusal: Refusal | null;
  /** Resolves when the exchange is over: answered, or the client closed the connection. */
  readonly closed: Promise<'answered' | 'client_closed'>;
}

export type Replier = (request: ReceivedRequest, index: number) => Reply | Promise<Reply>;

export interface ResponsesServerOptions {
  /** One entry an accepted request, in order. More requests than that are answered with a 500. */
  readonly script?: readonly (Reply | Replier)[];
  /** Instead of a script: answers every accepted request. */
  readonly handler?: Replier;
  /** Null switches the checks off. */
  readonly check?: ((body: unknown) => Refusal | null) | null;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface ResponsesServer {
  /** The base URL, as a setting would have it. */
  readonly url: string;
  /** All requests so far, refused ones included. */
  readonly requests: readonly ReceivedRequest[];
  /** The nth request (from 0), as soon as it has wholly arrived. */
  request(index: number): Promise<ReceivedRequest>;
  /** How many connections were opened so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startResponsesServer(options: ResponsesServerOptions): Promise<ResponsesServer> {
  const requests: ReceivedRequest[] = [];
  const waiting: { readonly index: number; readonly resolve: (request: ReceivedRequest) => void }[] = [];
  const failures: unknown[] = [];
  let accepted = 0;
  let connections = 0;

  const listener = (incoming: http.IncomingMessage, outgoing: http.ServerResponse): void => {
    exchange(incoming, outgoing).catch((error: unknown) => {
      failures.push(error);
      outgoing.destroy();
    });
  };
  const exchange = async (incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> => {
    const request = await receive(incoming, outgoing, options.check);
    if (request === null) return;
    requests.push(request);
    for (const one of waiting) if (one.index === requests.length - 1) one.resolve(request);
    await perform(await replyTo(request), outgoing);
  };
  const replyTo = async (request: ReceivedRequest): Promise<Reply> => {
    if (request.refusal !== null) return apiError(request.refusal.status, request.refusal.error);
    const index = accepted;
    accepted += 1;
    if (options.handler !== undefined) return options.handler(request, index);
    const entry = options.script?.[index];
    if (entry === undefined) {
      const message = `The script has no reply for request ${index}.`;
      return apiError(500, { message, type: 'server_error', code: 'script_exhausted' });
    }
    return typeof entry === 'function' ? entry(request, index) : entry;
  };

  const server =
    options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener);
  // A client that refuses our certificate is part of a test, not a failure of the server.
  server.on('tlsClientError', () => undefined);
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    requests,
    async request(index) {
      const known = requests[index];
      if (known !== undefined) return known;
      return new Promise((resolve) => waiting.push({ index, resolve }));
    },
    connections: () => connections,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, 'the responses server failed');
    },
  };
}

/** Null when the client went away before it had sent everything. */
async function receive(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  check: ResponsesServerOptions['check'],
): Promise<ReceivedRequest | null> {
  const closed = emitted(outgoing, 'close').then(() =>
    outgoing.writableFinished ? ('answered' as const) : ('client_closed' as const),
  );
  outgoing.on('error', () => undefined);
  const pieces: Buffer[] = [];
  incoming.on('data', (piece: Buffer) => pieces.push(piece));
  const whole = await Promise.race([emitted(incoming, 'end').then(() => true), closed.then(() => false)]);
  if (!whole) return null;
  const raw = Buffer.concat(pieces).toString('utf8');
  const body = parsed(raw);
  const path = incoming.url ?? '';
  const method = incoming.method ?? '';
  const { headers } = incoming;
  const refusal =
    refusalOf({ method, path, headers }) ?? (check === null ? null : (check ?? checkRequest)(body));
  return { method, path, headers, raw, body, refusal, closed };
}

function refusalOf(request: Pick<ReceivedRequest, 'method' | 'path' | 'headers'>): Refusal | null {
  const error = { type: 'invalid_request_error', param: null, code: null };
  if (request.method !== 'POST' || request.path.split('?')[0] !== '/v1/responses') {
    return { status: 404, error: { ...error, message: `Invalid URL (${request.method} ${request.path})` } };
  }
  if (!/^Bearer \S+$/u.test(request.headers.authorization ?? '')) {
    return { status: 401, error: { ...error, message: "You didn't provide an API key." } };
  }
  return null;
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function perform(reply: Reply, outgoing: http.ServerResponse): Promise<void> {
  const gone = outgoing.destroyed ? Promise.resolve() : emitted(outgoing, 'close');
  switch (reply.kind) {
    case 'drop':
      outgoing.destroy();
      return;
    case 'silence':
      await gone;
      return;
    case 'answer':
      break;
    default:
      unreachable(reply);
  }
  outgoing.socket?.setNoDelay(true);
  outgoing.writeHead(reply.status, reply.headers);
  outgoing.flushHeaders();
  for (const step of reply.steps) {
    if (outgoing.destroyed) return;
    switch (step.kind) {
      case 'bytes':
        if (!outgoing.write(step.bytes)) await Promise.race([emitted(outgoing, 'drain'), gone]);
        // Lets the bytes leave by themselves, so that the next ones are another chunk.
        await setImmediate();
        break;
      case 'wait':
        await Promise.race([step.until, gone]);
        break;
      case 'hang':
        await gone;
        return;
      case 'cut':
        outgoing.destroy();
        return;
      default:
        unreachable(step);
    }
  }
  outgoing.end();
}

/** Unlike `once` of node:events it does not reject on errors: a client that breaks off is no failure here. */
function emitted(emitter: EventEmitter, name: string): Promise<void> {
  return new Promise((resolve) => emitter.once(name, () => resolve()));
}
