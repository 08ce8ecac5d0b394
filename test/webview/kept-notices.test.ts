import { expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { noticeWords } from '../../webview/announcements.ts';
import { INITIAL, type State } from '../../webview/state.ts';
import { apply, applyGesture } from '../../webview/store.ts';
import { RECORD } from '../support/compaction-record.ts';
import { append, failure, item, prompt, snapshot, turnState } from './log-items.ts';

function after(messages: readonly HostMessage[], state: State = INITIAL): State {
  return messages.reduce((before, message) => apply(before, message, 0), state);
}

const OPEN = after([snapshot([prompt(0)])]);

function tier(name: string, message: string, level: 'info' | 'warning' | 'error' = 'info'): HostMessage {
  return { v: 1, type: 'notice', level, tier: name, message, next_actions: [] };
}

function news(message: string): HostMessage {
  return { v: 1, type: 'notice', level: 'info', message, next_actions: [] };
}

function offer(message: string): HostMessage {
  const next_actions = [{ label: 'Compact now', command: 'ledgerline.compact' }];
  return { v: 1, type: 'notice', level: 'info', message, next_actions };
}

function shown({ notices }: State): readonly (readonly [string, string])[] {
  return notices.map(({ level, message }) => [level, message]);
}

const COMPACTED = append([item(1, 'history_compaction', { ...RECORD })]);

test('how full the window is is said once: what is said later takes its place', () => {
  const state = after([tier('advisory', '72 %.'), news('Something else.'), tier('warning', '83 %.')], OPEN);
  expect(shown(state)).toEqual([
    ['info', 'Something else.'],
    ['warning', '83 %.'],
  ]);
});

test.each([
  ['advisory', 'info'],
  ['warning', 'warning'],
  ['critical', 'warning'],
  ['recovery', 'info'],
])('a notice of the tier %s looks like %s', (name, level) => {
  expect(shown(after([tier(name, 'x')], OPEN))).toEqual([[level, 'x']]);
});

test('it is no longer news once history is compacted, nor is that it could not be', () => {
  const state = after(
    [
      tier('critical', '93 %.', 'warning'),
      failure('compact', 'Nothing to compact.'),
      news('Something else.'),
    ],
    OPEN,
  );
  expect(shown(after([COMPACTED], state))).toEqual([['info', 'Something else.']]);
  expect(after([append([item(1, 'diagnostic', {})])], state).notices).toBe(state.notices);
});

test('nor is how it would be, once it is', () => {
  const state = after([offer('It would be smaller.'), news('Something else.')], OPEN);
  expect(shown(after([COMPACTED], state))).toEqual([['info', 'Something else.']]);
});

test('what an automatic compaction says of itself stays, whichever came first', () => {
  const said = tier('recovery', 'History was compacted.');
  for (const messages of [
    [said, COMPACTED],
    [COMPACTED, said],
  ])
    expect(shown(after([tier('critical', '93 %.'), ...messages], OPEN))).toEqual([
      ['info', 'History was compacted.'],
    ]);
});

test.each(['nothing_to_compact', 'not_smaller', 'call_pending', 'turn_running', 'stopped'])(
  'that nothing was compacted is no fault of anyone: %s',
  (kind) => {
    expect(shown(after([failure('compact', 'Not now.', kind)], OPEN))).toEqual([['info', 'Not now.']]);
  },
);

test('that a turn runs is said as long as it does', () => {
  const busy = after([turnState('running'), failure('compact', 'A turn is running.', 'turn_running')], OPEN);
  expect(shown(busy)).toEqual([['info', 'A turn is running.']]);
  expect(after([turnState('running')], busy).notices).toBe(busy.notices);
  expect(shown(after([turnState('completed')], busy))).toEqual([]);
});

test('it can be dismissed, and interrupts nobody who listens', () => {
  const state = after([tier('critical', '93 %.', 'error'), failure('stop', 'Nothing runs.')], OPEN);
  expect(noticeWords([], state.notices)).toEqual({ polite: '93 %.', assertive: 'Nothing runs.' });
  const dismissed = applyGesture(state, { kind: 'notice_dismissed', message: '93 %.' });
  expect(shown(dismissed)).toEqual([['error', 'Nothing runs.']]);
});

test('that a message waits for the end of a compaction is said until it is on record', () => {
  const next_actions = [{ label: 'Stop', command: 'ledgerline.stop' }];
  const waits: HostMessage = { v: 1, type: 'notice', level: 'info', message: 'It waits.', next_actions };
  const state = after([news('Something else.'), waits], OPEN);
  expect(shown(after([append([item(1, 'diagnostic', {})])], state))).toContainEqual(['info', 'It waits.']);
  expect(shown(after([append([prompt(1)])], state))).toEqual([['info', 'Something else.']]);
});

function pressure(name: string): HostMessage {
  const measured = { ratio: null, input_tokens: null, cached_tokens: null, window_tokens: null };
  return { v: 1, type: 'context_pressure', tier: name, ...measured };
}

test('it stays when the session is told anew, which other notices do not, and goes with the session', () => {
  const state = after([tier('critical', '93 %.'), news('Something else.')], OPEN);
  expect(shown(after([snapshot([prompt(0)])], state))).toEqual([['warning', '93 %.']]);
  expect(shown(after([{ ...snapshot([]), session_id: 'another' }], state))).toEqual([]);
});

test.each([
  ['critical', true],
  ['unknown', true],
  ['warning', false],
  ['none', false],
])('where the window is found to be %s, that it is nearly full stands: %s', (now, stands) => {
  const state = after([tier('critical', '93 %.'), tier('recovery', 'Compacted.'), pressure(now)], OPEN);
  expect(shown(state)).toEqual([['info', 'Compacted.']]);
  const full = after([tier('critical', '93 %.'), news('Else.'), pressure(now)], OPEN);
  expect(shown(full).length).toBe(stands ? 2 : 1);
});
