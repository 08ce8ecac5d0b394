import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/presenter/protocol.ts';
import { announcement, type Hearable } from '../../webview/announcements.ts';
import { diffLines } from '../../webview/diff-lines.ts';
import type { State } from '../../webview/state.ts';
import { commandOf } from '../../webview/tool-lines.ts';
import { stretchesOf, visibleText } from '../../webview/visible-text.ts';
import {
  countsOf,
  decidableTogether,
  othersOfRound,
  standingWords,
  waitingCalls,
  type WaitingCall,
} from '../../webview/waiting-calls.ts';
import { call, callOf, decision, item, moved, prompt, suspended, turnOf } from './log-items.ts';

function waitingIn(
  items: readonly Item[],
  more: { calls?: State['calls']; sent?: readonly string[] } = {},
): readonly WaitingCall[] {
  return waitingCalls(turnOf([prompt(0), ...items]), more.calls ?? {}, more.sent ?? []);
}

function words(waiting: readonly WaitingCall[]): readonly (string | null)[] {
  return waiting.map((one) => standingWords(one, othersOfRound(waiting, one)));
}

function together(waiting: readonly WaitingCall[]): readonly string[] {
  return decidableTogether(waiting).map((one) => one.suspension.id);
}

function heard(items: readonly Item[], more: Partial<Hearable> = {}): Hearable {
  return {
    session_id: 'one',
    turn_id: 't1',
    state: 'running',
    waiting: waitingIn(items),
    crew: new Map(),
    ...more,
  };
}

function command(args: string): string | null {
  return commandOf(callOf([prompt(0), item(1, 'tool_call', { call_id: 'x', name: 'run_command', args })]));
}

function live(alive: boolean): State['calls'] {
  return { call_1: { state: 'suspended', suspension: null, progress: '', process: { pid: 123, alive } } };
}

const TWO = [call(1), suspended(2), call(3, 'call_2'), suspended(4, {}, 'call_2')];

describe('a call that waits', () => {
  test('shows its buttons until it is decided', () => {
    expect(words(waitingIn(TWO))).toEqual([null, null]);
    expect(words(waitingIn(TWO, { sent: ['p_call_1'] }))).toEqual(['Decision sent', null]);
  });

  test('says that it is decided while others of its round are not', () => {
    expect(words(waitingIn([...TWO, decision(5)]))).toEqual([
      'Approved, waiting for the other decisions',
      null,
    ]);
    const denied = [...TWO, decision(5, { action: 'cancel' }), decision(6, {}, 'call_2')];
    expect(words(waitingIn(denied))).toEqual(['Denied', 'Approved']);
  });

  test('does not wait for another round', () => {
    const later = item(3, 'tool_call', { call_id: 'call_2', name: 'x', args: '', stream_run_id: 's2' });
    const items = [call(1), suspended(2), later, suspended(4, {}, 'call_2'), decision(5)];
    expect(words(waitingIn(items))).toEqual(['Approved', null]);
  });

  test('takes a decision that came before the question', () => {
    expect(words(waitingIn([call(1), decision(2), suspended(3)]))).toEqual(['Approved']);
  });

  test('is asked again after its first decision was carried out', () => {
    const again = [moved(4, 'suspended', 'resuming'), suspended(5, { id: 'second' })];
    const waiting = waitingIn([call(1), suspended(2), decision(3), ...again], { sent: ['p_call_1'] });
    expect(words(waiting)).toEqual([null]);
    expect(waiting[0]?.suspension.id).toBe('second');
  });

  test('no longer waits once it moved on', () => {
    expect(waitingIn([call(1), suspended(2), decision(3), moved(4, 'suspended', 'cancelled')])).toEqual([]);
  });

  test('runs again when its old process has ended', () => {
    const parameters = { process: { pid: 123, group: 123, started_at: '' } };
    const items = [
      call(1),
      suspended(2, { reason: 'outcome_unknown', parameters }),
      decision(3, { resume_mode: 'replay_tool_call' }),
    ];
    const waits = ['Runs again as soon as process 123 has ended'];
    expect(words(waitingIn(items, { calls: live(true) }))).toEqual(waits);
    expect(words(waitingIn(items))).toEqual(waits);
    expect(words(waitingIn(items, { calls: live(false) }))).toEqual(['Runs again']);
  });
});

