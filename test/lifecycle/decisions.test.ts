import { describe, expect, it } from 'vitest';
import { write } from './calls.ts';
import { logText, movesOf } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const count = (call_id: string, file = 'count') =>
  [call_id, 'run_command', { command: `echo x >> ${file}` }] as const;

const decided = (decision_id: string, target_id: string, action = 'resume'): object => ({
  type: 'decide',
  decision_id,
  target_id,
  action,
});

function pendingOf(window: Window): readonly string[] | undefined {
  const last = window.messages.findLast((message) => message.type === 'turn_state');
  return last?.type === 'turn_state' ? last.pending?.map((call) => call.call_id) : undefined;
}

/** What is sent changes nothing: not the log, not the files, not the requests; it is answered with a failure. */
async function changesNothing(window: Window, send: () => Promise<void>, kind?: string): Promise<void> {
  const [log, requests, failures] = [
    await logText(on.place),
    on.requests.length,
    window.failures.length,
  ] as const;
  await send();
  await window.rests();
  expect(await logText(on.place)).toBe(log);
  expect(on.requests).toHaveLength(requests);
  expect(window.failures).toHaveLength(failures + 1);
  expect(window.failures.at(-1)).toMatchObject({ for: 'decide', ...(kind === undefined ? {} : { kind }) });
}

describe('a decision', () => {
  it('that approves runs the call once, through all its states, and clears what is pending', async () => {
    const window = await on.turn('Count.', [asks(count('c1')), says('Counted.')]);
    expect(pendingOf(window)).toEqual(['c1']);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    const events = await on.events();
    expect(movesOf(events, 'c1')).toEqual(['suspended', 'resuming', 'running', 'succeeded']);
    expect(await on.of('tool_result')).toMatchObject([{ call_id: 'c1', ok: true }]);
    expect(await on.of('tool_call_decision')).toMatchObject([
      { call_id: 'c1', target_id: 'c1', action: 'resume', decided_by: 'user' },
    ]);
    expect(pendingOf(window)).toBeUndefined();
    expect(await on.read('count')).toBe('x\n');
  });

  it('that denies gives one error result with its reason, and the call never runs', async () => {
    const window = await on.turn('Count.', [asks(count('c1')), says('I see.')]);
    expect(await window.decided('c1', 'cancel', { reason: 'Use the other counter.' })).toBe('completed');
    const events = await on.events();
    expect(movesOf(events, 'c1')).toEqual(['suspended', 'cancelled']);
    expect(await on.of('tool_result')).toMatchObject([
      { call_id: 'c1', ok: false, error: { kind: 'denied', details: { reason: 'Use the other counter.' } } },
    ]);
    const [asked, denied] = await on.of('permission_decision');
    expect(asked?.sub_commands).toHaveLength(1);
    expect(denied).toMatchObject({
      decision: 'deny',
      decided_by: 'user',
      sub_commands: asked?.sub_commands,
    });
    expect(on.output(1, 'c1')).toContain('Use the other counter.');
    expect(await on.read('count')).toBeNull();
  });

  it.each(['its call', 'its suspension', 'what is pending', 'what the tool state calls pending'])(
    'finds its call by %s',
    async (name) => {
      const window = await on.turn('Count.', [asks(count('c1', 'one'), count('c2', 'two')), says('Done.')]);
      const state = window.messages.findLast((message) => message.type === 'turn_state');
      const told = await window.call('c2', 'suspended');
      const found = state?.type === 'turn_state' ? state.pending?.[1] : undefined;
      const suspension = found?.suspension as { readonly id: string };
      const target =
        {
          'its call': 'c2',
          'its suspension': suspension.id,
          'what is pending': found?.pending_id,
          'what the tool state calls pending': told.type === 'tool_state' ? told.pending_id : undefined,
        }[name] ?? '';
      const asked = (await on.events()).find(
        (event) => event.type === 'tool_call_status' && event.data.call_id === 'c2',
      );
      expect(found?.pending_id).toBe(asked?.id);
      expect(await window.decided(target, 'resume')).toBe('waiting');
      expect([await on.read('one'), await on.read('two')]).toEqual([null, 'x\n']);
      expect(await on.of('tool_call_decision')).toMatchObject([{ target_id: target, call_id: 'c2' }]);
    },
  );

  it('made twice at once under two ids counts once', async () => {
    const window = await on.turn('Count.', [asks(count('c1')), says('Counted.')]);
    await Promise.all([1, 2, 3].map((n) => window.receive(decided(`d${n}`, 'c1'))));
    expect(await window.rests()).toBe('completed');
    expect(window.failures.map((failure) => failure.for)).toEqual(['decide', 'decide']);
    expect(await on.of('tool_call_decision')).toHaveLength(1);
    expect(await on.read('count')).toBe('x\n');
  });

  it('about one call never runs another, and one that declines never runs anything', async () => {
    const window = await on.turn('Count.', [asks(count('c1', 'one'), count('c2', 'two')), says('Done.')]);
    expect(await window.decided('c2', 'resume')).toBe('waiting');
    expect([await on.read('one'), await on.read('two')]).toEqual([null, 'x\n']);
    expect(await window.decided('c1', 'cancel')).toBe('completed');
    expect([await on.read('one'), await on.read('two')]).toEqual([null, 'x\n']);
  });

  it('made of several: those that are left stay pending, and several at once are carried out together', async () => {
    const window = await on.turn('Write all.', [
      asks(write('c1', 'a'), write('c2', 'b'), write('c3', 'c'), write('c4', 'd')),
      says('Done.'),
    ]);
    expect(await window.decided('c2', 'resume')).toBe('waiting');
    expect(pendingOf(window)).toEqual(['c1', 'c3', 'c4']);
    expect(on.requests).toHaveLength(1);
    await Promise.all([
      window.decide('c4', 'resume'),
      window.decide('c1', 'resume'),
      window.decide('c3', 'cancel'),
    ]);
    expect(await window.rests()).toBe('completed');
    expect(on.requests).toHaveLength(2);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((path) => on.read(path)))).toEqual([
      'by c1',
      'by c2',
      null,
      'by c4',
    ]);
  });
});

