import { expect, test } from 'vitest';
import { once, placeArgs, readEvents, type Run } from '../support/headless.ts';
import { headlessHere, inspectHere, onceHere } from '../support/headless-here.ts';
import { answer, apiError, type Reply } from '../support/responses-server/reply.ts';
import { type Answer } from '../support/responses-server/response-events.ts';
import { hangs, responds } from '../support/responses-server/whole-replies.ts';
import { isState, served } from './served.ts';

const bench = served();
const SOCKET = { set: ['transport=websocket'] };

function says(id: string, said: Answer): Reply {
  return responds({ id, ...said });
}

const READS: Answer = { calls: [{ call_id: 'c1', name: 'list_files', args: { path: null, glob: null } }] };

async function open(url: string): Promise<Run> {
  const run = headlessHere(placeArgs(bench.place, url, SOCKET));
  run.send({ type: 'ready' });
  await run.until(({ type }) => type === 'snapshot');
  return run;
}

/** A turn to its end. */
async function turn(run: Run, text: string, state = 'completed'): Promise<void> {
  run.send({ type: 'send', client_turn_id: text, text });
  await run.until((message) => isState(state)(message) && message['client_turn_id'] === text);
}

/** A process from its beginning to its end, with these turns. */
async function talk(url: string, ...texts: readonly string[]): Promise<void> {
  const run = await open(url);
  for (const text of texts) await turn(run, text);
  run.closeInput();
  await run.exited;
}

/** How each model call went out, by the log. */
async function calls(session?: string): Promise<unknown> {
  const all = await readEvents(bench.place, session);
  return all.flatMap((event) => {
    if (event.type !== 'provider_usage') return [];
    const { transport, continuation, response_id } = event.data;
    const { attempted, used, reset_reason } = continuation;
    return [[response_id, transport, attempted ? (used ? 'continued' : 'tried') : 'whole', reset_reason]];
  });
}

async function diagnostics(): Promise<readonly string[]> {
  const all = await readEvents(bench.place);
  return all.flatMap((event) => (event.type === 'diagnostic' ? [event.data.code] : []));
}

test('one socket serves all turns of a session, each request continues the last, and the log says so', async () => {
  const thinks = { reasoning: { id: 'rs_1', encrypted_content: 'mine' } };
  const url = await bench.serve([
    says('resp_1', { ...thinks, ...READS }),
    says('resp_2', { text: 'Nothing there.' }),
    says('resp_3', { text: 'Still nothing.' }),
  ]);
  const run = await open(url);
  await turn(run, 'Look.');
  await turn(run, 'And now?');
  expect(await calls()).toEqual([
    ['resp_1', 'websocket', 'whole', 'no_previous_response'],
    ['resp_2', 'websocket', 'continued', null],
    ['resp_3', 'websocket', 'continued', null],
  ]);
  const sent = bench.server?.requests.map(({ body }) => {
    const { previous_response_id, input } = body as {
      previous_response_id?: string;
      input: { type: string }[];
    };
    return [previous_response_id, input.map(({ type }) => type)];
  });
  expect(sent).toEqual([
    [undefined, ['message', 'message']],
    ['resp_1', ['function_call_output']],
    ['resp_2', ['message']],
  ]);
  expect(bench.server?.requests.map(({ input }) => input.length)).toEqual([2, 5, 7]);
  expect(bench.server?.sockets).toHaveLength(1);
  run.closeInput();
  expect(await run.exited).toBe(0);
  expect(await bench.server?.sockets[0]?.closed).toBe(1000);
  const { storage } = bench.place;
  const { document } = await inspectHere(['diagnose', '--storage', storage, '--session', 's1']);
  expect(document).toMatchObject({ ok: true });
  expect(JSON.stringify(document)).toContain('2 requests continued another.');
});

test('another process of the same session begins with the whole input', async () => {
  const url = await bench.serve([says('resp_1', { text: 'One.' }), says('resp_2', { text: 'Two.' })]);
  for (const text of ['First.', 'Second.']) expect((await once(bench.place, url, text, SOCKET)).code).toBe(0);
  expect(await calls()).toEqual([
    ['resp_1', 'websocket', 'whole', 'no_previous_response'],
    ['resp_2', 'websocket', 'whole', 'no_previous_response'],
  ]);
});

