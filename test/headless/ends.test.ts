import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { headless, once, placeArgs, readEvents, type Message, type Run } from '../support/headless.ts';
import { isRunning } from '../support/running-process.ts';
import { headlessHere, onceHere } from '../support/headless-here.ts';
import { events, HANG, stream, streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { isState, says, served } from './served.ts';

/** Ends of processes, windows and files: what is left behind, and what others are told. */

const bench = served();

const hangs = (text: string): Reply => stream([events(unfinishedEvents({ text })), HANG]);
const isFailure = (message: Message): boolean => message.type === 'failure';
const isDelta = (message: Message): boolean => message.type === 'delta';

/** A process of its own whose first turn has shown some text. */
async function streaming(url: string): Promise<Run> {
  const run = await headless(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'one' });
  await run.until(isDelta);
  return run;
}

test('SIGTERM in a turn of --once exits 4 and tells that it was interrupted', async () => {
  const url = await bench.serve([hangs('Half')]);
  const run = await headless([...placeArgs(bench.place, url), '--once', 'hello']);
  await run.until(isDelta);
  run.kill('SIGTERM');
  expect(await run.exited).toBe(4);
  expect(run.messages.at(-1)).toMatchObject({
    type: 'turn_state',
    state: 'interrupted',
    reason: 'disconnect',
  });
});

test('a message right before the end of the input is still heard', async () => {
  const url = await bench.serve([says('Hello.')]);
  const run = await headless(placeArgs(bench.place, url));
  run.send({ type: 'ready' });
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  run.closeInput();
  expect(await run.exited).toBe(0);
  expect(run.messages[0]?.type).toBe('snapshot');
  const log = await readEvents(bench.place);
  expect(log.some((event) => event.type === 'user_message')).toBe(true);
  expect(await leftovers()).toEqual([]);
});

test('characters that some take for the end of a line stay in their message', async () => {
  const url = await bench.serve([says('ok')]);
  const run = headlessHere(placeArgs(bench.place, url));
  const text = 'one\u2028two\u2029three\u0085four';
  run.send(JSON.stringify({ type: 'send', client_turn_id: 't1', text }));
  await run.until(isState('completed'));
  run.closeInput();
  await run.exited;
  expect((await readEvents(bench.place)).find((event) => event.type === 'user_message')?.data.text).toBe(
    text,
  );
});

test('a command that ignores the polite signal is gone when its turn is stopped', async () => {
  const command = 'trap "" TERM; echo $$ > pid; sleep 300';
  const call = { call_id: 'c1', name: 'run_command', args: { command, timeout_s: null } };
  const url = await bench.serve([streamOf(responseEvents({ calls: [call] }))]);
  const run = await headless([...placeArgs(bench.place, url), '--once', 'go']);
  const pidFile = join(bench.place.workspace, 'pid');
  await expect.poll(() => readFile(pidFile, 'utf8').catch(() => '')).toMatch(/^\d+\n/);
  run.kill('SIGINT');
  expect(await run.exited).toBe(4);
  const pid = Number(await readFile(pidFile, 'utf8'));
  // Killed by the program as it exits, at the latest, and nobody is left to end it later.
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(
    (await readEvents(bench.place)).find((event) => event.type === 'tool_result')?.data.error,
  ).toMatchObject({
    kind: 'cancelled',
  });
});

test('one who looked on becomes the writer when the owner is gone', async () => {
  const url = await bench.serve([hangs('Never ends'), says('mine')]);
  const owner = await streaming(url);
  const viewer = await headless(placeArgs(bench.place, url));
  viewer.send({ type: 'ready' });
  await viewer.until(isState('running'));
  viewer.send({ type: 'stop' });
  expect(await viewer.until(isFailure)).toMatchObject({ for: 'stop', kind: 'session_held' });
  owner.kill('SIGKILL');
  await owner.exited;
  expect(await viewer.until(isState('interrupted'))).toMatchObject({
    client_turn_id: 't1',
    reason: 'disconnect',
  });
  viewer.send({ type: 'send', client_turn_id: 't2', text: 'two' });
  await viewer.until(isState('completed'));
  viewer.kill('SIGINT');
  viewer.closeInput();
  expect(await viewer.exited).toBe(0);
});

