import type http from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { ResponsesServerEvent } from 'openai/resources/responses/responses';
import type { WebSocket } from 'ws';
import { unreachable } from '../../../src/runtime/unreachable.ts';
import { checkFields } from './create-fields.ts';
import { listAt, parsed, type ReceivedRequest, textAt } from './received-request.ts';
import type { ApiErrorBody, Reply } from './reply.ts';
import { isObject, type Refusal, refusal } from './refusals.ts';

/** What the server does with what comes over a socket. */
export interface SocketDesk {
  read(raw: string): unknown;
  /** As if it had come whole, over HTTP. */
  check(body: unknown): Refusal | null;
  reply(request: ReceivedRequest): Promise<Reply>;
}

interface Remembered {
  readonly id: string;
  readonly input: readonly unknown[];
}

/**
 * One socket of the API. It remembers the last response, for itself alone and only as long as nothing fails, and takes one
 * request at a time.
 */
export class SocketExchange {
  private remembered: Remembered | null = null;
  private isAnswering = false;
  /** Resolves when it is closed, with the code that the client gave (1006: none). */
  readonly closed: Promise<number>;

  constructor(
    readonly index: number,
    readonly socket: WebSocket,
    readonly upgrade: http.IncomingMessage,
    private readonly desk: SocketDesk,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** A frame, as text. */
  async take(frame: string): Promise<void> {
    const isSecond = this.isAnswering;
    this.isAnswering = true;
    const over = Promise.withResolvers<void>();
    const request = this.received(frame, { isSecond, over: over.promise });
    const isWhole = await this.perform(await this.desk.reply(request), request.input);
    if (!isWhole) this.remembered = null;
    this.isAnswering = isSecond;
    over.resolve();
  }

  private received(
    raw: string,
    { isSecond, over }: { readonly isSecond: boolean; readonly over: Promise<void> },
  ): ReceivedRequest {
    const { url: path = '', headers } = this.upgrade;
    const body = this.desk.read(raw);
    const busy = 'Another response is still in progress on this connection.';
    const read = isSecond ? { input: [], refusal: refusal(busy, null) } : this.resolved(body);
    const closed = Promise.race([
      this.closed.then(() => 'client_closed' as const),
      over.then(() => (this.isOpen ? ('answered' as const) : ('client_closed' as const))),
    ]);
    const from = { transport: 'websocket', socket: this.index, method: 'WS' } as const;
    return { ...from, path, headers, raw, body, ...read, closed };
  }

  private resolved(body: unknown): { readonly input: readonly unknown[]; readonly refusal: Refusal | null } {
    const given = listAt(body, 'input');
    const wrong = checkFields(body, 'websocket');
    if (wrong !== null || !isObject(body)) return { input: given, refusal: wrong };
    const { type: _type, previous_response_id: previous, ...rest } = body;
    if (typeof previous === 'string' && previous !== this.remembered?.id) {
      const message = `Previous response with id '${previous}' not found.`;
      return {
        input: given,
        refusal: refusal(message, 'previous_response_id', 'previous_response_not_found'),
      };
    }
    const input = typeof previous === 'string' ? [...(this.remembered?.input ?? []), ...given] : [...given];
    return { input, refusal: this.desk.check({ ...rest, input, stream: true }) };
  }

  /** False when it failed, or nobody was there any more: then nothing is remembered. */
  private async perform(reply: Reply, input: readonly unknown[]): Promise<boolean> {
    switch (reply.kind) {
      case 'drop':
        this.socket.terminate();
        return false;
      case 'silence':
        await this.closed;
        return false;
      case 'answer':
        break;
      default:
        unreachable(reply);
    }
    if (reply.status !== 200) {
      const [step] = reply.steps;
      const body = step?.kind === 'bytes' ? parsed(step.bytes.toString()) : null;
      this.send(errorFrame(reply, body));
      return false;
    }
    let isWhole = false;
    for (const step of reply.steps) {
      if (!this.isOpen) return false;
      switch (step.kind) {
        case 'events':
          for (const event of step.list) {
            isWhole = this.remember(event, input) || isWhole;
            this.send(event);
          }
          await setImmediate();
          break;
        case 'bytes':
          this.socket.send(step.bytes);
          await setImmediate();
          break;
        case 'wait':
          await Promise.race([step.until, this.closed]);
          break;
        case 'hang':
          await this.closed;
          return false;
        case 'cut':
          this.socket.terminate();
          return false;
        default:
          unreachable(step);
      }
    }
    return isWhole;
  }

  private remember(event: unknown, input: readonly unknown[]): boolean {
    if (!isObject(event) || event.type !== 'response.completed') return false;
    const { response } = event;
    this.remembered = {
      id: textAt(response, 'id'),
      input: [...input, ...listAt(response, 'output')],
    };
    return true;
  }

  private send(event: unknown): void {
    if (this.isOpen) this.socket.send(JSON.stringify(event));
  }
}

/** The headers of an HTTP answer are in the error, as far as they say something about it. */
function errorFrame(
  { status, headers }: Extract<Reply, { kind: 'answer' }>,
  body: unknown,
): ResponsesServerEvent.ResponseWsError {
  const error = isObject(body) && isObject(body.error) ? (body.error as unknown as ApiErrorBody) : null;
  const said = error ?? { message: 'An error', type: 'server_error', param: null, code: null };
  return { type: 'error', status, error: { ...said, headers: { ...headers } } };
}