test('a session that is left closes its socket, and the next one has its own', async () => {
  const url = await bench.serve([says('resp_1', { text: 'One.' }), says('resp_2', { text: 'Two.' })]);
  const run = await open(url);
  await turn(run, 'First.');
  run.send({ type: 'new_session' });
  const shown = await run.until((message) => message.type === 'snapshot' && message['session_id'] !== 's1');
  expect(await bench.server?.sockets[0]?.closed).toBe(1000);
  await turn(run, 'Second.');
  expect(bench.server?.sockets).toHaveLength(2);
  expect(await calls(String(shown['session_id']))).toEqual([
    ['resp_2', 'websocket', 'whole', 'no_previous_response'],
  ]);
  run.closeInput();
  await run.exited;
});

test('Stop closes the stream at once, and the next turn has another socket', async () => {
  const begun = hangs('Half of ');
  const url = await bench.serve([
    says('resp_1', { text: 'One.' }),
    begun,
    says('resp_3', { text: 'Whole.' }),
  ]);
  const run = await open(url);
  await turn(run, 'First.');
  run.send({ type: 'send', client_turn_id: 'Second.', text: 'Second.' });
  await run.until(({ type, text }) => type === 'delta' && text === 'Half of ');
  run.send({ type: 'stop' });
  await run.until(isState('interrupted'));
  expect(await bench.server?.requests[1]?.closed).toBe('client_closed');
  await turn(run, 'Third.');
  expect(await calls()).toEqual([
    ['resp_1', 'websocket', 'whole', 'no_previous_response'],
    [null, 'websocket', 'continued', null],
    ['resp_3', 'websocket', 'whole', 'previous_response_failed'],
  ]);
  expect(bench.server?.sockets).toHaveLength(2);
  run.closeInput();
  await run.exited;
});

test('an endpoint without a socket is asked over server-sent events, and that is on record', async () => {
  const url = await bench.serve([says('resp_1', { text: 'One.' }), says('resp_2', { text: 'Two.' })], {
    upgrade: () => answer(404, ''),
  });
  await talk(url, 'First.', 'Second.');
  expect(await calls()).toEqual([
    ['resp_1', 'http_sse', 'whole', 'fell_back_to_sse'],
    ['resp_2', 'http_sse', 'whole', 'fell_back_to_sse'],
  ]);
  expect(await diagnostics()).toEqual(['transport_fallback']);
  expect(bench.server?.upgrades()).toBe(1);
});

test('a response that the provider no longer has is asked for once more with the whole input', async () => {
  const gone = apiError(400, { code: 'previous_response_not_found', message: 'Gone.' });
  const url = await bench.serve([says('resp_1', { text: 'One.' }), gone, says('resp_2', { text: 'Two.' })]);
  await talk(url, 'First.', 'Second.');
  expect(await calls()).toEqual([
    ['resp_1', 'websocket', 'whole', 'no_previous_response'],
    ['resp_2', 'websocket', 'tried', 'previous_response_not_found'],
  ]);
  expect(await diagnostics()).toEqual(['continuation_reset']);
});

test('a key that a handshake refuses fails the turn as that', async () => {
  const url = await bench.serve([], { upgrade: () => apiError(401, { message: 'Wrong key sk-test.' }) });
  const { code } = await onceHere(bench.place, url, 'Hello.', SOCKET);
  expect(code).toBe(3);
  const failed = (await readEvents(bench.place)).find(({ type }) => type === 'turn_failed');
  expect(failed?.data).toMatchObject({ error_kind: 'auth', details: { status: 401 } });
  expect(JSON.stringify(failed)).not.toContain('sk-test');
});

test('by itself it opens no socket to a server that nobody knows', async () => {
  const url = await bench.serve([says('resp_1', { text: 'One.' })]);
  expect((await onceHere(bench.place, url, 'Hello.')).code).toBe(0);
  expect(await calls()).toEqual([['resp_1', 'http_sse', 'whole', null]]);
  expect(bench.server?.upgrades()).toBe(0);
});