test('after a take-over the text of the new owner is kept, and the old one stops', async () => {
  const url = await bench.serve([hangs('Old text'), hangs('New text')]);
  const old = await streaming(url);
  const fresh = await headless(placeArgs(bench.place, url));
  fresh.send({ type: 'take_over' });
  fresh.send({ type: 'send', client_turn_id: 't2', text: 'two' });
  await fresh.until(isDelta);
  const scratch = join(bench.place.storage, 'sessions', 's1.stream');
  await expect.poll(() => readFile(scratch, 'utf8').catch(() => '')).toContain('New text');
  old.closeInput();
  await old.exited;
  expect(await readFile(scratch, 'utf8')).toContain('New text');
  fresh.kill('SIGKILL');
  await fresh.exited;
  const { code } = await once(bench.place, null, 'help');
  const partials = (await readEvents(bench.place)).flatMap((event) =>
    event.type === 'assistant_message' && event.data.metadata.partial ? [event.data.text] : [],
  );
  expect({ code, partials }).toEqual({ code: 0, partials: ['Old text', 'New text'] });
});

test('a log that was replaced behind its session is not written to', async () => {
  const url = await bench.serve([says('one'), says('two')]);
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'send', client_turn_id: 't1', text: 'first' });
  await run.until(isState('completed'));
  await run.until((message) => JSON.stringify(message).includes('natural_end'));
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  const content = await readFile(log);
  await rm(log);
  await writeFile(log, content);
  run.send({ type: 'send', client_turn_id: 't2', text: 'second' });
  expect(await run.until(isFailure)).toMatchObject({ kind: 'log_conflict' });
  expect(bench.server?.requests).toHaveLength(1);
  run.closeInput();
  await run.exited;
});

test.each([
  ['no log has', 's9', 'unknown_session', 'There is no session s9 here. Nothing was changed.'],
  ['is in the trash', 's8', 'session_deleted', 'The session s8 was deleted: it is in the trash. Nothing'],
])('an id that %s opens nothing: the session before it stays', async (_name, id, kind, message) => {
  const url = await bench.serve([says('still here')]);
  await mkdir(join(bench.place.storage, 'trash'), { recursive: true });
  await writeFile(join(bench.place.storage, 'trash', 's8.1700000000000.jsonl'), '');
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'ready' });
  run.send({ type: 'open_session', session_id: id });
  expect(await run.until(isFailure)).toMatchObject({
    for: 'open_session',
    kind,
    message: expect.stringContaining(message),
    next_actions: [{ label: 'Open session', command: 'ledgerline.openSession' }],
  });
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until(isState('completed'));
  run.closeInput();
  expect(await run.exited).toBe(0);
  expect((await readEvents(bench.place)).at(-1)?.session_id).toBe('s1');
  expect(await readdir(join(bench.place.storage, 'sessions'))).not.toContain(`${id}.lease`);
});

test('a session that cannot be opened leaves the one before it', async () => {
  const url = await bench.serve([says('still here')]);
  await mkdir(join(bench.place.storage, 'sessions', 'bad.jsonl'), { recursive: true });
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'open_session', session_id: 'bad' });
  expect(await run.until(isFailure)).toMatchObject({ for: 'open_session' });
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until(isState('completed'));
  run.closeInput();
  expect(await run.exited).toBe(0);
  expect((await readEvents(bench.place)).at(-1)?.session_id).toBe('s1');
});

