import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { succeed, type ToolStub } from '../support/tool-stubs.ts';
import { cutAfter, isMove, logText, movesOf } from './log-file.ts';
import { stubStage } from './stub-session.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();
const stubs = stubStage();

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;
const TOUCH = ['c1', 'run_command', { command: 'touch ran' }] as const;
const QUESTION = ['q1', 'ask_user', { question: 'Which?' }] as const;

const isDecision = (event: LogEvent): boolean => event.type === 'tool_call_decision';

describe('what is pending when a session is closed', () => {
  it('is there again, changes nothing by being looked at, and can be decided', async () => {
    await on.script(asks(WRITE, QUESTION), says('Done.'));
    const first = await on.open();
    await first.turn('Go.');
    await first.close();
    const log = await logText(on.place);
    for (let times = 0; times < 3; times += 1) {
      const looked = await on.open();
      expect(await looked.rests()).toBe('waiting');
      await looked.close();
      expect(await logText(on.place)).toBe(log);
    }
    const again = await on.open();
    expect(again.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      state: 'waiting',
      pending: [
        { call_id: 'c1', suspension: { reason: 'approval', resume_mode: 'replay_tool_call' } },
        { call_id: 'q1', suspension: { reason: 'question', resume_mode: 'use_decision_as_result' } },
      ],
    });
    expect(await again.decided('q1', 'resume', { result: 'this' })).toBe('waiting');
    expect(await again.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
    expect([on.output(1, 'q1'), on.output(1, 'c1')]).toEqual(['this', expect.stringMatching(/^Created/)]);
    expect(on.requests).toHaveLength(2);
  });

  it('is there again after another session was looked at in the same window', async () => {
    await on.script(asks(WRITE), says('Hello.'), says('Done.'));
    const window = await on.open();
    await window.turn('Go.');
    await window.receive({ type: 'new_session' });
    expect(await window.turn('Hi.', 'client_other')).toBe('completed');
    await window.receive({ type: 'open_session', session_id: 's1' });
    expect(await window.rests()).toBe('waiting');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
    expect(on.requests).toHaveLength(3);
  });

  it('can be seen but not decided by a second window', async () => {
    await on.script(asks(WRITE), says('Done.'));
    const window = await on.open();
    await window.turn('Go.');
    const other = await on.open();
    expect(await other.rests()).toBe('waiting');
    const log = await logText(on.place);
    await other.decide('c1', 'resume');
    expect(other.failures).toMatchObject([{ for: 'decide', kind: 'session_held' }]);
    expect(await logText(on.place)).toBe(log);
    expect(await window.decided('c1', 'resume')).toBe('completed');
  });

  it('is denied with its reason after a reopening as well', async () => {
    await on.script(asks(WRITE), says('I see.'));
    const first = await on.open();
    await first.turn('Go.');
    await first.close();
    const again = await on.open();
    expect(await again.decided('c1', 'cancel', { reason: 'overnight I changed my mind' })).toBe('completed');
    expect(on.output(1, 'c1')).toContain('overnight I changed my mind');
    expect(await on.read('a.txt')).toBeNull();
  });

  it('gives its decision to the tool that asked for it, in another process', async () => {
    const given: unknown[] = [];
    const choose: ToolStub = {
      effect: 'interact',
      run: (_call, { decision }) => {
        if (decision === undefined)
          return {
            kind: 'suspended',
            suspension: { reason: 'choice', message: 'Which?', resume_mode: 'pass_decision_to_tool' },
          };
        given.push(decision.result);
        return succeed('chosen');
      },
    };
    await stubs.script(asks(['c1', 'choose', {}]), says('Done.'));
    const first = await stubs.open({ tools: { choose } });
    expect(await first.turn('Choose.')).toBe('waiting');
    await first.session.disconnect();
    const again = await stubs.open({ tools: { choose }, lines: first.log.lines });
    expect(again.state).toBe('waiting');
    expect(again.log.lines).toEqual(first.log.lines);
    expect(await again.decided('c1', 'resume', { payload: { result: 0 } })).toBe('completed');
    expect(given).toEqual([0]);
    expect(stubs.output(1, 'c1')).toBe('chosen');
  });
});

describe('a call that goes on after a decision passes the gate again', () => {
  it.each([
    ['a rule that came in between', { permissions: { allow: [], ask: [], deny: ['run_command(touch *)'] } }],
    ['a mode that only reads', { permissionMode: 'read_only' }],
  ])('%s denies it although it is approved', async (_name, settings) => {
    await on.script(asks(TOUCH), says('Denied.'));
    const first = await on.open();
    await first.turn('Go.');
    await first.close();
    const again = await on.open(settings);
    expect(await again.decided('c1', 'resume')).toBe('completed');
    expect(await on.of('tool_result')).toMatchObject([
      { call_id: 'c1', ok: false, error: { kind: 'permission_denied' } },
    ]);
    expect(movesOf(await on.events(), 'c1')).toEqual(['suspended', 'resuming', 'failed']);
    expect((await on.of('permission_decision')).map(({ decision }) => decision)).toEqual(['ask', 'deny']);
    expect(await on.read('ran')).toBeNull();
  });

  it('and so does one that the person chose meanwhile', async () => {
    await on.script(asks(TOUCH), says('Denied.'));
    const window = await on.open();
    await window.turn('Go.');
    await window.receive({ type: 'set', mode: 'read_only' });
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.of('tool_result')).toMatchObject([{ ok: false, error: { kind: 'permission_denied' } }]);
    expect(await on.read('ran')).toBeNull();
  });

  it('and is not asked twice when nothing has changed', async () => {
    await on.script(asks(TOUCH), says('Done.'));
    const first = await on.open();
    await first.turn('Go.');
    await first.close();
    const again = await on.open({ permissions: { allow: [], ask: ['run_command(touch *)'], deny: [] } });
    expect(await again.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('ran')).toBe('');
  });
});

