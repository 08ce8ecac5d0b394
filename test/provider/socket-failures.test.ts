import { expect, test } from 'vitest';
import { SessionConnection } from '../../src/provider/session-connection.ts';
import {
  answer,
  apiError,
  bytes,
  CUT,
  events,
  HANG,
  oddStreamOf,
  type Reply,
  stream,
  streamOf,
} from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { SELF_SIGNED } from '../support/responses-server/self-signed-certificate.ts';
import { breaksOff, endsEarly, failsWith, responds } from '../support/responses-server/whole-replies.ts';
import { collect, KEY, providerAt, REQUEST } from './requests.ts';
import { HandTimers } from './hand-timers.ts';
import { freePort } from './serving.ts';
import { failureIn, followedBy, sentAs, socketBench } from './socket-serving.ts';

const HELLO = responds({ id: 'resp_a', text: 'Hello.' });
const SECOND = followedBy(REQUEST, 'Hello.', 'And?');

test.each<[string, Reply]>([
  ['200 instead of a socket', answer(200, 'hello', { 'content-type': 'text/html' })],
  ['301', answer(301, '', { location: 'https://elsewhere.test/' })],
  ['400', apiError(400, { message: 'Bad upgrade.' })],
  ['403 with a page', answer(403, '<title>Blocked</title>', { 'content-type': 'text/html' })],
  ['404', answer(404, '')],
  ['405', answer(405, '')],
  ['426', answer(426, '')],
  ['501', answer(501, '')],
])('an endpoint that answers %s has no socket: server-sent events from then on', async (_name, reply) => {
  const bench = await socketBench({ script: [HELLO, HELLO], upgrade: () => reply });
  const refused = await bench.ask();
  expect(sentAs(refused)).toEqual(['websocket', 'whole', 'no_previous_response']);
  expect(failureIn(refused)).toMatchObject({ again: 'over_sse' });
  for (const request of [REQUEST, SECOND]) {
    const overHttp = await bench.ask(request);
    expect(sentAs(overHttp)).toEqual(['http_sse', 'whole', 'fell_back_to_sse']);
    expect(overHttp.at(-1)).toMatchObject({ kind: 'completed' });
  }
  expect(bench.server.upgrades()).toBe(1);
});

test.each<[string, Reply, object]>([
  ['401', apiError(401, { code: 'invalid_api_key', message: 'Wrong.' }), { kind: 'auth', status: 401 }],
  ['403', apiError(403, { message: 'No.' }), { kind: 'forbidden', status: 403 }],
  [
    '429',
    apiError(429, { message: 'Slow.' }, { 'retry-after': '2' }),
    { kind: 'rate_limited', status: 429, retry_after_ms: 2000 },
  ],
  ['500', apiError(500, { message: 'Oops.' }), { kind: 'server_error', status: 500 }],
])('a handshake that is answered with %s fails as that', async (_name, reply, failure) => {
  const bench = await socketBench({ script: [HELLO], upgrade: (index) => (index === 0 ? reply : null) });
  const told = failureIn(await bench.ask());
  expect(told).toMatchObject(failure);
  expect(told).not.toHaveProperty('again');
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'no_previous_response']);
});

test('an error that comes with the handshake is the answer to the first request', async () => {
  const error = { code: 'invalid_api_key', message: 'Wrong.', type: 'invalid_request_error', param: null };
  const bench = await socketBench({ greeting: { type: 'error', status: 401, error } });
  expect(failureIn(await bench.ask())).toEqual({
    kind: 'auth',
    message: 'HTTP 401: Wrong.',
    status: 401,
    code: 'invalid_api_key',
  });
});

test('a key that a refusal repeats is hidden', async () => {
  const echo = apiError(401, { message: `Incorrect API key provided: ${KEY}.` });
  const bench = await socketBench({ upgrade: () => echo });
  expect(failureIn(await bench.ask())).toMatchObject({
    message: 'HTTP 401: Incorrect API key provided: [hidden].',
  });
});

