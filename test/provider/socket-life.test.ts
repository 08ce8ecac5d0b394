import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { events, HANG, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import type { ResponsesServer } from '../support/responses-server/server.ts';
import { hangs, responds } from '../support/responses-server/whole-replies.ts';
import { collect, REQUEST } from './requests.ts';
import { failureIn, followedBy, sentAs, type SocketBench, socketBench } from './socket-serving.ts';

const HELLO = responds({ id: 'resp_a', text: 'Hello.' });
const SECOND = followedBy(REQUEST, 'Hello.', 'And?');
const MINUTE = 60_000;

/** A session that has had its first answer over a socket, and would get the next one too. */
async function answered(): Promise<SocketBench> {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  await bench.ask();
  return bench;
}

/** A ping is answered by the other side's network, in its own time. */
async function pinged(bench: SocketBench, ms: number): Promise<void> {
  const socket = bench.server.sockets[0]?.socket;
  if (socket === undefined) throw new Error('a socket');
  const arrived = once(socket, 'ping');
  bench.timers.pass(ms);
  await arrived;
}

/** Reads until the first words, and stops there. */
async function stoppedAtWords(bench: SocketBench): Promise<readonly ProviderEvent[]> {
  const stop = new AbortController();
  const heard: ProviderEvent[] = [];
  for await (const event of bench.provider.stream(REQUEST, stop.signal)) {
    heard.push(event);
    if (event.kind === 'text_delta') stop.abort();
  }
  return heard;
}

test('a stop closes the socket at once and nothing more is read', async () => {
  const more = Promise.withResolvers<void>();
  const all = responseEvents({ text: ['one', 'two'] });
  const [begun, rest] = [all.slice(0, 5), all.slice(5)];
  const bench = await socketBench({
    script: [stream([events(begun), wait(more.promise), events(rest)]), HELLO],
  });
  const heard = await stoppedAtWords(bench);
  expect(heard.at(-1)).toEqual({ kind: 'text_delta', text: 'one' });
  expect(await bench.server.requests[0]?.closed).toBe('client_closed');
  expect(await bench.server.sockets[0]?.closed).toBe(1006);
  more.resolve();
  expect(sentAs(await bench.ask())).toEqual(['websocket', 'whole', 'previous_response_failed']);
});

test('a stop during the handshake leaves nothing open', async () => {
  const arrived = Promise.withResolvers<void>();
  const upgrade = (): Reply => {
    arrived.resolve();
    return { kind: 'silence' };
  };
  const bench = await socketBench({ upgrade });
  const stop = new AbortController();
  const asked = collect(bench.provider, REQUEST, stop.signal);
  await arrived.promise;
  stop.abort();
  expect(sentAs(await asked)).toEqual(['websocket', 'whole', 'no_previous_response']);
  expect(bench.timers.pending).toBe(0);
});

test('a stop after the end of a response leaves its socket open', async () => {
  const bench = await socketBench({ model: () => ({ text: 'Hello.' }) });
  const stop = new AbortController();
  const stream = bench.provider.stream(REQUEST, stop.signal)[Symbol.asyncIterator]();
  for (let step = await stream.next(); step.done !== true; step = await stream.next())
    if (step.value.kind === 'completed') break;
  // As the runtime does: it reads no further, and aborts what is left.
  stop.abort();
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'continued', null]);
});

test('a reader that just leaves closes the socket too', async () => {
  const bench = await socketBench({ script: [hangs('x')] });
  for await (const { kind } of bench.provider.stream(REQUEST, new AbortController().signal))
    if (kind === 'text_delta') break;
  expect(await bench.server.sockets[0]?.closed).toBe(1006);
});

test('a socket carries one response at a time: another request goes over HTTP meanwhile', async () => {
  const rest = Promise.withResolvers<void>();
  const all = responseEvents({ text: 'Hello.' });
  const slow = stream([events(all.slice(0, 3)), wait(rest.promise), events(all.slice(3))]);
  const bench = await socketBench({ script: [slow, HELLO, HELLO] });
  const first = bench.ask();
  await bench.server.request(0);
  expect(sentAs(await bench.ask())).toEqual(['http_sse', 'whole', 'socket_busy']);
  rest.resolve();
  expect((await first).at(-1)).toMatchObject({ kind: 'completed' });
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'continued', null]);
});

