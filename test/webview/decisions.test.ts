import { describe, expect, test } from 'vitest';
import { parsePresenterMessage } from '../../src/presenter/protocol.ts';
import { decideMessage, endProcess, offersOf, type Choice } from '../../webview/decisions.ts';
import { suspensionOf, type Suspension } from '../../webview/suspension.ts';

function suspension(more: Record<string, unknown>): Suspension {
  const parsed = suspensionOf({ id: 'p1', reason: 'approval', message: '', ...more });
  if (parsed === null) throw new Error('no suspension');
  return parsed;
}

describe('a choice', () => {
  const base = { type: 'decide', target_id: 'p1', decision_id: 'd1' };

  test.each<[Choice, Record<string, unknown>]>([
    [{ kind: 'approve' }, { action: 'resume' }],
    [{ kind: 'always' }, { action: 'resume', remember: true }],
    [{ kind: 'deny', reason: '' }, { action: 'cancel' }],
    [
      { kind: 'deny', reason: ' too slow ' },
      { action: 'cancel', reason: 'too slow' },
    ],
    [{ kind: 'skip' }, { action: 'cancel' }],
    [{ kind: 'run_again' }, { action: 'resume', resume_mode: 'replay_tool_call' }],
    [
      { kind: 'mark_done' },
      {
        action: 'resume',
        resume_mode: 'use_decision_as_result',
        result: 'The person confirmed that this was done.',
      },
    ],
  ])('%o is one message of the protocol', (choice, message) => {
    const made = decideMessage('p1', choice, 'd1');
    expect(made).toEqual({ ...base, ...message });
    expect(parsePresenterMessage(made)).toEqual({ ok: true, message: { v: 1, ...base, ...message } });
  });

  test.each([false, 0, '', null, 'yes', 7, true])('answers %o as it is', (result) => {
    const made = decideMessage('p1', { kind: 'answer', result }, 'd1');
    expect(made).toEqual({ ...base, action: 'resume', result });
  });

  test('to end a process names the suspension', () => {
    expect(endProcess('p1')).toEqual({
      label: 'End it',
      command: 'ledgerline.endProcess',
      args: { target_id: 'p1' },
    });
  });
});

describe('a suspension offers', () => {
  test('to approve and to deny, and always only with the rules it would make', () => {
    expect(offersOf(suspension({}))).toEqual(['approve', 'deny']);
    expect(offersOf(suspension({ parameters: { always: ['run_command(npm test*)'] } }))).toEqual([
      'approve',
      'deny',
      'always',
    ]);
  });

  test('the same when a tool suspended itself for a reason of its own', () => {
    expect(offersOf(suspension({ reason: 'quota' }))).toEqual(['approve', 'deny']);
  });

  test('to answer or skip a question', () => {
    expect(offersOf(suspension({ reason: 'question' }))).toEqual(['answer', 'skip']);
    expect(offersOf(suspension({ reason: 'workflow_held' }))).toEqual(['answer', 'skip']);
  });

  test('what its modes allow where the outcome is unknown', () => {
    const unknown = { reason: 'outcome_unknown', resume_mode: 'replay_tool_call' };
    expect(offersOf(suspension(unknown))).toEqual(['run_again', 'mark_done', 'skip']);
    expect(offersOf(suspension({ ...unknown, resume_modes: ['replay_tool_call'] }))).toEqual([
      'run_again',
      'skip',
    ]);
  });

  test('nothing strange when its parameters have another shape', () => {
    const odd = suspension({
      parameters: { always: 'x', sub_commands: [1, 'a'], change: { diff: 7 }, process: [] },
    });
    expect(odd).toMatchObject({ always: [], parts: ['a'], change: null, pid: null, changed_since: false });
    expect(suspensionOf({ id: 'p1', parameters: 'none' })).toMatchObject({ why: '', question: '' });
    expect(suspensionOf({ reason: 'approval' })).toBeNull();
  });
});
