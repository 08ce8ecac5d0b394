import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../src/tools/recorded-process.ts';
import { headless, once, placeArgs, readEvents, type Message, type Run } from '../support/headless.ts';
import { type Reply } from '../support/responses-server/reply.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { isState, says, served } from '../headless/served.ts';
import { hangs } from './held-replies.ts';
import { movesOf, wayOf } from './log-file.ts';
import { asks } from './window.ts';

/** What only processes show: being killed, starting anew, exit codes and what is written to stderr. */

const bench = served();
const ASK = { set: ['permissionMode=ask'] };

const calls = (...list: readonly (readonly [string, string, object])[]): Reply => responds(asks(...list));
const touch = (id: string): Reply => calls([id, 'run_command', { command: 'touch ran' }]);
const inWorkspace = (path: string): Promise<string | null> =>
  readFile(join(bench.place.workspace, path), 'utf8').catch(() => null);
const decide = (target_id: string, action: string, more: object = {}): object => ({
  type: 'decide',
  target_id,
  decision_id: `decide_${target_id}_${action}`,
  action,
  ...more,
});

function tellsProcess(message: Message): boolean {
  return message.type === 'tool_state' && message['process'] !== undefined;
}

async function leave(run: Run): Promise<void> {
  run.closeInput();
  expect(await run.exited).toBe(0);
}

describe('a process that is killed', () => {
  it('while calls wait leaves them pending for the next, in every way they can be resumed', async () => {
    const url = await bench.serve([
      calls(
        ['c1', 'write_file', { path: 'a.txt', content: 'new' }],
        ['q1', 'ask_user', { question: 'Which?' }],
        ['c2', 'run_command', { command: 'touch denied' }],
      ),
      says('Done.'),
    ]);
    const first = await headless(placeArgs(bench.place, url, ASK));
    first.send({ type: 'send', client_turn_id: 't1', text: 'Go.' });
    await first.until(isState('waiting'));
    first.kill('SIGKILL');
    await first.exited;
    const before = (await readEvents(bench.place)).length;
    const next = await headless(placeArgs(bench.place, url, ASK));
    next.send({ type: 'ready' });
    expect(await next.until(isState('waiting'))).toMatchObject({
      client_turn_id: 't1',
      pending: [
        { call_id: 'c1', name: 'write_file' },
        { call_id: 'q1', name: 'ask_user' },
        { call_id: 'c2', name: 'run_command' },
      ],
    });
    expect(await readEvents(bench.place)).toHaveLength(before);
    expect([await inWorkspace('a.txt'), bench.server?.requests.length]).toEqual([null, 1]);
    next.send(decide('q1', 'resume', { result: [] }));
    next.send(decide('c1', 'resume'));
    next.send(decide('c2', 'cancel', { reason: 'no' }));
    await next.until(isState('completed'));
    await leave(next);
    const outputs = bench.sent(1).filter((item) => item['type'] === 'function_call_output');
    expect(Object.fromEntries(outputs.map((item) => [item['call_id'], item['output']]))).toEqual({
      c1: expect.stringMatching(/^Created a\.txt/),
      q1: '[]',
      c2: expect.stringContaining('Their reason: no'),
    });
    expect([await inWorkspace('a.txt'), await inWorkspace('denied')]).toEqual(['new', null]);
  });

  it('while its command lives on: "run again" waits for that, it can be ended, and then it runs once more', async () => {
    const command = 'echo x >> count; [ -e again ] || { touch again; sleep 300; }';
    const url = await bench.serve([calls(['c1', 'run_command', { command }]), says('Ran again.')]);
    const first = await headless(placeArgs(bench.place, url));
    first.send({ type: 'send', client_turn_id: 't1', text: 'Go.' });
    await expect.poll(() => inWorkspace('again')).toBe('');
    first.kill('SIGKILL');
    await first.exited;
    const started = (await readEvents(bench.place)).find(
      (event) => event.type === 'tool_call_status' && event.data.process !== undefined,
    );
    const process = started?.type === 'tool_call_status' ? started.data.process : undefined;
    if (process === undefined) throw new Error('no process on record');
    const next = await headless(placeArgs(bench.place, url));
    next.send({ type: 'ready' });
    expect(await next.until(isState('waiting'))).toMatchObject({ reason: 'suspended' });
    expect(next.messages.slice(0, 2).map(({ type }) => type)).toEqual(['snapshot', 'turn_state']);
    expect(await next.until(tellsProcess)).toMatchObject({
      call_id: 'c1',
      process: { pid: process.pid, alive: true },
    });
    next.send(decide('c1', 'resume'));
    await next.until(
      (message) =>
        message.type === 'turn_state' &&
        (message['pending'] as { decided: boolean }[] | undefined)?.[0]?.decided === true,
    );
    next.send({ type: 'ready' });
    await next.until(() => next.messages.filter((message) => message.type === 'snapshot').length === 2);
    expect([isAlive(process), await inWorkspace('count')]).toEqual([true, 'x\n']);
    expect(movesOf(await readEvents(bench.place), 'c1')).toEqual(['running', 'suspended']);
    next.send({ type: 'run_action', command: 'ledgerline.endProcess', args: { target_id: 'c1' } });
    await next.until(isState('completed'));
    expect([isAlive(process), await inWorkspace('count')]).toEqual([false, 'x\nx\n']);
    expect(wayOf(await readEvents(bench.place), 'c1')).toBe('running suspended resuming running succeeded');
    await leave(next);
    const noted = (await readEvents(bench.place)).filter((event) => event.type === 'diagnostic');
    expect(noted.map((event) => event.data.code)).toEqual(['process_end_requested']);
  });
});