/** A turn whose one call was approved and done, cut off where the machine stopped. */
async function cut(call: typeof WRITE | typeof TOUCH, at: (event: LogEvent) => boolean): Promise<Window> {
  await on.script(asks(call), says('Done.'));
  const window = await on.open();
  await window.turn('Go.');
  expect(await window.decided('c1', 'resume')).toBe('completed');
  await window.close();
  await cutAfter(on.place, at);
  for (const made of ['a.txt', 'ran']) await rm(`${on.place.workspace}/${made}`, { force: true });
  await on.script(says('Now it is done.'));
  return on.open();
}

describe('an approved call whose process ended before it ran', () => {
  const places: readonly (readonly [string, (event: LogEvent) => boolean])[] = [
    ['the decision', isDecision],
    [
      'the run went on',
      (event) => event.seq > 4 && event.type === 'run_status' && event.data.status === 'running',
    ],
    ['`resuming`', isMove('c1', 'resuming')],
    ['the gate', (event) => event.type === 'permission_decision' && event.data.decision === 'allow'],
  ];

  it.each(places)(
    'is asked about again when the log ends after %s, and nothing runs by itself',
    async (_name, at) => {
      const window = await cut(TOUCH, at);
      expect(await window.rests()).toBe('waiting');
      expect(await on.read('ran')).toBeNull();
      expect(on.requests).toHaveLength(0);
      expect(window.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
        pending: [
          {
            call_id: 'c1',
            decided: false,
            suspension: { reason: 'approval', message: expect.stringContaining('You had approved this') },
          },
        ],
      });
      const { status, checks } = await diagnoseSession(on.place.storage, 's1');
      expect([status, checks.filter((check) => check.status === 'blocked')]).toEqual([
        'ready_with_warnings',
        [],
      ]);
      expect(await window.decided('c1', 'resume')).toBe('completed');
      expect(await on.read('ran')).toBe('');
      expect(movesOf(await on.events(), 'c1').filter((state) => state === 'running')).toHaveLength(1);
    },
  );

  it('is asked about again beside another that still waits, and deciding that one does not run it', async () => {
    await on.script(asks(TOUCH, ['c2', 'write_file', { path: 'b.txt', content: 'b' }]), says('Done.'));
    const first = await on.open();
    await first.turn('Go.');
    expect(await first.decided('c1', 'resume')).toBe('waiting');
    await first.close();
    await rm(`${on.place.workspace}/ran`);
    await cutAfter(on.place, isDecision);
    const again = await on.open();
    expect(await again.rests()).toBe('waiting');
    expect(again.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      pending: [
        { call_id: 'c1', decided: false },
        { call_id: 'c2', decided: false },
      ],
    });
    expect(await again.decided('c2', 'cancel')).toBe('waiting');
    expect(await on.read('ran')).toBeNull();
    expect(await again.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('ran')).toBe('');
  });

  it('is the same however often it is opened again', async () => {
    const window = await cut(WRITE, isMove('c1', 'resuming'));
    await window.close();
    const log = await logText(on.place);
    const again = await on.open();
    expect(await again.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
    expect(await on.read('a.txt')).toBeNull();
  });

  it('can be denied after all', async () => {
    const window = await cut(WRITE, isMove('c1', 'resuming'));
    expect(await window.decided('c1', 'cancel')).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
    expect((await on.of('tool_result')).map(({ ok }) => ok)).toEqual([false]);
  });
});

/** The session of a call that was decided so, opened after its process had ended right then. */
async function decidedAndCut(
  call: typeof WRITE | typeof QUESTION,
  ...how: [string, Readonly<Record<string, unknown>>]
): Promise<Window> {
  const first = await on.turn('Go.', [asks(call), says('Done.'), says('Go on.')]);
  await first.decided(call[0], ...how);
  await first.close();
  await cutAfter(on.place, isDecision);
  return on.open();
}

describe('a decision with no effect of its own, whose process ended before it was carried out', () => {
  it('is carried out when the session is opened: the answer is given', async () => {
    const again = await decidedAndCut(QUESTION, 'resume', { result: 'this one' });
    expect(await again.rests()).toBe('interrupted');
    expect(await on.of('tool_result')).toMatchObject([{ call_id: 'q1', ok: true, output: 'this one' }]);
    expect((await diagnoseSession(on.place.storage, 's1')).ok).toBe(true);
    expect(await again.turn('Go on.', 'client_again')).toBe('completed');
    expect(on.output(2, 'q1')).toBe('this one');
  });

  it('is carried out when the session is opened: the denial is given', async () => {
    const again = await decidedAndCut(WRITE, 'cancel', { reason: 'not now' });
    expect(await again.rests()).toBe('interrupted');
    expect(await on.of('tool_result')).toMatchObject([
      { call_id: 'c1', ok: false, error: { kind: 'denied', details: { reason: 'not now' } } },
    ]);
    expect(await again.turn('Go on.', 'client_again')).toBe('completed');
    expect(on.output(2, 'c1')).toContain('not now');
    expect(await on.read('a.txt')).toBeNull();
  });
});