describe('a decision that was made before', () => {
  it('counts once, at once, later and after a restart, and is answered with the state of the turn', async () => {
    const window = await on.turn('Count.', [asks(count('c1')), says('Counted.')]);
    await Promise.all([1, 2, 3].map(() => window.receive(decided('d1', 'c1'))));
    expect(await window.rests()).toBe('completed');
    const log = await logText(on.place);
    await window.receive(decided('d1', 'c1'));
    expect(await window.rests()).toBe('completed');
    await window.close();
    const again = await on.open();
    const before = again.messages.length;
    await again.receive(decided('d1', 'c1'));
    expect(await again.rests()).toBe('completed');
    expect(again.messages.slice(before)).toMatchObject([{ type: 'turn_state', state: 'completed' }]);
    expect([...window.failures, ...again.failures]).toEqual([]);
    expect(await logText(on.place)).toBe(log);
    expect(await on.of('tool_call_decision')).toHaveLength(1);
    expect(await on.read('count')).toBe('x\n');
    expect(on.requests).toHaveLength(2);
  });

  it('does not decide otherwise under the same id', async () => {
    const window = await on.turn('Count.', [asks(count('c1')), says('Counted.')]);
    await window.receive(decided('d1', 'c1'));
    await window.receive(decided('d1', 'c1', 'cancel'));
    expect(await window.rests()).toBe('completed');
    expect(window.failures).toMatchObject([{ for: 'decide', kind: 'decision_id_reused', decision_id: 'd1' }]);
    expect(await on.read('count')).toBe('x\n');
  });

  it('does not decide about another call under the same id', async () => {
    const window = await on.turn('Count.', [asks(count('c1', 'one'), count('c2', 'two')), says('Done.')]);
    await window.receive(decided('d1', 'c1'));
    await window.receive(decided('d1', 'c2'));
    expect(await window.rests()).toBe('waiting');
    expect([await on.read('one'), await on.read('two')]).toEqual(['x\n', null]);
    expect(pendingOf(window)).toEqual(['c2']);
    expect(window.failures).toMatchObject([{ for: 'decide', kind: 'decision_id_reused', target_id: 'c2' }]);
  });
});

describe('a decision that names nothing pending', () => {
  it('changes nothing when the target is unknown', async () => {
    const window = await on.turn('Count.', [asks(count('c1'))]);
    await changesNothing(window, () => window.decide('c9', 'resume'), 'unknown_target');
    expect(pendingOf(window)).toEqual(['c1']);
  });

  it('changes nothing when the call has ended, in this turn or in an earlier one', async () => {
    const window = await on.turn('Count.', [asks(count('c1'), count('c2')), says('Done.'), says('Hello.')]);
    await window.decide('c1', 'resume');
    await window.rests();
    await changesNothing(window, () => window.decide('c1', 'cancel'), 'already_settled');
    expect(await window.decided('c2', 'cancel')).toBe('completed');
    await changesNothing(window, () => window.decide('c2', 'resume'), 'already_settled');
    await window.turn('Hi.');
    await changesNothing(window, () => window.decide('c1', 'resume'), 'already_settled');
    expect(await on.read('count')).toBe('x\n');
  });

  it('changes nothing when the call has been decided and runs', async () => {
    const command = 'touch began; until [ -e go ]; do sleep 0.02; done; echo x >> count';
    const window = await on.turn('Count.', [asks(['c1', 'run_command', { command }]), says('Done.')]);
    await window.decide('c1', 'resume');
    await window.call('c1', 'running');
    await expect.poll(() => on.read('began')).toBe('');
    const log = await logText(on.place);
    await window.decide('c1', 'cancel');
    await window.decide('c1', 'resume');
    expect(window.failures).toMatchObject([{ kind: 'already_decided' }, { kind: 'already_decided' }]);
    expect(await logText(on.place)).toBe(log);
    await on.write('go', '');
    expect(await window.rests()).toBe('completed');
    expect(await on.read('count')).toBe('x\n');
  });
});
