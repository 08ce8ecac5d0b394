import { describe, expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import {
  canWrite,
  decisionsLocked,
  INITIAL,
  isRunning,
  lastTurn,
  shownTitle,
  turnStateOf,
  type State,
} from '../../webview/state.ts';
import { apply, applyGesture } from '../../webview/store.ts';
import { suspensionOf } from '../../webview/suspension.ts';
import {
  answer,
  append,
  call,
  delta,
  failed,
  failure,
  item,
  prompt,
  result,
  snapshot,
  toolState,
  turnState,
} from './log-items.ts';

function after(messages: readonly HostMessage[], from: State = INITIAL): State {
  return messages.reduce((state, message, index) => apply(state, message, index), from);
}

function stateOfLast(state: State): string | undefined {
  const turn = lastTurn(state);
  return turn === undefined ? undefined : turnStateOf(state, turn);
}

describe('a session that is told anew', () => {
  test('keeps what it has when its items are not told again', () => {
    const before = after([snapshot([prompt(0), answer(1, 'one')], { has_more: true })]);
    const settings = { provider: 'openai', model: 'another', mode: 'auto' };
    const now = after([snapshot([], { unchanged: true, settings })], before);
    expect(now.items).toBe(before.items);
    expect(now.blocks).toBe(before.blocks);
    expect([now.has_more, now.session?.settings]).toEqual([true, settings]);
  });
});

describe('a part of the log that was asked for', () => {
  test('is still taken when another part arrives before it', () => {
    const away = applyGesture(after([snapshot([prompt(900)], { has_more: true })]), {
      kind: 'jump_wanted',
      before: 41,
    });
    const part = (seq: number, before: number): HostMessage => ({
      v: 1,
      type: 'prepend',
      session_id: away.session?.session_id ?? '',
      items: [prompt(seq)],
      has_more: true,
      before,
    });
    const meanwhile = after([part(899, 900)], away);
    expect([meanwhile.items[0]?.seq, meanwhile.jump]).toEqual([899, 41]);
    const there = after([part(40, 41)], meanwhile);
    expect([there.past?.items[0]?.seq, there.jump]).toEqual([40, null]);
  });
});

describe('a stream', () => {
  test('grows by its deltas, text and reasoning apart', () => {
    const state = after([snapshot([prompt(0)]), delta('think', 'reasoning'), delta('one '), delta('two')]);
    expect(state.stream).toEqual({ turn_id: 't1', stream_run_id: 's1', text: 'one two', reasoning: 'think' });
  });

  test('goes on from the text of the snapshot', () => {
    const stream = { turn_id: 't1', stream_run_id: 's1', text: 'one ', reasoning: '' };
    expect(after([snapshot([prompt(0)], { stream }), delta('two')]).stream?.text).toBe('one two');
  });

  test('gives way to what the log has of it', () => {
    const state = after([snapshot([prompt(0)]), delta('one two'), append([answer(1, 'one two')])]);
    expect(state.stream).toBeNull();
    expect(lastTurn(state)?.entries.map((entry) => entry.kind)).toEqual(['text']);
  });

  test('shows nothing more once it was asked to stop', () => {
    const streaming = after([snapshot([prompt(0)]), turnState('running'), delta('one ')]);
    const stopped = applyGesture(streaming, { kind: 'stop_requested' });
    expect(after([delta('two')], stopped).stream?.text).toBe('one ');
    expect(after([turnState('interrupted')], stopped).stopping).toBeNull();
  });

  test('of a turn that is over without text in the log is not shown', () => {
    expect(after([snapshot([prompt(0)]), delta('one'), turnState('failed')]).stream).toBeNull();
  });
});

function readOnly(reason: 'held' | 'damaged' | 'deleted'): string | undefined {
  const access = { kind: 'read_only' as const, reason, message: 'Not here.', next_actions: [] };
  return stateOfLast(after([snapshot([prompt(0)], { access })]));
}

describe('a turn whose end the log does not have', () => {
  test('runs only where somebody may be working on it', () => {
    expect(stateOfLast(after([snapshot([prompt(0)])]))).toBe('running');
    expect([readOnly('held'), readOnly('damaged'), readOnly('deleted')]).toEqual([
      'running',
      'interrupted',
      'interrupted',
    ]);
  });

  test('is over when another one follows it', () => {
    const next = { ...prompt(1), turn_id: 't2', data: { ...prompt(1).data, turn_id: 't2' } };
    const state = after([snapshot([prompt(0), next])]);
    expect(state.blocks.map((one) => (one.kind === 'turn' ? turnStateOf(state, one) : null))).toEqual([
      'interrupted',
      'running',
    ]);
  });
});

describe('items', () => {
  test('that come twice change nothing', () => {
    const once = after([snapshot([prompt(0)]), append([answer(1, 'yes')])]);
    expect(after([append([answer(1, 'yes')])], once)).toBe(once);
  });

  test('of another session are not shown', () => {
    const state = after([snapshot([prompt(0)])]);
    expect(after([{ ...append([answer(1, 'yes')]), session_id: 'two' } as HostMessage], state)).toBe(state);
  });

  test('from before the window come before it and join their turn', () => {
    const late = after([snapshot([answer(5, 'yes')], { has_more: true })]);
    const all = after(
      [{ v: 1, type: 'prepend', session_id: 'one', items: [prompt(4)], has_more: false }],
      late,
    );
    expect(all.blocks).toHaveLength(1);
    expect(lastTurn(all)?.prompt?.text).toBe('hello');
    expect(all.has_more).toBe(false);
  });

  test('of a later version are shown as unknown', () => {
    const state = after([snapshot([item(0, 'unknown', { original_type: 'hologram' })])]);
    expect(lastTurn(state)?.entries).toEqual([
      {
        kind: 'mark',
        seq: 0,
        message: 'Unknown event hologram of a later version',
        actions: [],
        opens: null,
      },
    ]);
  });
});

describe('the state of a turn', () => {
  test('is what the host says of the last one', () => {
    expect(stateOfLast(after([snapshot([prompt(0)]), turnState('waiting')]))).toBe('waiting');
  });

  test('is a failure as soon as the log has it, whatever the host said before', () => {
    const state = after([snapshot([prompt(0)]), turnState('running'), append([failed(1, 'interrupted')])]);
    expect(stateOfLast(state)).toBe('interrupted');
    expect(isRunning(state)).toBe(false);
  });

  test('is not completed by text that came with a call', () => {
    const state = after([snapshot([prompt(0), answer(1, 'I will look.'), call(2), result(3)])]);
    expect(stateOfLast(state)).toBe('running');
  });

  test('is completed by a clean answer after every result', () => {
    const last = answer(4, 'Found it.', { stream_run_id: 's2' });
    expect(stateOfLast(after([snapshot([prompt(0), call(1), result(2), last])]))).toBe('completed');
  });

  test('is not completed by a partial answer', () => {
    const partial = answer(1, 'Found', { metadata: { partial: true } });
    expect(stateOfLast(after([snapshot([prompt(0), partial])]))).toBe('running');
  });
});

describe('a prompt on its way', () => {
  const words = {
    client_turn_id: 'c1',
    text: 'hello',
    attachments: [{ id: 'a1', kind: 'file', path: 'a.ts' }],
  };
  const sent = applyGesture(after([snapshot([])]), { kind: 'sent', ...words });

  test('is shown until the log has it', () => {
    expect(sent.sending).toEqual({ ...words, session_id: sent.session?.session_id });
    expect(after([append([prompt(0)])], sent).sending).toBeNull();
    expect(after([snapshot([prompt(0)])], sent).sending).toBeNull();
    expect(after([snapshot([])], sent).sending).toEqual(sent.sending);
  });

  const refusal: HostMessage = {
    v: 1,
    type: 'failure',
    for: 'send',
    kind: 'session_held',
    message: 'Held.',
    next_actions: [],
    client_turn_id: 'c1',
  };

  test('comes back as a draft, with what was attached, under the same id when it was refused', () => {
    const state = after([refusal], sent);
    expect(state.sending).toBeNull();
    expect(state.offered).toEqual(words);
    expect(state.notices.map((notice) => notice.message)).toEqual(['Held.']);
  });

  test('that was refused goes back to the composer of its own session, whichever is shown', () => {
    const other = snapshot([], { session_id: 'another' });
    for (const messages of [
      [other, refusal],
      [refusal, other],
    ]) {
      const elsewhere = after(messages, sent);
      expect([elsewhere.sending, elsewhere.offered]).toEqual([null, null]);
      expect(after([snapshot([])], elsewhere)).toMatchObject({ offered: words, elsewhere: [] });
    }
  });

  test('is on its way no more in a session that it was not written for', () => {
    const elsewhere = after([snapshot([], { session_id: 'another' })], sent);
    expect(elsewhere.sending).toBeNull();
    expect(after([snapshot([])], elsewhere).sending).toEqual(sent.sending);
    expect(after([snapshot([prompt(0)])], elsewhere)).toMatchObject({ sending: null, elsewhere: [] });
  });

  test('before any session was known is for the first one', () => {
    const early = applyGesture(INITIAL, { kind: 'sent', ...words });
    expect(after([snapshot([])], early).sending).toMatchObject(words);
  });

  test('words that the host put together are for the session that is shown next', () => {
    const offered = applyGesture(after([snapshot([])]), { kind: 'draft_offered', text: 'An example' });
    expect(after([snapshot([], { session_id: 'another' })], offered).offered?.text).toBe('An example');
  });
});

test('what this version does not have is said as information, and a fault as an error', () => {
  const lacking = failure('compact', 'Not yet.', 'not_available');
  const state = after([snapshot([]), lacking, failure('stop', 'Nothing runs.')]);
  expect(state.notices.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'Not yet.'],
    ['error', 'Nothing runs.'],
  ]);
});

