import type { EventEmitter } from 'node:events';
import type http from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { unreachable } from '../../../src/runtime/unreachable.ts';
import { listAt, type ReceivedRequest } from './received-request.ts';
import type { Reply } from './reply.ts';
import type { Refusal } from './refusals.ts';
import { encodeEvents } from './sse-encoding.ts';

export interface HttpDesk {
  readonly read: (raw: string) => unknown;
  readonly check: (body: unknown) => Refusal | null;
}

/** Null when the client went away before it had sent everything. */
export async function receive(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  { read, check }: HttpDesk,
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
  const body = read(raw);
  const path = incoming.url ?? '';
  const method = incoming.method ?? '';
  const { headers } = incoming;
  const refusal = (method === 'POST' ? refusalOf(incoming) : notThere(incoming)) ?? check(body);
  const input = listAt(body, 'input');
  return { transport: 'http', socket: null, method, path, headers, raw, body, input, refusal, closed };
}

const ERROR = { type: 'invalid_request_error', param: null, code: null };

/** Whatever the method: a path that there is, and a key. */
export function refusalOf(request: http.IncomingMessage): Refusal | null {
  if (request.url?.split('?')[0] !== '/v1/responses') return notThere(request);
  if (!/^Bearer \S+$/u.test(request.headers.authorization ?? '')) {
    return { status: 401, error: { ...ERROR, message: "You didn't provide an API key." } };
  }
  return null;
}

function notThere({ method, url }: http.IncomingMessage): Refusal {
  return { status: 404, error: { ...ERROR, message: `Invalid URL (${method} ${url})` } };
}

export async function perform(reply: Reply, outgoing: http.ServerResponse): Promise<void> {
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
  const write = async (content: Uint8Array | string): Promise<void> => {
    if (!outgoing.write(content)) await Promise.race([emitted(outgoing, 'drain'), gone]);
    // Lets the bytes leave by themselves, so that the next ones are another chunk.
    await setImmediate();
  };
  outgoing.socket?.setNoDelay(true);
  outgoing.writeHead(reply.status, reply.headers);
  outgoing.flushHeaders();
  for (const step of reply.steps) {
    if (outgoing.destroyed) return;
    switch (step.kind) {
      case 'events':
        await write(encodeEvents(step.list, step.style));
        break;
      case 'bytes':
        await write(step.bytes);
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
export function emitted(emitter: EventEmitter, name: string): Promise<void> {
  return new Promise((resolve) => emitter.once(name, () => resolve()));
}