test('an open socket is pinged, and lives as long as it answers', async () => {
  const bench = await answered();
  for (let round = 0; round < 3; round += 1) {
    await pinged(bench, 30_000);
    await answeredPing(bench.server);
  }
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'continued', null]);
});

/** The pong comes back before whatever the server sends after it. */
async function answeredPing({ sockets }: ResponsesServer): Promise<void> {
  const socket = sockets[0]?.socket;
  if (socket === undefined) throw new Error('a socket');
  const back = once(socket, 'pong');
  socket.ping();
  await back;
}

test('a socket whose other side no longer answers is given up, also in the middle of a response', async () => {
  const begun = stream([events(unfinishedEvents({}).slice(0, 1)), HANG]);
  const bench = await socketBench({ script: [begun], pongs: false });
  const asked = bench.ask();
  await bench.server.request(0);
  await pinged(bench, 30_000);
  bench.timers.pass(10_000);
  expect(failureIn(await asked)).toEqual({
    kind: 'connection',
    message: 'The server no longer answers on the socket.',
  });
  expect(bench.timers.pending).toBe(0);
});

test('a server that answers no ping but goes on talking is alive', async () => {
  const [more, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const all = responseEvents({ text: ['one', 'two'] });
  const [first, second, last] = [all.slice(0, 5), all.slice(5, 6), all.slice(6)].map((list) => events(list));
  if (first === undefined || second === undefined || last === undefined) throw new Error('three pieces');
  const slow = stream([first, wait(more.promise), second, wait(rest.promise), last]);
  const bench = await socketBench({ script: [slow], pongs: false });
  const heard: ProviderEvent[] = [];
  for await (const event of bench.provider.stream(REQUEST, new AbortController().signal)) {
    heard.push(event);
    if (event.kind !== 'text_delta') continue;
    if (event.text === 'one') await pinged(bench, 30_000);
    else bench.timers.pass(10_000);
    (event.text === 'one' ? more : rest).resolve();
  }
  expect(heard.at(-1)).toMatchObject({ kind: 'completed', items: [{ text: 'onetwo' }] });
});

test('pings of a silent server are signs of life', async () => {
  const rest = Promise.withResolvers<void>();
  const bench = await socketBench({
    script: [stream([wait(rest.promise), events(responseEvents({ text: 'ok' }))])],
  });
  const { signal } = new AbortController();
  const life = bench.provider.stream(REQUEST, signal)[Symbol.asyncIterator]();
  expect(await life.next()).toMatchObject({ value: { kind: 'sent' } });
  const next = life.next();
  await bench.server.request(0);
  bench.server.sockets[0]?.socket.ping();
  expect(await next).toEqual({ done: false, value: { kind: 'activity', output: false } });
  rest.resolve();
  const kinds: string[] = [];
  for (let step = await life.next(); step.done !== true; step = await life.next())
    kinds.push(step.value.kind);
  expect(kinds.at(-1)).toBe('completed');
});

test('a socket that nobody uses is closed after five minutes, and replaced when it is needed', async () => {
  const bench = await answered();
  bench.timers.skip(5 * MINUTE - 1);
  bench.timers.pass(1);
  expect(await bench.server.sockets[0]?.closed).toBe(1000);
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'new_connection']);
  expect(bench.server.sockets).toHaveLength(2);
});

test('a socket of 55 minutes is not used again, nor one from before the clock was set back', async () => {
  const bench = await answered();
  bench.timers.skip(55 * MINUTE);
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'whole', 'new_connection']);
  expect(await bench.server.sockets[0]?.closed).toBe(1000);
  bench.timers.skip(-MINUTE);
  const third = followedBy(SECOND, 'Hello.', 'More?');
  expect(sentAs(await bench.ask(third))).toEqual(['websocket', 'whole', 'new_connection']);
  expect(bench.server.sockets).toHaveLength(3);
});

