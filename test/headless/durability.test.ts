import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnoseSession, inspectRequest } from '../../src/app/inspect.ts';
import { headless, inspectJson, placeArgs, readEvents, type Message } from '../support/headless.ts';
import { headlessHere, onceHere } from '../support/headless-here.ts';
import { events, HANG, stream, streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { isState, says, served } from './served.ts';

const bench = served();

const runs = (command: string, call_id = 'call_1'): Reply =>
  streamOf(responseEvents({ calls: [{ call_id, name: 'run_command', args: { command, timeout_s: null } }] }));

const isOtherSession = (message: Message): boolean =>
  message.type === 'snapshot' && message['session_id'] !== 's1';

/** What a diagnosis warns of, by check, with its findings. */
async function concerns(): Promise<Readonly<Record<string, unknown>>> {
  const { checks } = await diagnoseSession(bench.place.storage, 's1');
  return Object.fromEntries(
    checks.flatMap(({ id, status, details }) => (status === 'ok' ? [] : [[id, details]])),
  );
}

test('the prompt is in the log when the request arrives', async () => {
  const atRequest: string[][] = [];
  const url = await bench.serve([
    async () => {
      atRequest.push((await readEvents(bench.place)).map((event) => event.type));
      return says('ok');
    },
  ]);
  await onceHere(bench.place, url, 'remember me');
  expect(atRequest).toEqual([['session_started', 'developer_context', 'user_message', 'run_status']]);
});

test('a command finds its own running event, with its process, already in the log', async () => {
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  // From a file: a command that names the log itself would be asked about.
  await writeFile(join(bench.place.workspace, 'log.txt'), log);
  const url = await bench.serve([
    runs(`grep -c '"to":"running","process":{"pid":'$$ "$(cat log.txt)"`),
    says('done'),
  ]);
  const { code } = await onceHere(bench.place, url, 'look');
  const result = (await readEvents(bench.place)).find((event) => event.type === 'tool_result');
  expect({ code, ok: result?.data.ok }).toEqual({ code: 0, ok: true });
});

test('an answer and its calls are in the log before the tools start, and their results before the next request', async () => {
  const atRequest: string[][] = [];
  const url = await bench.serve([
    streamOf(
      responseEvents({
        text: 'Looking.',
        calls: ['a', 'b'].map((path) => ({
          call_id: `c_${path}`,
          name: 'read_file',
          args: { path, start_line: null, end_line: null },
        })),
      }),
    ),
    async () => {
      atRequest.push((await readEvents(bench.place)).slice(4).map((event) => event.type));
      return says('done');
    },
  ]);
  await writeFile(join(bench.place.workspace, 'a'), 'A');
  await writeFile(join(bench.place.workspace, 'b'), 'B');
  await onceHere(bench.place, url, 'read both');
  const [seen = []] = atRequest;
  expect(seen.slice(0, 4)).toEqual(['assistant_message', 'tool_call', 'tool_call', 'provider_usage']);
  expect(seen.filter((type) => type === 'tool_result')).toHaveLength(2);
  expect(bench.sent(1).map((item) => item['type'])).toEqual([
    'message',
    'message',
    'message',
    'function_call',
    'function_call',
    'function_call_output',
    'function_call_output',
  ]);
});

test('each request starts with the whole input of the one before it', async () => {
  const url = await bench.serve([
    runs('echo 1', 'c1'),
    runs('echo 2', 'c2'),
    says('first'),
    says('second'),
    runs('echo 3', 'c3'),
    says('third'),
  ]);
  for (const text of ['one', 'two', 'three']) await onceHere(bench.place, url, text);
  const inputs = [0, 1, 2, 3, 4, 5].map((index) => bench.sent(index).map((item) => JSON.stringify(item)));
  for (let i = 1; i < inputs.length; i += 1) {
    expect(inputs[i]?.slice(0, inputs[i - 1]?.length)).toEqual(inputs[i - 1]);
  }
  const bodies = bench.server?.requests.map((request) => request.body as Record<string, unknown>) ?? [];
  for (const body of bodies) {
    expect(body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: bodies[0]?.['instructions'],
      tools: bodies[0]?.['tools'],
    });
  }
});