test('a live state of a call stands until the log says more', () => {
  const suspension = { id: 'p1', reason: 'approval', message: 'May I?' };
  const waiting = after([snapshot([prompt(0), call(1)]), toolState({ suspension })]);
  expect(waiting.calls['call_1']).toEqual({
    state: 'suspended',
    suspension: suspensionOf(suspension),
    progress: '',
    process: null,
  });
  const resumed = item(2, 'tool_call_status', { call_id: 'call_1', from: 'suspended', to: 'resuming' });
  expect(after([append([resumed])], waiting).calls).toEqual({});
});

test('a watched process is known until the host says otherwise', () => {
  const watched = after([snapshot([prompt(0), call(1)]), toolState({ process: { pid: 123, alive: true } })]);
  expect(watched.calls['call_1']?.process).toEqual({ pid: 123, alive: true });
  expect(after([toolState()], watched).calls['call_1']?.process).toBeNull();
});

test('the calls that wait before the window are known by name', () => {
  const pending = [{ call_id: 'call_0', name: 'run_command', suspension: null }];
  const told = { ...turnState('waiting'), pending } as HostMessage;
  expect(after([snapshot([prompt(0)]), told]).told?.pending).toEqual(['call_0']);
});

describe('a decision on its way', () => {
  const decided = applyGesture(after([snapshot([prompt(0)])]), { kind: 'decided', suspension_id: 'p1' });

  test('is taken back when it failed, and the failure is shown', () => {
    expect(decided.decided).toEqual(['p1']);
    const refused = after([failure('decide', 'No.')], decided);
    expect(refused.decided).toEqual([]);
    expect(refused.notices.map((notice) => notice.message)).toEqual(['No.']);
  });

  test('makes what was said of an earlier one old news, and nothing else', () => {
    const refused = after([failure('decide', 'No.'), failure('stop', 'Nothing runs.')], decided);
    const again = applyGesture(refused, { kind: 'decided', suspension_id: 'p1' });
    expect(again.notices.map((notice) => notice.message)).toEqual(['Nothing runs.']);
  });
});