test('storage that cannot be used is named, with what to do', async () => {
  await mkdir(bench.place.storage, { recursive: true });
  await writeFile(join(bench.place.storage, 'sessions'), 'a file where a folder should be');
  const { code, run } = await onceHere(bench.place, null, 'help');
  expect(code).toBe(3);
  const failure = run.messages.find(isFailure);
  expect(failure?.['kind']).toMatch(/^storage_/);
  expect(failure?.['message']).toContain('Check the storage folder');
});

test('a fork of a completed turn with tools is completed, by moves that the tables have', async () => {
  await writeFile(join(bench.place.workspace, 'a'), 'A');
  const call = { call_id: 'c1', name: 'read_file', args: { path: 'a', start_line: null, end_line: null } };
  const url = await bench.serve([streamOf(responseEvents({ calls: [call] })), says('done')]);
  await onceHere(bench.place, url, 'read');
  const run = headlessHere(placeArgs(bench.place, url));
  run.send({ type: 'fork' });
  const snapshot = await run.until((message) => message.type === 'snapshot');
  await run.until(isState('completed'));
  run.closeInput();
  await run.exited;
  const fork = await readEvents(bench.place, String(snapshot['session_id']));
  expect(fork.filter((event) => event.type === 'turn_failed')).toEqual([]);
  expect(fork.flatMap((event) => (event.type === 'tool_call_status' ? [event.data.to] : []))).toEqual([
    'running',
    'succeeded',
  ]);
  expect(fork.at(-1)?.data).toMatchObject({ status: 'done', reason: 'natural_end' });
});

test('an empty session has nothing to fork', async () => {
  const run = headlessHere(placeArgs(bench.place, null));
  run.send({ type: 'fork', at_seq: 5 });
  expect(await run.until(isFailure)).toMatchObject({ for: 'fork', kind: 'nothing_to_fork' });
  run.closeInput();
  await run.exited;
});

test.each(['AGENTS.md', '.vscode/settings.json', '.ledgerline/x', 'sub/.agents/skills/SKILL.md'])(
  'a write to %s is not done without asking, in auto as well',
  async (path) => {
    const call = { call_id: 'c1', name: 'write_file', args: { path, content: 'x' } };
    const url = await bench.serve([streamOf(responseEvents({ calls: [call] }))]);
    const { code } = await onceHere(bench.place, url, 'write it');
    const decision = (await readEvents(bench.place)).find((event) => event.type === 'permission_decision');
    expect([code, decision?.data]).toMatchObject([6, { decision: 'ask', rule: 'policy:protected_path' }]);
    expect(await readdir(bench.place.workspace)).toEqual([]);
  },
);

test.each([
  ['a rule for the command', '{"deny":["run_command(touch *)"]}', 'deny'],
  ['a rule that asks', '{"ask":["run_command"]}', 'ask'],
])('%s counts in auto as well', async (_name, permissions, decision) => {
  const call = { call_id: 'c1', name: 'run_command', args: { command: 'touch ran', timeout_s: null } };
  const url = await bench.serve([streamOf(responseEvents({ calls: [call] })), says('denied')]);
  await onceHere(bench.place, url, 'run it', { set: [`permissions=${permissions}`] });
  const log = await readEvents(bench.place);
  expect(log.find((event) => event.type === 'permission_decision')?.data).toMatchObject({
    decision,
    decided_by: 'rule',
  });
  expect(await readdir(bench.place.workspace)).toEqual([]);
});

test('a rule for one tool leaves the others alone', async () => {
  const call = { call_id: 'c1', name: 'run_command', args: { command: 'touch ran', timeout_s: null } };
  const url = await bench.serve([streamOf(responseEvents({ calls: [call] })), says('ran')]);
  await onceHere(bench.place, url, 'run it', { set: ['permissions={"deny":["write_file"]}'] });
  expect(await readdir(bench.place.workspace)).toEqual(['ran']);
});

async function leftovers(): Promise<readonly string[]> {
  const names = await readdir(join(bench.place.storage, 'sessions'));
  return names.filter((name) => !name.endsWith('.jsonl'));
}