test('a process killed in mid-stream leaves an interrupted turn with the text people had seen', async () => {
  const url = await bench.serve([
    stream([events(unfinishedEvents({ text: 'Seen before the crash' })), HANG]),
    says('fresh'),
  ]);
  const run = await headless(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until((message) => message.type === 'delta');
  await expect
    .poll(() => readFile(join(bench.place.storage, 'sessions', 's1.stream'), 'utf8').catch(() => ''))
    .toContain('Seen before');
  run.kill('SIGKILL');
  await run.exited;

  const again = await headless(placeArgs(bench.place, url));
  again.send({ type: 'ready' });
  const state = await again.until((message) => message.type === 'turn_state');
  expect(state).toMatchObject({ client_turn_id: 't1', state: 'interrupted', reason: 'disconnect' });
  again.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await again.until(
    (message) => message.type === 'turn_state' && again.messages.filter(isState('interrupted')).length > 1,
  );
  again.send({ type: 'send', client_turn_id: 't2', text: 'go on' });
  await again.until(isState('completed'));
  again.closeInput();
  expect(await again.exited).toBe(0);

  const log = await readEvents(bench.place);
  expect(
    log.filter((event) => event.type === 'user_message').map((event) => event.data.client_turn_id),
  ).toEqual(['t1', 't2']);
  const partial = log.find((event) => event.type === 'assistant_message');
  expect(partial?.data).toMatchObject({
    text: 'Seen before the crash',
    metadata: {
      partial: true,
      interrupted: true,
      interrupted_reason: 'disconnect',
      terminal_status: 'interrupted',
    },
  });
  const input = bench.sent(1);
  expect(input.filter((item) => item['role'] === 'assistant')).toEqual([]);
  const note = JSON.stringify(input.at(-2));
  expect(note).toContain('unfinished');
  expect(note).toContain('Seen before the crash');
});

test('a command that was running at a crash is not repeated: its outcome is unknown and the turn waits', async () => {
  const url = await bench.serve([runs('echo x >> count; sleep 300'), says('moved on')]);
  const run = await headless(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'run it' });
  await expect.poll(() => readFile(join(bench.place.workspace, 'count'), 'utf8').catch(() => '')).toBe('x\n');
  expect(await concerns()).toEqual({});
  run.kill('SIGKILL');
  await run.exited;
  expect(await concerns()).toMatchObject({
    unknown_outcomes: [{ call_id: 'call_1', name: 'run_command', state: 'running' }],
    staleness: [{ status: 'running' }, { what: 'call call_1 of run_command', status: 'running' }],
  });
  const started = (await readEvents(bench.place)).find(
    (event) => event.type === 'tool_call_status' && event.data.process !== undefined,
  );
  const group = started?.type === 'tool_call_status' ? (started.data.process?.group ?? 0) : 0;
  process.kill(-group, 'SIGKILL');

  const again = await headless(placeArgs(bench.place, url));
  again.send({ type: 'ready' });
  const state = await again.until((message) => message.type === 'turn_state');
  expect(state).toMatchObject({ state: 'waiting', reason: 'suspended' });
  again.send({ type: 'send', client_turn_id: 't2', text: 'never mind' });
  await again.until(isState('completed'));
  again.closeInput();
  await again.exited;
  expect(await readFile(join(bench.place.workspace, 'count'), 'utf8')).toBe('x\n');
  const log = await readEvents(bench.place);
  expect(log.find((event) => event.type === 'turn_failed')?.data).toMatchObject({
    terminal_status: 'interrupted',
    interrupted_reason: 'superseded',
  });
});

test('a torn tail is set aside and the session goes on', async () => {
  const url = await bench.serve([says('one'), says('two')]);
  await onceHere(bench.place, url, 'first');
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  await appendFile(log, '{"v":1,"id":"evt_torn","session_id":"s1","seq":7,"ts":"2026');
  const { code } = await onceHere(bench.place, url, 'second');
  expect(code).toBe(0);
  expect(await readFile(join(bench.place.storage, 'sessions', 's1.torn-1'), 'utf8')).toBe(
    '{"v":1,"id":"evt_torn","session_id":"s1","seq":7,"ts":"2026',
  );
  const all = await readEvents(bench.place);
  expect(all.map((event) => event.seq)).toEqual(all.map((_, index) => index));
  expect(all.find((event) => event.type === 'diagnostic')?.data.code).toBe('torn_tail');
});

