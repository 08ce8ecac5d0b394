import { describe, expect, it } from 'vitest';
import { AppendFailed } from '../../src/runtime/ports.ts';
import type { Draft, EventType } from '../../src/runtime/events.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { turnState, type TurnState } from '../../src/runtime/turn.ts';
import { succeed, type ToolStub } from '../support/tool-stubs.ts';
import { logText } from './log-file.ts';
import { stubStage, type StubSession } from './stub-session.ts';
import { asks, says, stage } from './window.ts';

const stubs = stubStage();
const on = stage();

type Refuses = (draft: Draft) => boolean;

/** Refuses the nth draft that fits, and everything after it. */
function nth(n: number, fits: Refuses): Refuses {
  let seen = 0;
  return (draft) => fits(draft) && (seen += 1) === n;
}

const ofType =
  (type: EventType): Refuses =>
  (draft) =>
    draft.type === type;
const moves =
  (to: string): Refuses =>
  (draft) =>
    draft.type === 'tool_call_status' && draft.data.to === to;
const runs =
  (status: string): Refuses =>
  (draft) =>
    draft.type === 'run_status' && draft.data.status === status;

function counted(): ToolStub & { readonly runs: () => number } {
  let times = 0;
  return {
    effect: 'write',
    runs: () => times,
    run: () => {
      times += 1;
      return succeed('written');
    },
  };
}

/** What the log proves, line by line; throws when a line is not what a log can have. */
function proven(session: StubSession): TurnState | null {
  const { turn } = session.log.events.reduce(applyToSession, emptySession('s1'));
  expect(turn?.violations ?? []).toEqual([]);
  return turn === null ? null : turnState(turn);
}

/** Everything that was shown as a fact is in the log. */
function shownIsDurable(session: StubSession): void {
  const shown = session.outputs.flatMap((output) => (output.kind === 'committed' ? output.events : []));
  expect(shown).toEqual(session.log.events.slice(session.log.events.length - shown.length));
}

const beforeDecision: readonly (readonly [name: string, refuses: Refuses, proves: TurnState | null])[] = [
  ['the prompt', ofType('user_message'), null],
  ['the response with the call', ofType('tool_call'), 'running'],
  ['the question', moves('suspended'), 'running'],
  ['that the run waits', runs('waiting'), 'running'],
];

describe('a log that takes nothing more', () => {
  it.each(beforeDecision)(
    'at %s: it is told once, nothing ran, nothing false is shown',
    async (_name, refuses, proves) => {
      const write = counted();
      await stubs.script(asks(['c1', 'write', { path: 'a' }]), says('Done.'));
      const session = await stubs.open({ tools: { write }, refuses });
      await session.send('Go.').catch((error: unknown) => expect(error).toBeInstanceOf(AppendFailed));
      await session.session.settled();
      expect(session.outputs.filter((output) => output.kind === 'append_failed')).toHaveLength(1);
      expect(session.outputs.filter((output) => output.kind === 'internal_error')).toEqual([]);
      expect(write.runs()).toBe(0);
      expect(proven(session)).toBe(proves);
      shownIsDurable(session);
    },
  );

  const afterDecision: readonly (readonly [
    name: string,
    refuses: Refuses,
    proves: TurnState,
    ran: number,
    reopened: TurnState,
  ])[] = [
    ['the decision', ofType('tool_call_decision'), 'waiting', 0, 'waiting'],
    ['that the run goes on', nth(2, runs('running')), 'waiting', 0, 'waiting'],
    ['`resuming`', moves('resuming'), 'running', 0, 'waiting'],
    ['that it is allowed', nth(2, ofType('permission_decision')), 'running', 0, 'waiting'],
    ['`running`', moves('running'), 'running', 0, 'waiting'],
    ['the result', ofType('tool_result'), 'running', 1, 'waiting'],
    ['the answer', ofType('assistant_message'), 'running', 1, 'interrupted'],
    ['that the run is done', runs('done'), 'completed', 1, 'completed'],
  ];

  it.each(afterDecision)(
    'at %s: what the log proves is no more than what happened, and it opens again',
    async (_name, refuses, proves, ran, reopened) => {
      const write = counted();
      await stubs.script(asks(['c1', 'write', { path: 'a' }]), says('Done.'));
      const session = await stubs.open({ tools: { write }, refuses });
      expect(await session.turn('Go.')).toBe('waiting');
      await session
        .decide('c1', 'resume')
        .catch((error: unknown) => expect(error).toBeInstanceOf(AppendFailed));
      await session.session.settled();
      expect(session.outputs.filter((output) => output.kind === 'append_failed')).toHaveLength(1);
      expect(session.outputs.filter((output) => output.kind === 'internal_error')).toEqual([]);
      expect(write.runs()).toBe(ran);
      expect(proven(session)).toBe(proves);
      shownIsDurable(session);
      await expect(session.decide('c1', 'resume')).rejects.toBeInstanceOf(AppendFailed);
      await expect(session.send('More.', 'client_2')).rejects.toBeInstanceOf(AppendFailed);
      const again = await stubs.open({ tools: { write }, lines: session.log.lines });
      expect(again.state).toBe(reopened);
      expect(proven(again)).toBe(reopened);
      expect(write.runs()).toBe(ran);
    },
  );

  it('at the denial: it is pending as before, and can be denied when the session is opened again', async () => {
    const write = counted();
    await stubs.script(asks(['c1', 'write', { path: 'a' }]), says('I see.'));
    const session = await stubs.open({ tools: { write }, refuses: ofType('tool_call_decision') });
    await session.turn('Go.');
    await expect(session.decide('c1', 'cancel')).rejects.toBeInstanceOf(AppendFailed);
    const again = await stubs.open({ tools: { write }, lines: session.log.lines });
    expect(await again.decided('c1', 'cancel')).toBe('completed');
    expect(write.runs()).toBe(0);
  });

  it('while another call runs: that one is stopped, and no result of it is claimed', async () => {
    const began = Promise.withResolvers<void>();
    let stopped = false;
    const slow: ToolStub = {
      effect: 'read',
      run: (_call, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            resolve({ kind: 'failure', error: { kind: 'cancelled', message: 'stopped' }, changes: [] });
          });
          began.resolve();
        }),
    };
    const write = counted();
    await stubs.script(asks(['c1', 'slow', {}], ['c2', 'write', { path: 'a' }]));
    const session = await stubs.open({ tools: { slow, write }, refuses: ofType('tool_call_decision') });
    await session.send('Go.');
    await began.promise;
    await expect(session.decide('c2', 'resume')).rejects.toBeInstanceOf(AppendFailed);
    await session.session.settled();
    expect(stopped).toBe(true);
    expect(session.of('tool_result')).toEqual([]);
    expect(write.runs()).toBe(0);
  });
});

describe('a session that another took over', () => {
  it('approves nothing any more: the decision is refused, nothing runs and nothing is written', async () => {
    await on.script(asks(['c1', 'run_command', { command: 'touch ran' }]), says('Done.'));
    const window = await on.open();
    await window.turn('Go.');
    const other = await on.open();
    await other.receive({ type: 'take_over' });
    expect(await other.rests()).toBe('waiting');
    const log = await logText(on.place);
    await window.decide('c1', 'resume');
    await window.rests();
    expect(window.failures.map(({ kind }) => kind)).toContain('lease_lost');
    expect(await logText(on.place)).toBe(log);
    expect(await on.read('ran')).toBeNull();
    expect(await other.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('ran')).toBe('');
  });
});
