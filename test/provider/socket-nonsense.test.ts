import { expect, test } from 'vitest';
import {
  answer,
  apiError,
  bytes,
  events,
  HANG,
  oddEvents,
  oddStreamOf,
  type Reply,
  stream,
} from '../support/responses-server/reply.ts';
import { unfinishedEvents } from '../support/responses-server/response-events.ts';
import type { ReceivedRequest } from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { collect, REQUEST } from './requests.ts';
import { failureIn, followedBy, sentAs, type SocketBench, socketBench } from './socket-serving.ts';

/** Servers that grant a socket and then do not speak the protocol over it, or only half of it. */

const HELLO = responds({ id: 'resp_a', text: 'Hello.' });
const SECOND = followedBy(REQUEST, 'Hello.', 'And?');
const OVER_HTTP = ['http_sse', 'whole', 'fell_back_to_sse'];

/** One reply over a socket, and a proper answer over HTTP. */
function speaking(nonsense: Reply): Promise<SocketBench> {
  const handler = ({ transport }: ReceivedRequest): Reply => (transport === 'http' ? HELLO : nonsense);
  return socketBench({ handler });
}

async function expectHttpFromNowOn(bench: SocketBench): Promise<void> {
  for (const request of [REQUEST, SECOND]) {
    const overHttp = await bench.ask(request);
    expect(sentAs(overHttp)).toEqual(OVER_HTTP);
    expect(overHttp.at(-1)).toMatchObject({ kind: 'completed' });
  }
  expect(bench.server.upgrades()).toBe(1);
}

test.each<[string, Reply]>([
  ['a binary frame', stream([bytes(Buffer.from('{"type":"response.completed"}')), HANG])],
  ['a frame that is not JSON', stream([bytes('{broken'), HANG])],
  ['a greeting in words', stream([bytes('Request served by 7811941c69e658'), HANG])],
  ['a frame without a type', stream([bytes('{"a":1}'), HANG])],
  ['a list', stream([bytes('[]'), HANG])],
  ['an end without a response', oddStreamOf([{ type: 'response.completed' }])],
  ['nonsense after a proper beginning', stream([events(unfinishedEvents({}).slice(0, 2)), bytes('?'), HANG])],
])('%s before any output: asked over server-sent events, from then on', async (_name, nonsense) => {
  const bench = await speaking(nonsense);
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'malformed_stream', again: 'over_sse' });
  expect(await bench.server.sockets[0]?.closed).toBe(1006);
  await expectHttpFromNowOn(bench);
});

test.each<[string, Reply]>([
  ['426', apiError(426, { message: 'Upgrade elsewhere.' })],
  ['501', answer(501, '')],
  ['405', apiError(405, { message: 'Method not allowed.' })],
  ['a refusal of sockets', apiError(400, { message: 'Responses WebSocket transport is disabled.' })],
  ['a code that says so', apiError(403, { message: 'No.', code: 'websocket_not_supported' })],
  [
    'an error without a status that does not know the frame',
    oddStreamOf([{ type: 'error', message: "Invalid value: 'response.create'.", code: 'invalid_value' }]),
  ],
  ['a gateway whose own socket failed', apiError(502, { message: 'websocket: bad handshake' })],
])('an error frame that says %s is of the socket', async (_name, refusal) => {
  const bench = await speaking(refusal);
  expect(failureIn(await bench.ask())).toMatchObject({ again: 'over_sse' });
  await expectHttpFromNowOn(bench);
});

test.each([1002, 1003, 1007, 1009, 1010])(
  'a socket that is closed with %i would be so again',
  async (code) => {
    const bench = await speaking(stream([HANG]));
    const asked = bench.ask();
    await bench.server.request(0);
    bench.server.sockets[0]?.socket.close(code, 'too much');
    expect(failureIn(await asked)).toEqual({
      kind: 'connection',
      message: `The socket was closed before the answer was complete (${code}: too much).`,
      code: `WS_CLOSE_${code}`,
      again: 'over_sse',
    });
    await expectHttpFromNowOn(bench);
  },
);

