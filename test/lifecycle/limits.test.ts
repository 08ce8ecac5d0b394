import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { programTime } from '../support/program-time.ts';
import { hangs } from './held-replies.ts';
import { logText, movesOf } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();
const time = programTime();

const list = (call_id: string, glob: string) => [call_id, 'list_files', { glob }] as const;
const missing = (n: number) => [`e${n}`, 'read_file', { path: `none${n}` }] as const;
const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

function commands(window: Window): readonly string[] {
  const last = window.messages.findLast((message) => message.type === 'turn_state');
  return last?.type === 'turn_state' ? last.next_actions.map(({ command }) => command) : [];
}

const action = (command: string): object => ({ type: 'run_action', command });

async function prompts(): Promise<readonly string[]> {
  return (await on.of('user_message')).map(({ text }) => text);
}

describe('a turn that takes too long', () => {
  it('is timed out with its budget, the time it took and what can be done; Continue goes on', async () => {
    await on.script(hangs('Half an answer'), says('The rest.'));
    const window = await on.open({ turnTimeout: 9 });
    const turn = window.turn('Tell me.');
    await window.until(({ type }) => type === 'delta');
    expect(await time.fly(turn)).toBe('timed_out');
    const [failed] = await on.of('turn_failed');
    expect(failed).toMatchObject({
      terminal_status: 'timed_out',
      error_kind: 'stopped:timeout',
      timeout_ms: 9000,
    });
    expect(failed?.elapsed_ms).toBeGreaterThanOrEqual(9000);
    expect(await on.of('assistant_message')).toMatchObject([
      { text: 'Half an answer', metadata: { partial: true } },
    ]);
    expect(commands(window)).toEqual(
      expect.arrayContaining(['ledgerline.continueTurn', 'workbench.action.openSettings']),
    );
    expect((await on.of('run_status')).at(-1)).toMatchObject({
      status: 'done',
      reason: 'stopped:timeout',
      code: 'timeout',
    });
    await window.receive(action('ledgerline.continueTurn'));
    expect(await window.rests()).toBe('completed');
    expect(await prompts()).toEqual(['Tell me.', 'Continue.']);
    expect(JSON.stringify(on.input(1))).not.toContain('Half an answer');
  });

  it('in a command ends that, and closes what waits', async () => {
    await on.script(asks(['c2', 'run_command', { command: 'touch began; sleep 300' }], WRITE));
    const window = await on.open({
      turnTimeout: 9,
      permissions: { allow: ['run_command(*)'], ask: [], deny: [] },
    });
    const turn = window.turn('Go.');
    await expect.poll(() => on.read('began')).toBe('');
    expect(await time.fly(turn)).toBe('timed_out');
    const events = await on.events();
    expect([movesOf(events, 'c2'), movesOf(events, 'c1')]).toEqual([
      ['running', 'cancelled'],
      ['suspended', 'cancelled'],
    ]);
    expect(await on.read('began')).toBe('');
    expect(await on.read('a.txt')).toBeNull();
  });

  it('by waiting for a person is not timed, and has its whole time again when it goes on', async () => {
    await on.script(asks(WRITE), says('Written.'));
    const window = await on.open({ turnTimeout: 9 });
    expect(await window.turn('Write.')).toBe('waiting');
    const log = await logText(on.place);
    await time.skip(9500);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
  });
});

