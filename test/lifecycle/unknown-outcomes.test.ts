import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { cutAfter, isMove, logText, wayOf } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const COUNT = ['c1', 'run_command', { command: 'echo x >> count' }] as const;
const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

/** A turn whose call was cut off while it ran: what it did may be there or not. */
async function cutOff(
  call: readonly [string, string, object],
  settings: object = { permissionMode: 'auto' },
): Promise<Window> {
  await on.script(asks(call), says('Done.'));
  const window = await on.open({ ...settings });
  const state = await window.turn('Go.');
  if (state === 'waiting') await window.decide('c1', 'resume');
  expect(await window.rests()).toBe('completed');
  await window.close();
  await cutAfter(on.place, isMove('c1', 'running'));
  await on.script(says('Now I know.'));
  return on.open({ ...settings });
}

function pending(window: Window): unknown {
  const last = window.messages.findLast((message) => message.type === 'turn_state');
  return last?.type === 'turn_state' ? last.pending : undefined;
}

describe('a call with effects that was running when the process ended', () => {
  it('waits with an unknown outcome, says so, and nothing of it runs by itself however often it is opened', async () => {
    const window = await cutOff(COUNT);
    expect(window.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      state: 'waiting',
      reason: 'suspended',
    });
    expect(pending(window)).toMatchObject([
      {
        call_id: 'c1',
        suspension: {
          reason: 'outcome_unknown',
          resume_mode: 'replay_tool_call',
          resume_modes: ['replay_tool_call', 'use_decision_as_result'],
        },
      },
    ]);
    await window.close();
    const log = await logText(on.place);
    for (let times = 0; times < 3; times += 1) await (await on.open({ permissionMode: 'auto' })).close();
    expect(await logText(on.place)).toBe(log);
    expect(await on.read('count')).toBe('x\n');
    expect(on.requests).toHaveLength(0);
    const { ok, checks } = await diagnoseSession(on.place.storage, 's1');
    expect([ok, checks.filter((check) => check.status === 'blocked')]).toEqual([true, []]);
  });

  it('runs once more when the person says run again', async () => {
    const window = await cutOff(COUNT);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('count')).toBe('x\nx\n');
    expect(wayOf(await on.events(), 'c1')).toBe('running suspended resuming running succeeded');
    expect(await on.of('tool_result')).toHaveLength(1);
    expect(String(on.output(0, 'c1'))).toContain('exit code 0');
  });

  it.each([
    ['in words', { result: 'It had finished; I looked.' }, 'It had finished; I looked.'],
    ['by the mode alone', { resume_mode: 'use_decision_as_result' }, 'The person marked this as done.'],
  ])(
    'has the result that the person tells when it is marked done %s, and does not run',
    async (_name, told, output) => {
      const window = await cutOff(COUNT);
      expect(await window.decided('c1', 'resume', told)).toBe('completed');
      expect(await on.read('count')).toBe('x\n');
      expect(await on.of('tool_result')).toMatchObject([{ call_id: 'c1', ok: true, output }]);
      expect(on.output(0, 'c1')).toBe(output);
    },
  );

  it.each([['It was sent.'], [true], [{ sent: 3 }]])('is done by %j, as its result', async (result) => {
    const window = await cutOff(COUNT);
    await window.decide('c1', 'resume', { result });
    expect(window.failures).toEqual([]);
    expect(await window.rests()).toBe('completed');
    expect(await on.read('count')).toBe('x\n');
  });

  it.each([[null], [[]], [{}], [false], [{ approved: false }]])(
    'is neither run nor done by %j: that tells nothing of it',
    async (result) => {
      const window = await cutOff(COUNT);
      await window.decide('c1', 'resume', { result });
      expect(window.failures).toMatchObject([{ for: 'decide', kind: 'invalid_answer' }]);
      expect(await window.rests()).toBe('waiting');
      expect(await on.read('count')).toBe('x\n');
      expect(await window.decided('c1', 'resume', { resume_mode: 'replay_tool_call', result: null })).toBe(
        'completed',
      );
      expect(await on.read('count')).toBe('x\nx\n');
    },
  );

  it('is an error that names the unknown outcome when it is skipped, and does not run', async () => {
    const window = await cutOff(COUNT);
    expect(await window.decided('c1', 'cancel', { reason: 'leave it' })).toBe('completed');
    expect(await on.read('count')).toBe('x\n');
    expect(await on.of('tool_result')).toMatchObject([
      { call_id: 'c1', ok: false, error: { kind: 'outcome_unknown', details: { reason: 'leave it' } } },
    ]);
    expect(String(on.output(0, 'c1'))).toContain('leave it');
  });

  it('is not run by a new message, by Stop or by a decision about something else', async () => {
    const window = await cutOff(COUNT);
    expect(await window.decided('c9', 'resume')).toBe('waiting');
    expect(await window.turn('Never mind.', 'client_2')).toBe('completed');
    expect(await on.read('count')).toBe('x\n');
    expect(await on.of('tool_result')).toMatchObject([{ ok: false, error: { kind: 'outcome_unknown' } }]);
  });

  it('that was approved before is not asked twice when it runs again, and a write says what it would do', async () => {
    const window = await cutOff(WRITE, {});
    await rm(join(on.place.workspace, 'a.txt'));
    expect(pending(window)).toMatchObject([{ suspension: { reason: 'outcome_unknown' } }]);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
  });

  it('is asked about again when the process ends after "run again" and before it ran', async () => {
    const window = await cutOff(COUNT);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    await window.close();
    expect(await on.read('count')).toBe('x\nx\n');
    await cutAfter(on.place, (event: LogEvent) => event.type === 'tool_call_decision');
    const again = await on.open({ permissionMode: 'auto' });
    expect(await again.rests()).toBe('waiting');
    expect(pending(again)).toMatchObject([{ suspension: { reason: 'outcome_unknown' }, decided: false }]);
    expect(await on.read('count')).toBe('x\nx\n');
  });

  it('passes the gate when it runs again: a rule that came in between denies it', async () => {
    const window = await cutOff(COUNT);
    await window.close();
    const strict = await on.open({
      permissionMode: 'auto',
      permissions: { allow: [], ask: [], deny: ['run_command(echo *)'] },
    });
    expect(await strict.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('count')).toBe('x\n');
    expect(await on.of('tool_result')).toMatchObject([{ error: { kind: 'permission_denied' } }]);
  });
});