test('a socket that is closed at once is tried once more, and then no longer', async () => {
  const bench = await speaking({ kind: 'drop' });
  expect(failureIn(await bench.ask())).not.toHaveProperty('again');
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'connection', again: 'over_sse' });
  expect(sentAs(await bench.ask())).toEqual(OVER_HTTP);
});

test('errors of the server over a socket are the socket’s, the second time, unless HTTP has them too', async () => {
  const down = apiError(503, { message: 'Down.' });
  const bench = await socketBench({ script: [down, down, down, HELLO] });
  expect(failureIn(await bench.ask())).not.toHaveProperty('again');
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'server_error', again: 'over_sse' });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'server_error' });
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
});

test('nonsense over a socket that has answered before is a break like any other: given up the second time', async () => {
  const nonsense = stream([bytes('?'), HANG]);
  const bench = await socketBench({ script: [HELLO, nonsense, nonsense, HELLO] });
  await bench.ask();
  expect(failureIn(await bench.ask(SECOND))).not.toHaveProperty('again');
  const third = await bench.ask(SECOND);
  expect(sentAs(third)).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(failureIn(third)).toMatchObject({ kind: 'malformed_stream', again: 'over_sse' });
  expect(sentAs(await bench.ask(SECOND))).toEqual(OVER_HTTP);
});

test('a socket that believes to be answering still is left the second time that it refuses', async () => {
  const unended = stream([oddEvents([{ type: 'error', code: 'server_error', message: 'Oops.' }]), HANG]);
  const bench = await socketBench({ script: [unended, HELLO] });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'server_error' });
  expect(failureIn(await bench.ask())).toMatchObject({ kind: 'invalid_request' });
  const third = await bench.ask();
  expect(sentAs(third)).toEqual(['websocket', 'whole', 'previous_response_failed']);
  expect(third.at(-1)).toMatchObject({ kind: 'completed' });
  expect(bench.server.sockets).toHaveLength(2);
});

test('after output, nonsense is nothing but that', async () => {
  const half = stream([events(unfinishedEvents({ text: 'half' })), bytes('?'), HANG]);
  const bench = await socketBench({ script: [half, HELLO] });
  expect(failureIn(await bench.ask())).toEqual({
    kind: 'malformed_stream',
    message: 'The stream is malformed: a frame is not JSON.',
  });
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
});

test.each<[string, Reply]>([
  ['invalid', apiError(400, { message: 'Invalid `previous_response_id`.' })],
  ['unknown', apiError(400, { message: "Unknown parameter: 'previous_response_id'." })],
])('a continuation whose previous_response_id is called %s is asked again whole', async (_name, refusal) => {
  const bench = await socketBench({ script: [HELLO, refusal, HELLO] });
  await bench.ask();
  expect(failureIn(await bench.ask(SECOND))).toMatchObject({ again: 'full_input' });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'tried', 'previous_response_not_found']);
  expect(bench.server.sockets).toHaveLength(1);
});

/** Gives a request up once it has reached the server, as a person does, or the clock of a silent stream. */
async function givenUp(bench: SocketBench): Promise<void> {
  const stop = new AbortController();
  const asked = collect(bench.provider, REQUEST, stop.signal);
  const before = bench.server.requests.length;
  await expect.poll(() => bench.server.requests.length > before).toBe(true);
  stop.abort();
  await asked;
}

test('no word at all, twice: asked over server-sent events', async () => {
  const bench = await speaking(stream([HANG]));
  await givenUp(bench);
  await givenUp(bench);
  expect(sentAs(await bench.ask())).toEqual(OVER_HTTP);
  expect(bench.server.upgrades()).toBe(2);
});

test('a socket that has answered before may be stopped as often as one likes', async () => {
  const script = [HELLO, stream([HANG]), stream([HANG]), stream([HANG]), HELLO];
  const bench = await socketBench({ script });
  await bench.ask();
  for (let stops = 0; stops < 3; stops += 1) await givenUp(bench);
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
});
