import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { requestBody, responseCreate } from '../../src/provider/request-body.ts';
import type { InputItem } from '../../src/runtime/replay/items.ts';
import type { Said } from '../support/responses-server/answering.ts';
import { apiError, events, HANG, stream } from '../support/responses-server/reply.ts';
import { PromptCache } from '../support/responses-server/prompt-cache.ts';
import { failedEvents } from '../support/responses-server/response-events.ts';
import type { ResponsesServer, ResponsesServerOptions } from '../support/responses-server/server.ts';
import { KEY, REQUEST } from './requests.ts';
import { serve } from './serving.ts';
import { followedBy, user } from './socket-serving.ts';

/** The rules of the server itself, as a client meets them that keeps none. */

const CREATE = responseCreate(requestBody(REQUEST), null);

class Client {
  private readonly ends: ((event: Record<string, unknown>) => void)[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as Record<string, unknown>;
      if (event['type'] === 'error' || event['type'] === 'response.completed') this.ends.shift()?.(event);
    });
  }

  static async to(server: ResponsesServer): Promise<Client> {
    const headers = { authorization: `Bearer ${KEY}` };
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/responses`, { headers });
    const client = new Client(socket);
    await once(socket, 'open');
    return client;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The last event of the answer. */
  ask(frame: unknown): Promise<Record<string, unknown>> {
    return new Promise((resolve) => {
      this.ends.push(resolve);
      this.send(frame);
    });
  }
}

async function client(options: ResponsesServerOptions): Promise<Client> {
  return Client.to(await serve(options));
}

const HELLO: ResponsesServerOptions = { model: () => ({ text: 'Hello.' }) };
const refused = (message: string, more: object = {}): object => ({
  type: 'error',
  status: 400,
  error: { message, ...more },
});

test.each<[string, unknown, string]>([
  ['text that is not JSON', '{', 'We could not parse the JSON body of your request.'],
  ['a frame of no type', { ...CREATE, type: undefined }, "Missing required parameter: 'type'."],
  ['another type', { ...CREATE, type: 'response.cancel' }, "Invalid type for 'type'."],
  ['a field that the SDK does not know', { ...CREATE, turbo: true }, "Unknown parameter: 'turbo'."],
  ['a field of another type', { ...CREATE, tools: 'all' }, "Invalid type for 'tools'."],
  ['a stream', { ...CREATE, stream: true }, "Unknown parameter: 'stream'."],
  ['work in the background', { ...CREATE, background: true }, "Unknown parameter: 'background'."],
  ['a rule of HTTP', { ...CREATE, store: true }, 'store must be false'],
])('a socket refuses %s', async (_name, frame, message) => {
  expect(await (await client(HELLO)).ask(frame)).toMatchObject(refused(message));
});

test('HTTP refuses what only a socket has', async () => {
  const server = await serve(HELLO);
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...requestBody(REQUEST), generate: true });
  const answer = await fetch(`${server.url}/responses`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ error: { message: "Unknown parameter: 'generate'." } });
});

const CALL: InputItem = { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' };
const RESULT: InputItem = { type: 'function_call_output', call_id: 'c1', output: 'x' };
const SAID: InputItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hm.' }],
};
const MINE = thought('thought-0-of-test-model', 'rs_9');

test.each<[string, readonly InputItem[], string]>([
  ['a call without an output', [CALL], 'No tool output found for function call c1.'],
  ['an output without a call', [RESULT], 'No tool call found for function call output with call_id c1.'],
  [
    'reasoning that nothing follows',
    [MINE, user('And?')],
    "Item 'rs_9' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'foreign reasoning',
    [thought('made-up', 'rs_9'), SAID],
    'The encrypted content for item rs_9 could not be verified.',
  ],
  [
    'one id twice',
    [MINE, SAID, MINE, SAID],
    'Duplicate item found with id rs_9. Remove duplicate items from your input and try again.',
  ],
  ['one call id twice', [CALL, RESULT, CALL, RESULT], 'Duplicate function call with call_id c1.'],
])('%s is refused over HTTP, over a socket and in a continuation', async (_name, wrong, message) => {
  const server = await serve({ model: () => ({ reasoning: {}, text: 'Hm.' }) });
  const socket = await Client.to(server);
  await socket.ask(CREATE);
  const error = expect.objectContaining({ message, type: 'invalid_request_error' });
  const next = { ...CREATE, previous_response_id: 'resp_0', input: wrong };
  expect(await socket.ask(next)).toMatchObject({ type: 'error', status: 400, error });
  const input = [...REQUEST.input, ...wrong];
  expect(await socket.ask({ ...CREATE, input })).toMatchObject({ type: 'error', status: 400, error });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...requestBody(REQUEST), input });
  const answer = await fetch(`${server.url}/responses`, { method: 'POST', headers, body });
  expect([answer.status, await answer.json()]).toEqual([400, { error }]);
});

test('a socket remembers its last response, alone and only as long as nothing fails', async () => {
  const server = await serve(HELLO);
  const one = await Client.to(server);
  const next = { ...CREATE, previous_response_id: 'resp_0', input: [user('And?')] };
  const notFound = refused("Previous response with id 'resp_0' not found.", {
    code: 'previous_response_not_found',
  });
  expect(await one.ask(CREATE)).toMatchObject({ response: { id: 'resp_0' } });
  expect(await (await Client.to(server)).ask(next)).toMatchObject(notFound);
  expect(await one.ask(next)).toMatchObject({ response: { id: 'resp_1' } });
  expect(server.requests.at(-1)?.input).toHaveLength(REQUEST.input.length + 2);
  expect(await one.ask(next)).toMatchObject(notFound);
  const after = { ...next, previous_response_id: 'resp_1' };
  expect(await one.ask(after)).toMatchObject(refused("Previous response with id 'resp_1' not found."));
});

test('what is remembered counts when the rules are checked', async () => {
  const one = await client({ model: () => ({ calls: [{ call_id: 'c1', name: 'read_file', args: {} }] }) });
  await one.ask(CREATE);
  const next = { ...CREATE, previous_response_id: 'resp_0', input: [user('And?')] };
  expect(await one.ask(next)).toMatchObject(refused('No tool output found for function call c1.'));
});

test('one response at a time', async () => {
  const one = await client({ script: [stream([HANG])] });
  one.send(CREATE);
  expect(await one.ask(CREATE)).toMatchObject(
    refused('Another response is still in progress on this connection.'),
  );
});

function thought(encrypted_content: string, id = 'rs_0'): InputItem {
  return { type: 'reasoning', id, summary: [], encrypted_content };
}

test('reasoning of another server or of another model is refused', async () => {
  const one = await client({ model: () => ({ reasoning: {}, text: 'Hm.' }) });
  await one.ask(CREATE);
  const said = followedBy(REQUEST, 'Hm.', 'And?').input.slice(-2);
  const withThought = (content: string): object => ({
    ...CREATE,
    input: [...REQUEST.input, thought(content), ...said],
  });
  const foreign = refused('The encrypted content for item rs_0 could not be verified.', {
    code: 'invalid_encrypted_content',
  });
  expect(await one.ask(withThought('made-up'))).toMatchObject(foreign);
  expect(await one.ask({ ...withThought('thought-0-of-test-model'), model: 'other' })).toMatchObject(foreign);
  expect(await one.ask(withThought('thought-0-of-test-model'))).toMatchObject({ type: 'response.completed' });
});

test('a model that answers by itself has its tokens counted by the cache', async () => {
  const one = await client({ ...HELLO, cache: new PromptCache() });
  const long = { ...CREATE, instructions: 'x'.repeat(8_192) };
  const usage = async (frame: unknown): Promise<unknown> => {
    const { response } = await one.ask(frame);
    return (response as Record<string, unknown>)['usage'];
  };
  const first = (await usage(long)) as { input_tokens: number };
  expect(first).toMatchObject({ input_tokens_details: { cached_tokens: 0 } });
  const next = { ...long, previous_response_id: 'resp_0', input: [user('And?')] };
  const steps = Math.floor(first.input_tokens / 128) * 128;
  expect(await usage(next)).toMatchObject({ input_tokens_details: { cached_tokens: steps } });
});

const BROKEN = events(failedEvents({ text: 'Hel' }, { code: 'server_error', message: 'Gone.' }));

test.each([
  ['refuses has not read its prompt', apiError(503, { message: 'Overloaded.' }), 0],
  ['begins to answer has read it, also where the end never comes', stream([BROKEN]), 2_048],
])('a model that %s', async (_name, reply, cached) => {
  const model = (_request: unknown, index: number): Said => (index === 0 ? reply : { text: 'Hello.' });
  const server = await serve({ model, cache: new PromptCache() });
  const body = JSON.stringify({ ...requestBody(REQUEST), instructions: 'x'.repeat(8_192) });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const post = async (): Promise<string> =>
    (await fetch(`${server.url}/responses`, { method: 'POST', headers, body })).text();
  await post();
  expect(await post()).toContain(`"cached_tokens":${cached}}`);
});