test('nothing can be decided in a session that is read-only, and it says why', () => {
  const access = { kind: 'read_only', reason: 'held', message: 'Held elsewhere.', next_actions: [] } as const;
  expect(decisionsLocked(after([snapshot([])]))).toBeNull();
  expect(decisionsLocked(after([snapshot([], { access: { ...access, next_actions: [] } })]))).toBe(
    'Held elsewhere.',
  );
  expect(decisionsLocked(after([snapshot([], { access: { kind: 'loading' } })]))).toBe(
    'The log is still being checked.',
  );
});

test('a session without a title is named by its first prompt', () => {
  expect(shownTitle(after([snapshot([])]))).toBe('New session');
  expect(shownTitle(after([snapshot([prompt(0, '\nFix it\nplease')])]))).toBe('Fix it');
});

test('nothing can be sent before the first snapshot or to a session that is read-only', () => {
  const access = { kind: 'read_only', reason: 'held', message: '', next_actions: [] } as const;
  expect(canWrite(INITIAL)).toBe(false);
  expect(canWrite(after([snapshot([], { access: { ...access, next_actions: [] } })]))).toBe(false);
  expect(canWrite(after([snapshot([])]))).toBe(true);
});

test('the bytes of an image come once: what was kept has them also after a draft without them', () => {
  const shown = after([snapshot([])]);
  const session_id = shown.session?.session_id ?? '';
  const told = (data?: string): HostMessage => {
    const attachments = [{ id: 'i1', kind: 'image', data }];
    return { v: 1, type: 'draft', session_id, text: 'look', attachments, at: 7 };
  };
  expect(after([told('AAAA'), snapshot([]), told()], shown).kept?.attachments).toEqual([
    { id: 'i1', kind: 'image', data: 'AAAA' },
  ]);
});