/** Puts a process that lives in the place of the one on record. */
async function outlived(): Promise<{ readonly window: Window; readonly end: () => void }> {
  const first = await cutOff(COUNT);
  await first.close();
  await cutAfter(on.place, isMove('c1', 'running'));
  const left = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
  left.on('error', () => undefined);
  const started = { pid: left.pid, group: left.pid, started_at: new Date().toISOString() };
  const path = join(on.place.storage, 'sessions', 's1.jsonl');
  const lines = (await logText(on.place)).trimEnd().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as { data: object };
  const changed = JSON.stringify({ ...last, data: { ...last.data, process: started } });
  await writeFile(path, `${[...lines.slice(0, -1), changed].join('\n')}\n`);
  const window = await on.open({ permissionMode: 'auto' });
  return { window, end: () => left.kill('SIGKILL') };
}

const toldAs = (window: Window, alive: boolean): Promise<unknown> =>
  window.until((message) => message.type === 'tool_state' && message.process?.alive === alive);

describe('a command that outlived its process', () => {
  it('is told to be alive; run again waits until it has ended, and then runs once', async () => {
    const { window, end } = await outlived();
    try {
      await toldAs(window, true);
      expect(await window.decided('c1', 'resume')).toBe('waiting');
      expect(pending(window)).toMatchObject([{ call_id: 'c1', decided: true }]);
      expect(await on.read('count')).toBe('x\n');
    } finally {
      end();
    }
    await toldAs(window, false);
    await window.call('c1', 'succeeded');
    expect(await window.rests()).toBe('completed');
    expect(await on.read('count')).toBe('x\nx\n');
  });

  it('is left alone when it is marked done or skipped', async () => {
    const { window, end } = await outlived();
    try {
      expect(await window.decided('c1', 'resume', { result: 'It goes on by itself.' })).toBe('completed');
      expect(on.output(0, 'c1')).toBe('It goes on by itself.');
      expect(await on.read('count')).toBe('x\n');
    } finally {
      end();
    }
  });

  it('can be ended before anything is decided, and then still waits', async () => {
    const { window, end } = await outlived();
    try {
      await toldAs(window, true);
      const args = { target_id: 'c1' };
      await window.receive({ type: 'run_action', command: 'ledgerline.endProcess', args });
      await toldAs(window, false);
    } finally {
      end();
    }
    expect(await window.rests()).toBe('waiting');
    expect(await on.read('count')).toBe('x\n');
    expect(await window.decided('c1', 'cancel')).toBe('completed');
    expect(window.failures).toEqual([]);
  });
});

describe('a call without effects that was running when the process ended', () => {
  it('is closed as interrupted, and the turn with it', async () => {
    await on.write('in.txt', 'content');
    const window = await cutOff(['c1', 'read_file', { path: 'in.txt' }]);
    expect(await window.rests()).toBe('interrupted');
    expect(await on.of('tool_result')).toMatchObject([{ ok: false, error: { kind: 'interrupted' } }]);
    expect(await on.of('turn_failed')).toMatchObject([{ interrupted_reason: 'disconnect' }]);
  });

  it('and one that had not started is closed as never started', async () => {
    const window = await on.turn('Go.', [asks(COUNT), says('Done.')], { permissionMode: 'auto' });
    await window.close();
    await rm(join(on.place.workspace, 'count'));
    await cutAfter(on.place, (event) => event.type === 'provider_usage');
    const again = await on.open({ permissionMode: 'auto' });
    expect(await again.rests()).toBe('interrupted');
    expect(await on.of('tool_result')).toMatchObject([{ ok: false, error: { kind: 'never_started' } }]);
    expect(await on.read('count')).toBeNull();
  });
});