describe('a turn that a stop condition ends', () => {
  it.each([
    ['max_rounds', { maxRounds: 2 }, [1, 2, 3].map((n) => asks(list(`c${n}`, `*${n}`))), 2],
    ['token_budget', { tokenBudget: 200 }, [1, 2, 3].map((n) => asks(list(`c${n}`, `*${n}`))), 2],
    ['loop_detected', {}, [1, 2, 3, 4, 5, 6, 7].map((n) => asks(list(`c${n}`, '*'))), 6],
    ['consecutive_errors', {}, [1, 2, 3, 4, 5, 6].map((n) => asks(missing(n))), 5],
  ] as const)('%s fails with its code and what can be done', async (code, settings, script, requests) => {
    const window = await on.turn('Go.', [...script], settings);
    expect(window.state).toBe('failed');
    expect(on.requests).toHaveLength(requests);
    expect(await on.of('turn_failed')).toMatchObject([
      { terminal_status: 'failed', error_kind: `stopped:${code}` },
    ]);
    expect((await on.of('run_status')).at(-1)).toMatchObject({
      status: 'done',
      reason: `stopped:${code}`,
      code,
    });
    expect(commands(window)).toContain('ledgerline.continueTurn');
    const open = (await on.of('tool_call')).length - (await on.of('tool_result')).length;
    expect(open).toBe(0);
  });

  it('can be tried again: the same words are a new turn', async () => {
    const window = await on.turn('Go on and on.', [
      ...[1, 2, 3, 4, 5, 6].map((n) => asks(list(`c${n}`, '*'))),
      says('This time it worked.'),
    ]);
    expect(window.state).toBe('failed');
    expect(commands(window)).toContain('ledgerline.retryTurn');
    await window.receive(action('ledgerline.retryTurn'));
    expect(await window.rests()).toBe('completed');
    expect(await prompts()).toEqual(['Go on and on.', 'Go on and on.']);
  });

  it('is tried again once, however often that is asked for', async () => {
    const window = await on.turn('Go on.', [asks(list('c1', '*')), hangs('Once more')], { maxRounds: 1 });
    expect(window.state).toBe('failed');
    const [failed] = await on.of('turn_failed');
    const retry = { ...action('ledgerline.retryTurn'), args: [failed?.turn_id] };
    for (let presses = 0; presses < 3; presses += 1) await window.receive(retry);
    expect(await prompts()).toEqual(['Go on.', 'Go on.']);
    expect((await on.of('user_message')).at(-1)?.client_turn_id).toBe(`retry-${failed?.turn_id}`);
    await window.receive({ type: 'stop' });
    expect(await window.rests()).toBe('interrupted');
  });

  it('is tried again with all that was sent', async () => {
    const attachments = [{ kind: 'file', label: 'notes', path: 'notes.txt', text: 'the notes' }];
    await on.script(asks(list('c1', '*')), says('Done.'));
    const window = await on.open({ maxRounds: 1 });
    await window.receive({ type: 'send', client_turn_id: 't1', text: 'Read this.', attachments });
    expect(await window.rests()).toBe('failed');
    await window.receive(action('ledgerline.retryTurn'));
    expect(await window.rests()).toBe('completed');
    const sent = await on.of('user_message');
    const recorded = [{ ...attachments[0], sha256: expect.any(String), bytes: 9, lines: 1 }];
    expect(sent.map(({ text, attachments: with_ }) => [text, with_])).toEqual([
      ['Read this.', recorded],
      ['Read this.', recorded],
    ]);
  });

  it('counts across a wait: a decision does not begin the rounds anew', async () => {
    const window = await on.turn('Go.', [asks(WRITE), asks(list('c2', '*')), says('Too late.')], {
      maxRounds: 2,
    });
    expect(window.state).toBe('waiting');
    expect(await window.decided('c1', 'resume')).toBe('failed');
    expect(await on.of('turn_failed')).toMatchObject([{ error_kind: 'stopped:max_rounds' }]);
    expect(on.requests).toHaveLength(2);
  });

  it('with a call still pending closes that call, and never ends completed', async () => {
    await on.script(asks(WRITE, list('c2', '*')), says('Too late.'));
    const window = await on.open({ maxRounds: 1 });
    const state = await window.turn('Go.');
    expect(state).toBe('failed');
    expect(movesOf(await on.events(), 'c1')).toEqual(['suspended', 'cancelled']);
    expect(await on.read('a.txt')).toBeNull();
  });
});

it('an action that nobody knows is answered with a failure and changes nothing', async () => {
  const window = await on.turn('Hi.', [says('Hello.')]);
  const log = await logText(on.place);
  await window.receive(action('ledgerline.explode'));
  await window.receive({ ...action('ledgerline.endProcess'), args: { target_id: 'c1' } });
  const failures: readonly Extract<HostMessage, { type: 'failure' }>[] = window.failures;
  expect(failures.map(({ for: what, kind }) => [what, kind])).toEqual([
    ['run_action', 'not_available'],
    ['run_action', 'unknown_target'],
  ]);
  expect(await logText(on.place)).toBe(log);
});
