import type { ResponseOutputText } from 'openai/resources/responses/responses';
import { expect, test, vi } from 'vitest';
import { requestBody } from '../../src/provider/request-body.ts';
import { apiError, streamOf } from '../support/responses-server/reply.ts';
import { itemEvents } from '../support/responses-server/response-events.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { collect, KEY, REQUEST } from './requests.ts';
import { continuations, failureIn, followedBy, sentAs, socketBench, user } from './socket-serving.ts';

const TOKENS = { input: 100, cached: 40, output: 20, reasoning: 8, total: 120 };
const SECOND = followedBy(REQUEST, 'Hello.', 'And?');

test('a response over a socket is the same as over server-sent events', async () => {
  const answer = {
    id: 'resp_7',
    reasoning: { id: 'rs_9', summary: ['First.', 'Second.'], encrypted_content: 'gAAAA==' },
    text: ['Grüße ', '🦊'],
    calls: [{ call_id: 'call_1', name: 'read_file', args: '{"path": "a.ts"}' }],
  };
  const script = [responds(answer), responds(answer)];
  const bench = await socketBench({ script });
  const overSocket = await collect(bench.provider);
  const overHttp = await collect(bench.again({ transport: 'sse' }));
  expect(overSocket[0]).toEqual({
    kind: 'sent',
    transport: 'websocket',
    continuation: { attempted: false, used: false, reset_reason: 'no_previous_response' },
  });
  expect(overSocket.slice(1)).toEqual(overHttp);
  expect(overHttp.at(-1)).toMatchObject({ kind: 'completed', response_id: 'resp_7', tokens: TOKENS });
  expect(bench.server.requests.map(({ transport }) => transport)).toEqual(['websocket', 'http']);
});

test('the frame holds the body without its stream, and the handshake the key and no trace of the machine', async () => {
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-evil: 1');
  vi.stubEnv('OPENAI_ORG_ID', 'another');
  const bench = await socketBench({ script: [responds({ text: 'ok' })] });
  await bench.ask();
  vi.unstubAllEnvs();
  const { stream: _implied, ...body } = requestBody(REQUEST);
  expect(bench.server.requests[0]?.raw).toBe(JSON.stringify({ type: 'response.create', ...body }));
  expect({ ...bench.server.requests[0]?.headers, host: '', 'sec-websocket-key': '' }).toEqual({
    authorization: `Bearer ${KEY}`,
    connection: 'Upgrade',
    host: '',
    'sec-websocket-key': '',
    'sec-websocket-version': '13',
    upgrade: 'websocket',
    'user-agent': 'ledgerline',
  });
});

test('a request that extends the last one goes out as its continuation, with what is new', async () => {
  const bench = await socketBench({
    script: [
      responds({ id: 'resp_a', text: 'Hello.' }),
      responds({ id: 'resp_b', calls: [{ call_id: 'c1', name: 'read_file', args: '{}' }] }),
      responds({ id: 'resp_c', text: 'Done.' }),
    ],
  });
  await bench.ask();
  const second = await bench.ask(SECOND, bench.again());
  expect(continuations(second)).toEqual([
    { attempted: true, used: false, reset_reason: 'unanswered' },
    { attempted: true, used: true, reset_reason: null },
  ]);
  const third = await bench.ask({
    ...SECOND,
    input: [
      ...SECOND.input,
      { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
    ],
  });
  expect(sentAs(third)).toEqual(['websocket', 'continued', null]);
  expect(bench.server.requests.map(({ body }) => body)).toMatchObject([
    { input: REQUEST.input },
    { previous_response_id: 'resp_a', input: [user('And?')] },
    {
      previous_response_id: 'resp_b',
      input: [{ type: 'function_call_output', call_id: 'c1', output: 'x' }],
    },
  ]);
  expect(bench.server.requests[2]?.input).toHaveLength(6);
  expect(bench.server.sockets).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['another model', { model: 'test-model-2' }, 'model_changed'],
  ['other instructions', { instructions: 'Be long.' }, 'instructions_changed'],
  ['other tools', { tools: [] }, 'tools_changed'],
  ['another effort', { reasoning_effort: null }, 'settings_changed'],
  ['another beginning', { input: [user('Anew')] }, 'input_changed'],
])('%s is a reset with its reason, on the same socket', async (_name, change, reason) => {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  await bench.ask();
  const second = await bench.ask({ ...SECOND, ...change });
  expect(sentAs(second)).toEqual(['websocket', 'whole', reason]);
  expect(bench.server.requests[1]?.body).not.toHaveProperty('previous_response_id');
  expect(bench.server.sockets).toHaveLength(1);
  expect(second.at(-1)).toMatchObject({ kind: 'completed' });
});

test('an answer that is not sent back whole is not continued', async () => {
  const bench = await socketBench({
    model: () => ({ text: '', calls: [{ call_id: 'c', name: 'x', args: {} }] }),
  });
  await bench.ask();
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'output_not_replayed']);
});

function part(text: string): ResponseOutputText {
  return { type: 'output_text', text, annotations: [] };
}