describe('several calls that wait', () => {
  test('are counted by what they ask for', () => {
    const question = [call(5, 'call_3'), suspended(6, { reason: 'question' }, 'call_3')];
    expect(countsOf(waitingIn([...TWO, ...question]))).toBe('2 approvals, 1 question');
    expect(countsOf(waitingIn([...TWO, ...question], { sent: ['p_call_1', 'p_call_2', 'p_call_3'] }))).toBe(
      '',
    );
  });

  test('can be decided together when two or more approvals are open', () => {
    expect(together(waitingIn(TWO))).toEqual(['p_call_1', 'p_call_2']);
    expect(together(waitingIn(TWO, { sent: ['p_call_1'] }))).toEqual([]);
    const unknown = [call(1), suspended(2), call(3, 'call_2')];
    expect(together(waitingIn([...unknown, suspended(4, { reason: 'outcome_unknown' }, 'call_2')]))).toEqual(
      [],
    );
  });
});

describe('what is said aloud', () => {
  const before = heard([call(1)]);
  const one = heard([call(1), suspended(2)]);

  test('is one sentence when a call begins to wait, and not again when its turn does', () => {
    expect(announcement(before, one)).toBe('Read src/login.ts needs your approval (Ctrl+Alt+Enter)');
    expect(announcement(one, { ...one, state: 'waiting' })).toBeNull();
    expect(announcement(before, { ...one, state: 'waiting' })).toBe(
      'Read src/login.ts needs your approval (Ctrl+Alt+Enter)',
    );
    expect(announcement(before, heard(TWO))).toBe('2 calls need you (Ctrl+Alt+Enter)');
  });

  test('is the question, or what is unknown', () => {
    const question = suspended(2, { reason: 'question', parameters: { question: 'Which clock?' } });
    expect(announcement(before, heard([call(1), question]))).toBe(
      'A question for you: Which clock? (Ctrl+Alt+Enter)',
    );
    const unknown = suspended(2, { reason: 'outcome_unknown' });
    expect(announcement(before, heard([call(1), unknown]))).toBe(
      'Outcome unknown: Read src/login.ts (Ctrl+Alt+Enter)',
    );
  });

  test('is not what was so when the view or the session was opened', () => {
    expect(announcement(null, one)).toBeNull();
  });

  test('is nothing any more in another session', () => {
    expect(announcement({ ...before, session_id: 'two' }, one)).toBe('');
    expect(announcement(before, null)).toBe('');
  });

  test('is how the turn ended', () => {
    expect(announcement(one, { ...one, state: 'interrupted' })).toBe('The answer was interrupted');
    expect(announcement(before, { ...before, turn_id: 't2' })).toBe('Working on it');
  });
});

test('the lines of a diff are told apart by their first character, and notes are notes', () => {
  expect(diffLines('@@ line 12 @@\n a\n-b\r\n+c\n+@@ line 1 @@\n\n[The rest is not shown.]\n')).toEqual([
    { kind: 'place', text: 'Line 12' },
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'c' },
    { kind: 'added', text: '@@ line 1 @@' },
    { kind: 'same', text: '' },
    { kind: 'note', text: '[The rest is not shown.]' },
  ]);
  expect(diffLines('')).toEqual([]);
});

test('characters that cannot be seen are shown by their number', () => {
  expect(visibleText('a\n\tb')).toBe('a\n\tb');
  expect(visibleText('a\uFE0F\u034F\u180B\u17B4\u2800b\u00A0c\u2003d')).toBe(
    'a\\ufe0f\\u034f\\u180b\\u17b4\\u2800b\\u00a0c\\u2003d',
  );
  const family = '👩\u200D👧 \u2764\uFE0F';
  expect(visibleText(family)).toBe(family);
  expect(visibleText('rm\u202E x\u200B\r\u{E0041}')).toBe('rm\\u202e x\\u200b\\u000d\\u{e0041}');
});

test('blanks that would push the rest of a command out of view are counted instead', () => {
  expect(stretchesOf(`echo ok${' '.repeat(1200)}>> ~/.bashrc`)).toEqual([
    { kind: 'words', text: 'echo ok' },
    { kind: 'spaces', count: 1200 },
    { kind: 'words', text: '>> ~/.bashrc' },
  ]);
  expect(stretchesOf(`a${'\n \t'.repeat(60)}\nb`)).toEqual([
    { kind: 'words', text: 'a' },
    { kind: 'line_ends', count: 61 },
    { kind: 'words', text: 'b' },
  ]);
  const indented = `if x\n\n${' '.repeat(16)}then`;
  expect(stretchesOf(indented)).toEqual([{ kind: 'words', text: indented }]);
});

test('a command is the whole one of its arguments', () => {
  expect(command('{"command":"a &&\\nb"}')).toBe('a &&\nb');
  expect(command('{"command":"cut of')).toBeNull();
  expect(commandOf(callOf([prompt(0), call(1)]))).toBeNull();
});
