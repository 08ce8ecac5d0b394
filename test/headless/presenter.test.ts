import { expect, test } from 'vitest';
import { headless, placeArgs, readEvents } from '../support/headless.ts';
import { headlessHere, inspectHere, onceHere } from '../support/headless-here.ts';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { breaksOff, hangs } from '../support/responses-server/whole-replies.ts';
import { isState, says, served } from './served.ts';

const bench = served();

const SESSION = ['--storage', 'x', '--session', 's'];

test.each([
  [['--set', 'turnTimeout=x'], 'turnTimeout is not valid. It must be a number of seconds above 0, at most'],
  [['--set', 'permissions={"allow":[1]}'], 'permissions is not valid. It must be an object with no other'],
  [
    ['--set', 'permissions={"allow":["Foo Bar("]}'],
    'permissions.allow: "Foo Bar(": This rule cannot be read: it is neither a tool nor a tool with a glob',
  ],
  [
    ['--set', 'permissions={"deny":["run_command()"]}'],
    'permissions.deny: "run_command()": This rule cannot',
  ],
  [['--set', 'permissions={"ask":["run_command("]}'], 'such as run_command(npm test*).'],
  [['--dry-run'], '--dry-run is only for diagnose, replay, compact'],
  [['--at', '3'], '--at is only for replay'],
  [['--once', 'a', '--once', 'b'], '--once is given more than once'],
])('%j says what is wrong with it and exits 64', async (args, message) => {
  const { workspace, storage } = bench.place;
  const run = headlessHere(['--workspace', workspace, '--storage', storage, ...args]);
  expect(await run.exited).toBe(64);
  expect(run.stderr()).toContain(message);
  expect(run.messages).toEqual([]);
});

test.each([
  [['diagnose', ...SESSION, '--at', '3'], '--at is only for replay'],
  [['compact', ...SESSION, '--once', 'x'], '--once is only for a conversation'],
])('%j has an option that it would not heed and exits 64', async (args, message) => {
  const run = await headless(args);
  expect(await run.exited).toBe(64);
  expect(run.stderr()).toContain(message);
});

test('a rule for a tool that is not known is no bad usage: it is said on stderr', async () => {
  const set = ['permissions={"allow":["nosuchtool"]}'];
  const { code, run } = await onceHere(bench.place, null, 'hello', { set });
  expect(code).toBe(0);
  expect(run.stderr()).toContain(' warn permissions.allow: "nosuchtool": No tool is called nosuchtool.');
});

test.each([
  ['not JSON', '{"type":', 'This is not JSON. Send one JSON object a line.'],
  ['a text', '"ready"', 'This is no object. Send one JSON object with a "type".'],
  ['a list', '[{"type":"ready"}]', 'This is no object. Send one JSON object with a "type".'],
])('a line that is %s is told so', async (_name, line, reason) => {
  const run = headlessHere(placeArgs(bench.place, null));
  run.send(line);
  const failure = await run.until((message) => message.type === 'failure');
  expect(failure).toMatchObject({
    kind: 'bad_message',
    message: `The message was not understood and changed nothing. ${reason}`,
  });
  run.closeInput();
  expect(await run.exited).toBe(0);
});

test.each([
  ['no storage', ['--workspace', '.']],
  ['no workspace', ['--storage', 'x']],
  ['an unknown option', ['--workspace', '.', '--storage', 'x', '--frobnicate']],
  ['an unknown setting', ['--workspace', '.', '--storage', 'x', '--set', 'colour=red']],
  ['a bad value', ['--workspace', '.', '--storage', 'x', '--set', 'permissionMode=yolo']],
  ['a setting without a value', ['--workspace', '.', '--storage', 'x', '--set', 'model']],
  ['a session id that leaves the folder', ['--workspace', '.', '--storage', 'x', '--session', '../../etc']],
  ['a workspace that is not there', ['--workspace', 'nowhere-at-all', '--storage', 'x']],
  ['an unknown command', ['explode', '--storage', 'x', '--session', 's']],
  ['diagnose of a session that is not there', ['diagnose', '--storage', 'x', '--session', 's']],
])('%s is bad usage and exits 64 with a message', async (_name, args) => {
  const run = headlessHere(args);
  expect(await run.exited).toBe(64);
  expect(run.stderr()).toContain('ledgerline: ');
  expect(run.messages).toEqual([]);
});

