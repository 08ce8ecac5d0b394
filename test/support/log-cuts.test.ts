import { expect, test } from 'vitest';
import { prefixLengths } from './log-cuts.ts';
import { SEARCHING } from './search-runs.ts';

const line = (type: string, data: object = {}): string => `${JSON.stringify({ type, data })}\n`;

test('a log is cut behind the first and the last event of each kind', () => {
  const log = [
    line('user_message', { text: 'one' }),
    line('tool_call_status', { call_id: 'a', to: 'running' }),
    line('tool_call_status', { call_id: 'b', to: 'running' }),
    line('tool_call_status', { call_id: 'c', to: 'running' }),
    line('tool_call_status', { call_id: 'a', to: 'succeeded' }),
    line('user_message', { text: 'two' }),
  ].join('');
  expect(prefixLengths(log)).toEqual(SEARCHING ? [6, 5, 4, 3, 2, 1] : [6, 5, 4, 2, 1]);
});

test.each<[string, string, object, object]>([
  ['what was decided', 'permission_decision', { decision: 'ask' }, { decision: 'allow' }],
  ['who decided', 'permission_decision', { decided_by: 'policy' }, { decided_by: 'user' }],
  ['what is done with a call', 'tool_call_decision', { action: 'cancel' }, { action: 'resume' }],
  ['where a call comes from', 'tool_call_status', { from: 'new' }, { from: 'resuming' }],
  ['where it goes', 'tool_call_status', { to: 'running' }, { to: 'suspended' }],
  [
    'what it waits for',
    'tool_call_status',
    { suspension: { reason: 'approval' } },
    { suspension: { reason: 'question' } },
  ],
  ['why a run rests', 'run_status', { reason: 'suspended' }, { reason: 'natural_end' }],
  ['how a turn ended', 'turn_failed', { terminal_status: 'failed' }, { terminal_status: 'interrupted' }],
  ['what happened to a child', 'subagent_event', { event: 'started' }, { event: 'finished' }],
  ['what came of a step', 'workflow_event', { status: 'partial' }, { status: 'checkpoint_ready' }],
  ['whether an answer is whole', 'assistant_message', { metadata: { partial: true } }, {}],
])('an event is of another kind by %s', (_, type, one, other) => {
  // The one in the middle is neither the first nor the last of the others.
  const log = [line(type, one), line(type, other), line(type, one)].join('');
  expect(prefixLengths(log)).toEqual([3, 2, 1]);
});

test('an event is of the same kind whatever its words are', () => {
  const log = ['a', 'b', 'c'].map((reason) => line('tool_call_decision', { reason })).join('');
  expect(prefixLengths(log)).toEqual(SEARCHING ? [3, 2, 1] : [3, 1]);
});