test('a damaged line opens the session read-only and names the line; nothing is changed', async () => {
  const url = await bench.serve([says('one'), says('two')]);
  await onceHere(bench.place, url, 'first');
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  const lines = (await readFile(log, 'utf8')).split('\n');
  lines[3] = lines[3]?.replace('"run_status"', '"run_status') ?? '';
  await writeFile(log, lines.join('\n'));
  const before = await readFile(log, 'utf8');
  const { code, run } = await onceHere(bench.place, url, 'second');
  expect(code).toBe(3);
  expect(run.messages.find((message) => message.type === 'failure')).toMatchObject({
    for: 'send',
    kind: 'session_damaged',
  });
  expect(run.messages.find((message) => message.type === 'failure')?.['message']).toContain('Line 4');
  expect(await readFile(log, 'utf8')).toBe(before);
  expect(bench.server?.requests.length).toBe(1);
  const diagnosis = await inspectJson(['diagnose', '--storage', bench.place.storage, '--session', 's1']);
  expect(diagnosis.document).toMatchObject({ ok: false, status: 'blocked' });
  expect(await inspectRequest(bench.place.storage, 's1', null)).toMatchObject({
    damage: [{ line: 4 }],
    problems: [{ kind: 'damaged_line', line: 4 }],
    shared_prefix: { whole: false, broken_by: 'damaged_log' },
  });
});

test('a damaged session can be forked from its last good event, and the fork goes on', async () => {
  const url = await bench.serve([says('one'), says('two'), says('three')]);
  await onceHere(bench.place, url, 'first');
  await onceHere(bench.place, url, 'second');
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  const lines = (await readFile(log, 'utf8')).split('\n');
  lines[lines.length - 2] = 'damaged';
  await writeFile(log, lines.join('\n'));
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'ready' });
  run.send({ type: 'fork' });
  const fork = String((await run.until(isOtherSession))['session_id']);
  run.send({ type: 'send', client_turn_id: 't3', text: 'third' });
  await run.until((message) => isState('completed')(message) && message['client_turn_id'] === 't3');
  run.closeInput();
  await run.exited;
  expect(bench.sent(2).slice(0, bench.sent(1).length)).toEqual(bench.sent(1));
  expect(bench.sent(2).at(-1)).toMatchObject({
    role: 'user',
    content: [{ type: 'input_text', text: 'third' }],
  });
  const [first] = await readEvents(bench.place, fork);
  expect(first?.data).toMatchObject({
    parent_session_id: 's1',
    fork_root_session_id: 's1',
    replay_event_count: 5,
  });
  expect(await readFile(log, 'utf8')).toBe(lines.join('\n'));
});

test('an empty log starts a session there', async () => {
  const url = await bench.serve([says('hi')]);
  await onceHere(bench.place, url, 'x', { session: 'other', set: ['maxRounds=1'] });
  await truncate(join(bench.place.storage, 'sessions', 'other.jsonl'), 0);
  const fresh = await bench.serve([says('hi')]);
  const { code } = await onceHere(bench.place, fresh, 'hello', { session: 'other' });
  expect(code).toBe(0);
  expect((await readEvents(bench.place, 'other'))[0]).toMatchObject({
    seq: 0,
    type: 'session_started',
    session_id: 'other',
  });
});

test('a long prompt lives in a blob and is sent whole', async () => {
  const url = await bench.serve([says('long'), says('again')]);
  const long = `begin ${'äöü '.repeat(10_000)}end`;
  await onceHere(bench.place, url, long);
  await onceHere(bench.place, url, 'short');
  const [blob] = await readdir(join(bench.place.storage, 'blobs'));
  expect(await readFile(join(bench.place.storage, 'blobs', blob ?? ''), 'utf8')).toBe(long);
  expect((await stat(join(bench.place.storage, 'sessions', 's1.jsonl'))).size).toBeLessThan(20_000);
  expect(JSON.stringify(bench.sent(1))).toContain(JSON.stringify(long).slice(1, -1));
});