test.each([
  ['not JSON', 'hello there'],
  ['no type', '{"text":"x"}'],
  ['an unknown type', '{"type":"explode"}'],
  ['a send without an id', '{"type":"send","text":"x"}'],
  ['a send with a number for a text', '{"type":"send","client_turn_id":"a","text":5}'],
  ['an empty prompt', '{"type":"send","client_turn_id":"a","text":"  "}'],
  ['an array', '[]'],
  ['null', 'null'],
])('a bad message (%s) is answered with a failure and changes nothing', async (_name, line) => {
  const run = headlessHere(placeArgs(bench.place, null));
  run.send(line);
  expect(await run.until((message) => message.type === 'failure')).toMatchObject({ type: 'failure' });
  run.closeInput();
  expect(await run.exited).toBe(0);
  await expect(readEvents(bench.place)).rejects.toThrow('ENOENT');
});

test('SIGINT stops the turn: interrupted, user_cancelled, exit 4, and not an error', async () => {
  const url = await bench.serve([hangs('Half of it')]);
  const run = await headless([...placeArgs(bench.place, url), '--once', 'hello']);
  await run.until((message) => message.type === 'delta');
  run.kill('SIGINT');
  expect(await run.exited).toBe(4);
  const log = await readEvents(bench.place);
  expect(log.find((event) => event.type === 'turn_failed')?.data).toMatchObject({
    terminal_status: 'interrupted',
    interrupted_reason: 'user_cancelled',
  });
  expect(log.findLast((event) => event.type === 'run_status')?.data).toMatchObject({
    status: 'done',
    reason: 'cancelled',
  });
  expect(run.stderr()).not.toContain(' error ');
  const flushed = run.messages.findIndex(
    (message) => message.type === 'delta' && String(message['text']).includes('Half'),
  );
  expect(flushed).toBeGreaterThan(-1);
  expect(flushed).toBeLessThan(run.messages.findIndex(isState('interrupted')));
});

test('stop is told at info, once, and a later look at the turn is not', async () => {
  const url = await bench.serve([hangs('Half of it')]);
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until((message) => message.type === 'delta');
  run.send({ type: 'stop' });
  await run.until(isState('interrupted'));
  run.send({ type: 'ready' });
  await run.until((message) => message.type === 'snapshot');
  run.closeInput();
  await run.exited;
  expect(run.stderr().match(/ info turn \S+: interrupted \(user_cancelled\)\n/g)).toHaveLength(1);
  expect(run.stderr()).not.toMatch(/ (?:warn|error) /);
});

test.each(['SIGTERM', 'closed input'] as const)('%s is a disconnect', async (how) => {
  const url = await bench.serve([hangs('Half of it')]);
  const run = await headless(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until((message) => message.type === 'delta');
  if (how === 'SIGTERM') run.kill('SIGTERM');
  else run.closeInput();
  await run.exited;
  const failed = (await readEvents(bench.place)).find((event) => event.type === 'turn_failed');
  expect(failed?.data).toMatchObject({ terminal_status: 'interrupted', interrupted_reason: 'disconnect' });
  expect(run.stderr()).not.toContain(' error ');
});

test('a follow-on supersedes: the first turn closes, exactly one new turn starts', async () => {
  const url = await bench.serve([hangs('First answer'), says('Second answer')]);
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'first' });
  await run.until((message) => message.type === 'delta');
  run.send({ type: 'send', client_turn_id: 't2', text: 'second' });
  await run.until(isState('completed'));
  run.closeInput();
  await run.exited;
  const log = await readEvents(bench.place);
  expect(log.find((event) => event.type === 'turn_failed')?.data).toMatchObject({
    interrupted_reason: 'superseded',
    client_turn_id: 't1',
  });
  expect(
    log.filter((event) => event.type === 'user_message').map((event) => event.data.client_turn_id),
  ).toEqual(['t1', 't2']);
  expect(log.filter((event) => event.type === 'interruption_note')).toHaveLength(1);
  expect(run.stderr()).toMatch(/ info turn \S+: interrupted \(superseded\)\n/);
  expect(new Set(log.map((event) => event.session_id)).size).toBe(1);
});