describe('a turn of --once that waits', () => {
  it('exits 6 and prints what is pending; a later process decides it, and remembers', async () => {
    const url = await bench.serve([touch('c1'), says('Done.'), touch('c2'), says('Without asking.')]);
    const { code, run } = await once(bench.place, url, 'Go.', ASK);
    expect(code).toBe(6);
    expect(run.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      state: 'waiting',
      pending: [
        { call_id: 'c1', name: 'run_command', suspension: { message: expect.stringContaining('touch ran') } },
      ],
    });
    expect(run.stderr()).toMatch(/waiting for 1 decision:\n {2}c1 run_command: .*touch ran/);
    expect(run.stderr()).toContain('--session s1');
    expect(run.stderr()).not.toContain(' error ');
    expect(await inWorkspace('ran')).toBeNull();
    const later = await headless(placeArgs(bench.place, url, ASK));
    later.send(decide('c1', 'resume', { remember: true }));
    await later.until(isState('completed'));
    await leave(later);
    expect(await inWorkspace('ran')).toBe('');
    const third = await once(bench.place, url, 'Again.', { ...ASK, session: 's2' });
    expect(third.code).toBe(0);
    expect(movesOf(await readEvents(bench.place, 's2'), 'c2')).toEqual(['running', 'succeeded']);
  });
});

describe('a fresh process', () => {
  it('that is sent two messages at once makes one session with both, and leaving is no error', async () => {
    const url = await bench.serve([hangs('First answer'), hangs('Second answer')]);
    const args = placeArgs(bench.place, url);
    args.splice(args.indexOf('--session'), 2);
    const run = await headless(args);
    run.send({ type: 'send', client_turn_id: 't1', text: 'One.' });
    run.send({ type: 'send', client_turn_id: 't2', text: 'Two.' });
    await run.until((message) => isState('running')(message) && message['client_turn_id'] === 't2');
    await run.until((message) => message.type === 'delta');
    run.closeInput();
    expect(await run.exited).toBe(0);
    const names = (await readdir(join(bench.place.storage, 'sessions'))).filter((name) =>
      name.endsWith('.jsonl'),
    );
    expect(names).toHaveLength(1);
    const events = await readEvents(bench.place, names[0]?.replace('.jsonl', ''));
    const prompts = events.filter((event) => event.type === 'user_message');
    expect(prompts.map((event) => event.data.client_turn_id)).toEqual(['t1', 't2']);
    const failed = events.filter((event) => event.type === 'turn_failed');
    expect(failed.map(({ data }) => [data.client_turn_id, data.interrupted_reason])).toEqual([
      ['t1', 'superseded'],
      ['t2', 'disconnect'],
    ]);
    expect(run.stderr()).toMatch(/ info disconnected/);
    expect(run.stderr()).not.toMatch(/ (?:error|warn) /);
    expect(run.messages.filter((message) => message.type === 'failure')).toEqual([]);
  });
});
