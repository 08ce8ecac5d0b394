import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Model, replyOf } from './answering.ts';
import { checkFields } from './create-fields.ts';
import { perform, receive, refusalOf } from './http-exchange.ts';
import { IssuedReasoning } from './issued-reasoning.ts';
import type { PromptCache } from './prompt-cache.ts';
import { BodyReader, modelOf, type ReceivedRequest } from './received-request.ts';
import { apiError, type Reply, type ServerEvent } from './reply.ts';
import type { Refusal } from './refusals.ts';
import { checkRequest } from './request-check.ts';
import { SocketExchange } from './socket-exchange.ts';

export type { ReceivedRequest } from './received-request.ts';

/**
 * A Responses API on loopback that does what its script says, over HTTP and over WebSocket, on one port and one path.
 * Clients meet real sockets. Requests that the API would refuse are refused, before they use up a line of the script.
 *
 * For a short exchange, give it a `script` of replies. For a long session, give it a `model`: a function from the request,
 * with its whole input, to an answer, or to a reply where no whole answer is to come. With a `cache`, the tokens of a
 * model's answers are what prompt caching would make of the prompts:
 *
 *     const server = await startResponsesServer({
 *       model: ({ input }, index) => (index % 2 === 0 ? { calls: [...] } : { text: `after ${input.length} items` }),
 *       cache: new PromptCache(),
 *     });
 */

export type Replier = (request: ReceivedRequest, index: number) => Reply | Promise<Reply>;

export interface ResponsesServerOptions {
  /** One entry an accepted request, in order. More requests than that are answered with a 500. */
  readonly script?: readonly (Reply | Replier)[];
  /** Instead of a script: answers every accepted request. */
  readonly handler?: Replier;
  /** Instead of both: says what to answer, and need not care how. */
  readonly model?: Model;
  /** Counts the tokens of a model's prompts. */
  readonly cache?: PromptCache;
  /** Unless it takes `any`, reasoning that this server did not think, or thought as another model, is refused. */
  readonly reasoning?: 'any' | 'issued';
  /** Null switches the checks off. */
  readonly check?: ((body: unknown) => Refusal | null) | null;
  /** What becomes of the nth request for a socket: null grants it. */
  readonly upgrade?: (index: number) => Reply | null;
  /** What a socket is told unasked, in one piece with the answer to its handshake. */
  readonly greeting?: ServerEvent;
  /** A server whose network has died answers no ping. */
  readonly pongs?: false;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface ResponsesServer {
  /** The base URL, as a setting would have it. */
  readonly url: string;
  /** All requests for a response so far, refused ones included. */
  readonly requests: readonly ReceivedRequest[];
  /** The nth request (from 0), as soon as it has wholly arrived. */
  request(index: number): Promise<ReceivedRequest>;
  /** How many connections were opened so far. */
  connections(): number;
  /** Sockets that were granted, in order. */
  readonly sockets: readonly SocketExchange[];
  /** How many were asked for. */
  upgrades(): number;
  close(): Promise<void>;
}

export async function startResponsesServer(options: ResponsesServerOptions): Promise<ResponsesServer> {
  const requests: ReceivedRequest[] = [];
  const sockets: SocketExchange[] = [];
  const links: Duplex[] = [];
  const waiting: { readonly index: number; readonly resolve: (request: ReceivedRequest) => void }[] = [];
  const failures: unknown[] = [];
  const issued = new IssuedReasoning();
  const reader = new BodyReader();
  const read = (raw: string): unknown => reader.read(raw);
  let accepted = 0;
  let connections = 0;
  let upgrades = 0;

  const check = (body: unknown): Refusal | null => {
    if (options.check === null) return null;
    const found = (options.check ?? checkRequest)(body);
    return found ?? (options.reasoning !== 'any' ? issued.check(body) : null);
  };
  const checkHttp = (body: unknown): Refusal | null =>
    options.check === undefined ? (checkFields(body, 'http') ?? check(body)) : check(body);

  const note = async (request: ReceivedRequest): Promise<Reply> => {
    requests.push(request);
    for (const one of waiting) if (one.index === requests.length - 1) one.resolve(request);
    const reply = await replyTo(request);
    if (reply.kind === 'answer') issued.note(reply.steps, modelOf(request.body));
    return reply;
  };
  const replyTo = async (request: ReceivedRequest): Promise<Reply> => {
    if (request.refusal !== null) return apiError(request.refusal.status, request.refusal.error);
    const index = accepted;
    accepted += 1;
    const { model, handler, cache = null } = options;
    if (model !== undefined) return replyOf(await model(request, index), { request, index, cache });
    if (handler !== undefined) return handler(request, index);
    const entry = options.script?.[index];
    if (entry === undefined) {
      const message = `The script has no reply for request ${index}.`;
      return apiError(500, { message, type: 'server_error', code: 'script_exhausted' });
    }
    return typeof entry === 'function' ? entry(request, index) : entry;
  };

  const listener = (incoming: http.IncomingMessage, outgoing: http.ServerResponse): void => {
    exchange(incoming, outgoing).catch((error: unknown) => {
      failures.push(error);
      outgoing.destroy();
    });
  };
  const exchange = async (incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> => {
    const request = await receive(incoming, outgoing, { read, check: checkHttp });
    if (request !== null) await perform(await note(request), outgoing);
  };

  const granting = new WebSocketServer({ noServer: true, autoPong: options.pongs ?? true });
  const onUpgrade = (incoming: http.IncomingMessage, link: Duplex, head: Buffer): void => {
    link.on('error', () => undefined);
    links.push(link);
    const index = upgrades;
    upgrades += 1;
    const wrong = refusalOf(incoming);
    const refused = wrong === null ? (options.upgrade?.(index) ?? null) : apiError(wrong.status, wrong.error);
    if (refused !== null) return refuseUpgrade(refused, incoming, link);
    link.cork();
    granting.handleUpgrade(incoming, link, head, (socket) => {
      const one = new SocketExchange(sockets.length, socket, incoming, { read, check, reply: note });
      sockets.push(one);
      if (options.greeting !== undefined) socket.send(JSON.stringify(options.greeting));
      link.uncork();
      socket.on('message', (data: Buffer) => {
        one.take(data.toString()).catch((error: unknown) => failures.push(error));
      });
    });
  };
  const refuseUpgrade = (reply: Reply, incoming: http.IncomingMessage, link: Duplex): void => {
    // Whoever is left without an answer closes the link.
    if (reply.kind === 'silence') return;
    if (reply.kind === 'drop') return void link.destroy();
    const outgoing = new http.ServerResponse(incoming);
    outgoing.assignSocket(link as never);
    outgoing.shouldKeepAlive = false;
    outgoing.once('finish', () => link.end());
    perform(reply, outgoing).catch((error: unknown) => failures.push(error));
  };

  const server =
    options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener);
  // A client that refuses our certificate is part of a test, not a failure of the server.
  server.on('tlsClientError', () => undefined);
  server.on('connection', () => {
    connections += 1;
  });
  server.on('upgrade', onUpgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    requests,
    sockets,
    async request(index) {
      const known = requests[index];
      if (known !== undefined) return known;
      return new Promise((resolve) => waiting.push({ index, resolve }));
    },
    connections: () => connections,
    upgrades: () => upgrades,
    async close() {
      const closed = once(server, 'close');
      for (const link of links) link.destroy();
      server.close();
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, 'the responses server failed');
    },
  };
}