test('the same client_turn_id again is answered with the state of its turn and writes nothing', async () => {
  const url = await bench.serve([says('One answer')]);
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until(isState('completed'));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until(() => run.messages.filter(isState('completed')).length === 2);
  run.closeInput();
  await run.exited;
  const { code, run: again } = { code: 0, run: headlessHere(placeArgs(bench.place, url)) };
  again.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  expect(await again.until((message) => message.type === 'turn_state')).toMatchObject({
    client_turn_id: 't1',
    state: 'completed',
  });
  again.closeInput();
  await again.exited;
  expect(code).toBe(0);
  expect((await readEvents(bench.place)).filter((event) => event.type === 'user_message')).toHaveLength(1);
  expect(bench.server?.requests).toHaveLength(1);
});

test('a presenter that comes back gets a snapshot and the state of the last turn', async () => {
  const url = await bench.serve([says('One answer')]);
  await onceHere(bench.place, url, 'What is it?');
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'ready' });
  const snapshot = await run.until((message) => message.type === 'snapshot');
  expect(snapshot).toMatchObject({
    session_id: 's1',
    title: 'What is it?',
    access: { kind: 'writer' },
    has_more: false,
  });
  expect((snapshot['items'] as readonly { type: string }[]).map((item) => item.type)).toEqual(
    (await readEvents(bench.place)).map((event) => event.type),
  );
  const state = await run.until((message) => message.type === 'turn_state');
  expect(state).toMatchObject({ state: 'completed' });
  expect(run.messages.indexOf(state)).toBe(run.messages.indexOf(snapshot) + 1);
  run.closeInput();
  await run.exited;
});

test('every event of a turn names the send, and every event of a stream the stream, that caused it', async () => {
  const url = await bench.serve([
    streamOf(
      responseEvents({ calls: [{ call_id: 'c1', name: 'list_files', args: { path: null, glob: null } }] }),
    ),
    says('done'),
  ]);
  await onceHere(bench.place, url, 'go');
  const log = await readEvents(bench.place);
  const ofTurn = log.filter((event) => 'turn_id' in event.data);
  expect(ofTurn.length).toBe(log.length - 2);
  for (const event of log) expect(event.data).toHaveProperty('client_turn_id');
  const ofCall = log.filter((event) => 'call_id' in event.data);
  expect(new Set(ofCall.map((event) => (event.data as { stream_run_id?: string }).stream_run_id)).size).toBe(
    1,
  );
});

test('diagnose and replay tell of a log what it proves and what the next request sends', async () => {
  const url = await bench.serve([breaksOff('Partial'), says('Clean')]);
  await onceHere(bench.place, url, 'first');
  await onceHere(bench.place, url, 'second');
  const args = ['--storage', bench.place.storage, '--session', 's1'];
  const diagnosis = await inspectHere(['diagnose', ...args]);
  expect(diagnosis.code).toBe(0);
  expect(diagnosis.document).toMatchObject({ ok: true, status: 'ready_with_warnings' });
  const replay = (await inspectHere(['replay', ...args])).document as {
    items: readonly { source: { type: string } }[];
    excluded: readonly { type: string; reason: string }[];
    shared_prefix: { whole: boolean };
  };
  expect(replay.items.map((item) => item.source.type)).toEqual([
    'developer_context',
    'user_message',
    'user_message',
    'assistant_message',
  ]);
  expect(replay.excluded.find((event) => event.type === 'assistant_message')?.reason).toBe('partial_text');
  expect(replay.shared_prefix.whole).toBe(true);
});

test('replay says where the log ends when it is asked for more', async () => {
  const url = await bench.serve([says('Clean')]);
  await onceHere(bench.place, url, 'first');
  const last = (await readEvents(bench.place)).length - 1;
  const args = ['replay', '--storage', bench.place.storage, '--session', 's1', '--at'];
  const run = headlessHere([...args, '99']);
  expect([await run.exited, run.messages]).toEqual([64, []]);
  expect(run.stderr()).toBe(`ledgerline: --at 99 is beyond the end: the last seq of the log is ${last}\n`);
  const { code, document } = await inspectHere([...args, String(last)]);
  expect([code, document]).toEqual([0, expect.objectContaining({ at_seq: last, last_seq: last })]);
});