test('a certificate that nobody vouches for is a TLS failure here too', async () => {
  const bench = await socketBench({ script: [], tls: SELF_SIGNED });
  const told = failureIn(await bench.ask());
  expect(told).toMatchObject({ kind: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(told).not.toHaveProperty('again');
});

test('where nothing is reached, it is tried over HTTP, and over a socket again once the network is back', async () => {
  const connection = new SessionConnection(new HandTimers());
  const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
  const provider = providerAt(baseUrl, { connection, transport: 'websocket' });
  expect(failureIn(await collect(provider))).toMatchObject({
    kind: 'connection',
    code: 'ECONNREFUSED',
    again: 'over_sse',
  });
  const overHttp = await collect(provider);
  expect(sentAs(overHttp)).toEqual(['http_sse', 'whole', 'fell_back_to_sse']);
  expect(failureIn(overHttp)).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED' });
  expect(sentAs(await collect(provider))).toEqual(['websocket', 'whole', 'no_previous_response']);
});

test('a server that drops the handshake but answers over HTTP is asked over HTTP from then on', async () => {
  const bench = await socketBench({ script: [HELLO, HELLO], upgrade: () => ({ kind: 'drop' }) });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'connection', again: 'over_sse' });
  expect(sentAs(await bench.ask())).toEqual(['http_sse', 'whole', 'fell_back_to_sse']);
  expect(sentAs(await bench.ask(SECOND))).toEqual(['http_sse', 'whole', 'fell_back_to_sse']);
  expect(bench.server.upgrades()).toBe(1);
});

test('a server that hangs on the handshake is given up after a while', async () => {
  const arrived = Promise.withResolvers<void>();
  const upgrade = (): Reply => {
    arrived.resolve();
    return { kind: 'silence' };
  };
  const bench = await socketBench({ script: [HELLO], upgrade });
  const asked = bench.ask();
  await arrived.promise;
  bench.timers.pass(15_000);
  expect(failureIn(await asked)).toEqual({
    kind: 'connection',
    message: 'The server did not answer the request for a socket.',
    again: 'over_sse',
  });
  expect(bench.timers.pending).toBe(0);
});

test('a socket that breaks before any output is retried on a new one, and given up the second time', async () => {
  const cut = stream([CUT]);
  const begun = stream([events(unfinishedEvents({}).slice(0, 1)), CUT]);
  const bench = await socketBench({ script: [HELLO, cut, HELLO, begun, cut, HELLO] });
  await bench.ask();
  expect(failureIn(await bench.ask(SECOND))).toEqual({
    kind: 'connection',
    message: 'The socket was closed before the answer was complete (1006).',
  });
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(failureIn(await bench.ask())).toEqual({
    kind: 'stream_cut',
    message: 'The socket was closed before the answer was complete (1006).',
  });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'connection', again: 'over_sse' });
  expect(sentAs(await bench.ask())).toEqual(['http_sse', 'whole', 'fell_back_to_sse']);
  expect(bench.server.sockets).toHaveLength(3);
});

test('an endpoint that is out of order is tried over HTTP the second time, and over a socket once it is back', async () => {
  const down = apiError(503, { message: 'Down.' });
  const bench = await socketBench({ script: [down, HELLO], upgrade: (index) => (index < 2 ? down : null) });
  expect(failureIn(await bench.ask())).toEqual({
    kind: 'server_error',
    message: 'HTTP 503: Down.',
    status: 503,
    code: 'invalid_request_error',
  });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'server_error', again: 'over_sse' });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'server_error' });
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'no_previous_response']);
});

test('a socket that breaks after output is nothing but that', async () => {
  const half = breaksOff('half');
  const bench = await socketBench({ script: [half, half, half] });
  for (let turn = 0; turn < 3; turn += 1) {
    const told = await bench.ask();
    expect(told).toContainEqual({ kind: 'text_delta', text: 'half' });
    expect(failureIn(told)).toEqual({
      kind: 'stream_cut',
      message: 'The socket was closed before the answer was complete (1006).',
    });
  }
  expect(bench.server.sockets).toHaveLength(3);
});