test('a message in several parts, which goes back as one, is not continued', async () => {
  const inParts = itemEvents({ id: 'resp_a' }, [
    {
      id: 'msg_0',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [part('Hel'), part('lo.')],
    },
  ]);
  const bench = await socketBench({
    script: [streamOf(inParts), responds({ text: 'Done.' })],
  });
  expect((await bench.ask()).at(-1)).toMatchObject({ items: [{ text: 'Hello.' }] });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'output_not_replayed']);
  expect(bench.server.requests[1]?.input).toEqual(SECOND.input);
});

test('another endpoint and another key have a socket of their own', async () => {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  await bench.ask();
  const elsewhere = bench.again({ baseUrl: `${bench.server.url}?api-version=2` });
  expect(sentAs(await bench.ask(SECOND, elsewhere))).toEqual(['websocket', 'whole', 'endpoint_changed']);
  expect(await bench.server.sockets[0]?.closed).toBe(1000);
  const other = bench.again({
    baseUrl: `${bench.server.url}?api-version=2`,
    apiKey: 'sk-another-0123456789',
  });
  const third = followedBy(SECOND, 'Hello.', 'More?');
  expect(sentAs(await bench.ask(third, other))).toEqual(['websocket', 'whole', 'new_connection']);
  expect(bench.server.sockets.map(({ upgrade }) => upgrade.headers.authorization)).toEqual([
    `Bearer ${KEY}`,
    `Bearer ${KEY}`,
    'Bearer sk-another-0123456789',
  ]);
});

test('a response that the provider no longer has is asked for again with the whole input', async () => {
  const bench = await socketBench({
    script: [
      responds({ id: 'resp_a', text: 'Hello.' }),
      apiError(400, { code: 'previous_response_not_found', message: 'Not found.' }),
      responds({ id: 'resp_b', text: 'Again.' }),
      responds({ id: 'resp_c', text: 'And on.' }),
    ],
  });
  await bench.ask();
  const lost = await bench.ask(SECOND);
  expect(sentAs(lost)).toEqual(['websocket', 'tried', 'unanswered']);
  expect(failureIn(lost)).toEqual({
    kind: 'invalid_request',
    message: 'HTTP 400: Not found.',
    status: 400,
    code: 'previous_response_not_found',
    again: 'full_input',
  });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'tried', 'previous_response_not_found']);
  const third = followedBy(SECOND, 'Again.', 'And?');
  expect(sentAs(await bench.ask(third))).toEqual(['websocket', 'continued', null]);
  expect(bench.server.sockets).toHaveLength(1);
});

test('a server that does not find what nobody named has failed, and is not asked once more', async () => {
  const gone = apiError(400, { code: 'previous_response_not_found', message: 'Not found.' });
  const hello = responds({ id: 'resp_a', text: 'Hello.' });
  const bench = await socketBench({ script: [hello, gone, gone, hello] });
  await bench.ask();
  expect(failureIn(await bench.ask(SECOND))).toMatchObject({ again: 'full_input' });
  expect(failureIn(await bench.ask(SECOND))).toEqual({
    kind: 'invalid_request',
    message: 'HTTP 400: Not found.',
    status: 400,
    code: 'previous_response_not_found',
  });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'previous_response_failed']);
});

test('a response without a name, or with an empty one, is not continued', async () => {
  const bench = await socketBench({ script: ['', 'resp_b'].map((id) => responds({ id })) });
  expect((await bench.ask()).at(-1)).toMatchObject({ kind: 'completed', response_id: null });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'no_previous_response']);
});

test('the server forgets what a failed request continued, and so does the session', async () => {
  const bench = await socketBench({
    script: [
      responds({ id: 'resp_a', text: 'Hello.' }),
      apiError(429, { code: 'rate_limit_exceeded', message: 'Slow down.' }, { 'retry-after-ms': '1500' }),
      responds({ id: 'resp_b', text: 'Now.' }),
    ],
  });
  await bench.ask();
  expect(failureIn(await bench.ask(SECOND))).toEqual({
    kind: 'rate_limited',
    message: 'HTTP 429: Slow down.',
    status: 429,
    code: 'rate_limit_exceeded',
    retry_after_ms: 1500,
  });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(bench.server.sockets).toHaveLength(1);
});

test('a call beside the conversation goes over HTTP and disturbs nothing', async () => {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  await bench.ask();
  const beside = await bench.ask({ ...SECOND, input: [user('Sum up.')], purpose: 'compaction' });
  expect(sentAs(beside)).toBeNull();
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'continued', null]);
  expect(bench.server.requests.map(({ transport }) => transport)).toEqual(['websocket', 'http', 'websocket']);
});

test('without a connection, with the setting for it, or on an endpoint that nobody knows, there is no socket', async () => {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  for (const provider of [bench.again({ transport: 'sse' }), bench.again({ transport: 'auto' })])
    expect(sentAs(await bench.ask(REQUEST, provider))).toBeNull();
  expect(bench.server.upgrades()).toBe(0);
});
