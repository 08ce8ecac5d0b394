import { onTestFinished } from 'vitest';
import type { OpenAiProviderOptions } from '../../src/provider/openai-provider.ts';
import { SessionConnection } from '../../src/provider/session-connection.ts';
import type { Continuation } from '../../src/runtime/context-events.ts';
import type { ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';
import type { InputItem } from '../../src/runtime/replay/items.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import type { ResponsesServer, ResponsesServerOptions } from '../support/responses-server/server.ts';
import { HandTimers } from './hand-timers.ts';
import { collect, providerAt, REQUEST } from './requests.ts';
import { serve } from './serving.ts';

/** A session of a provider over a socket, with a server of its own and time that passes by hand. */
export interface SocketBench {
  readonly server: ResponsesServer;
  readonly connection: SessionConnection;
  readonly timers: HandTimers;
  readonly provider: Provider;
  /** Another provider of the same session, as each run makes one. */
  again(options?: Partial<OpenAiProviderOptions>): Provider;
  /** The events of a request, without its signs of life. */
  ask(request?: ModelRequest, provider?: Provider): Promise<readonly ProviderEvent[]>;
}

export async function socketBench(
  options: ResponsesServerOptions,
  given: Partial<OpenAiProviderOptions> = {},
): Promise<SocketBench> {
  const server = await serve(options);
  const timers = new HandTimers();
  const connection = new SessionConnection(timers);
  onTestFinished(() => connection.close());
  const again: SocketBench['again'] = (more = {}) =>
    providerAt(server.url, { connection, transport: 'websocket', ...given, ...more });
  const provider = again();
  return {
    server,
    connection,
    timers,
    provider,
    again,
    async ask(request = REQUEST, asked = provider) {
      return (await collect(asked, request)).filter(({ kind }) => kind !== 'activity');
    },
  };
}

export function user(text: string): InputItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** The request after this one: all it had, the words it was answered with, and a question. */
export function followedBy(request: ModelRequest, words: string, question: string): ModelRequest {
  const said: InputItem = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: words }],
  };
  return { ...request, input: [...request.input, said, user(question)] };
}

export function continuations(events: readonly ProviderEvent[]): readonly Continuation[] {
  return events.flatMap((event) => (event.kind === 'sent' ? [event.continuation] : []));
}

/** How the request went out in the end. */
export function sentAs(events: readonly ProviderEvent[]): unknown {
  const last = events.findLast((event) => event.kind === 'sent');
  if (last?.kind !== 'sent') return null;
  const { attempted, used, reset_reason } = last.continuation;
  return [last.transport, attempted ? (used ? 'continued' : 'tried') : 'whole', reset_reason];
}

export function failureIn(events: readonly ProviderEvent[]): unknown {
  const last = events.at(-1);
  return last?.kind === 'failed' ? last.failure : last?.kind;
}

export function named(id: string, answer: Answer): Answer {
  return { id, ...answer };
}