test('a socket that the API finds too old is replaced', async () => {
  const code = 'websocket_connection_limit_reached';
  const bench = await socketBench({
    script: [HELLO, apiError(400, { code, message: '60 minutes.' }), HELLO],
  });
  await bench.ask();
  const told = failureIn(await bench.ask(SECOND));
  expect(told).toEqual({ kind: 'connection', message: '60 minutes.', code });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(bench.server.sockets).toHaveLength(2);
});

test.each<[string, Reply, object]>([
  ['context overflow', apiError(400, { code: 'context_length_exceeded' }), { kind: 'context_overflow' }],
  ['stale reasoning', apiError(400, { code: 'invalid_encrypted_content' }), { kind: 'reasoning_rejected' }],
  ['no quota', apiError(429, { code: 'insufficient_quota' }), { kind: 'quota_exceeded' }],
  ['no such model', apiError(404, { code: 'model_not_found' }), { kind: 'model_not_found' }],
  [
    'an error without a status',
    streamOf([{ type: 'error', code: 'server_error', message: 'x', param: null, sequence_number: 0 }]),
    {
      kind: 'server_error',
    },
  ],
  [
    'a response that failed',
    failsWith('server_error', 'x'),
    {
      kind: 'server_error',
    },
  ],
  ['an output limit', endsEarly({ text: 'h' }, 'max_output_tokens'), { kind: 'output_limit' }],
])('%s has its kind and leaves the socket usable', async (_name, reply, failure) => {
  const bench = await socketBench({ script: [reply, HELLO] });
  expect(failureIn(await bench.ask())).toMatchObject(failure);
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(bench.server.sockets).toHaveLength(1);
});

test.each<[string, Reply, string]>([
  [
    'a binary frame',
    stream([bytes(Buffer.from('{"type":"response.completed"}')), HANG]),
    'a frame is not JSON',
  ],
  ['a frame that is not JSON', stream([bytes('{broken'), HANG]), 'a frame is not JSON'],
  ['a frame without a type', stream([bytes('{"a":1}'), HANG]), 'a frame is not an event with a type'],
  ['a list', stream([bytes('[]'), HANG]), 'a frame is not an event with a type'],
  [
    'a type that the SDK keeps for itself',
    oddStreamOf([{ type: 'close' }]),
    'a frame is not an event with a type',
  ],
  [
    'an end without a response',
    oddStreamOf([{ type: 'response.completed' }]),
    'response.completed has no response',
  ],
])('%s ends the response and the socket', async (_name, reply, what) => {
  const bench = await socketBench({ script: [reply] });
  const told = await bench.ask();
  expect(failureIn(told)).toEqual({
    kind: 'malformed_stream',
    message: `The stream is malformed: ${what}.`,
    again: 'over_sse',
  });
  expect(await bench.server.sockets[0]?.closed).toBe(1006);
});

test('types that are names of everything else are just unknown', async () => {
  const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((type) => ({ type }));
  const bench = await socketBench({ script: [oddStreamOf([...odd, ...responseEvents({ text: 'ok' })])] });
  expect((await bench.ask()).at(-1)).toMatchObject({
    kind: 'completed',
    unknown_events: ['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  });
});

test('a frame that is too large is given up at the limit', async () => {
  const bench = await socketBench(
    { script: [stream([bytes('x'.repeat(30_000)), HANG])] },
    { maxFrame: 20_000 },
  );
  expect(failureIn(await bench.ask())).toEqual({
    kind: 'malformed_stream',
    message: 'The stream is malformed: Max payload size exceeded.',
    code: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
    again: 'over_sse',
  });
});

test('thousands of frames in one go all arrive, in order', async () => {
  const pieces = Array.from({ length: 5_000 }, (_, index) => `${index} `);
  const bench = await socketBench({ script: [responds({ text: pieces })] });
  expect((await bench.ask()).at(-1)).toMatchObject({ items: [{ kind: 'message', text: pieces.join('') }] });
});

test('a request that the API would refuse is refused with its words', async () => {
  const bench = await socketBench({ script: [] });
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] as const;
  expect(failureIn(await bench.ask({ ...REQUEST, input }))).toEqual({
    kind: 'invalid_request',
    message: 'HTTP 400: No tool call found for function call output with call_id call_1.',
    status: 400,
    code: 'invalid_request_error',
  });
});