test('a socket that the server closed meanwhile is replaced without a word', async () => {
  const bench = await answered();
  const [first] = bench.server.sockets;
  first?.socket.close(1001, 'restart');
  await first?.closed;
  await setImmediate();
  const second = await bench.ask(SECOND);
  expect(sentAs(second)).toEqual(['websocket', 'whole', 'new_connection']);
  expect(second.at(-1)).toMatchObject({ kind: 'completed' });
});

test('an error that nobody asked for is about the socket, and late frames are about nothing', async () => {
  const bench = await answered();
  const [first] = bench.server.sockets;
  first?.socket.send(JSON.stringify({ type: 'response.output_text.delta', delta: 'late' }));
  await answeredPing(bench.server);
  expect(sentAs(await bench.ask(SECOND))).toEqual(['websocket', 'continued', null]);
  first?.socket.send(
    JSON.stringify({ type: 'error', error: { code: 'websocket_connection_limit_reached', message: 'x' } }),
  );
  expect(await first?.closed).toBe(1000);
  const third = followedBy(SECOND, 'Hello.', 'More?');
  expect(sentAs(await bench.ask(third))).toEqual(['websocket', 'whole', 'new_connection']);
});

test('a server that goes on after the end of its answer does not stop up its socket', async () => {
  const answer = responseEvents({ id: 'resp_a', text: 'Hello.' });
  const more = Array.from({ length: 400 }, () => answer.slice(1, 2)).flat();
  const goesOn = streamOf([...answer, ...more]);
  const bench = await socketBench({ script: [goesOn, responds({ text: 'Yes.' })] });
  await bench.ask();
  const second = await bench.ask(SECOND);
  expect(sentAs(second)).toEqual(['websocket', 'continued', null]);
  expect(second.at(-1)).toMatchObject({ items: [{ text: 'Yes.' }] });
});

test('what comes late of one answer is not taken for the next', async () => {
  const first = responseEvents({ id: 'resp_a', text: 'Hello.' });
  const late = streamOf([...first.slice(2), ...responseEvents({ id: 'resp_b', text: 'Yes.' })]);
  const bench = await socketBench({ script: [streamOf(first), late] });
  await bench.ask();
  expect((await bench.ask(SECOND)).slice(2)).toEqual([
    { kind: 'text_delta', text: 'Yes.' },
    expect.objectContaining({ kind: 'completed', response_id: 'resp_b' }),
  ]);
});

test('a server that does not announce its answers is heard all the same', async () => {
  const answers = [
    { id: 'resp_a', text: 'Hello.' },
    { id: 'resp_b', text: 'Yes.' },
  ];
  const script = answers.map((answer) => streamOf(responseEvents(answer).slice(2)));
  const bench = await socketBench({ script });
  await bench.ask();
  expect((await bench.ask(SECOND)).at(-1)).toMatchObject({ response_id: 'resp_b' });
});

test('a session that is left closes its socket with a farewell, and opens no other', async () => {
  const bench = await answered();
  bench.connection.close();
  expect(await bench.server.sockets[0]?.closed).toBe(1000);
  expect(sentAs(await bench.ask(SECOND))).toEqual(['http_sse', 'whole', 'new_connection']);
  expect(bench.timers.pending).toBe(0);
});

test('a farewell that is not answered is not waited for', async () => {
  const bench = await answered();
  const [first] = bench.server.sockets;
  first?.socket.pause();
  bench.connection.close();
  bench.timers.pass(2_000);
  first?.socket.resume();
  expect(await first?.closed).toBe(1000);
  expect(bench.timers.pending).toBe(0);
});

test('a session that is left in the middle of a response cuts it off', async () => {
  const bench = await socketBench({ script: [hangs('x')] });
  const asked = bench.ask();
  await bench.server.request(0);
  bench.connection.close();
  expect(await bench.server.sockets[0]?.closed).toBe(1006);
  expect(failureIn(await asked)).toMatchObject({ message: 'The socket was closed.' });
});
