import { describe, expect, test } from 'vitest';
import { parsePresenterMessage } from '../../src/presenter/protocol.ts';
import { answerForm, buttonAnswers, typedAnswer } from '../../webview/answer-form.ts';
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

describe('the form of an answer', () => {
  test('follows the schema', () => {
    expect(answerForm({ type: 'boolean' })).toEqual({ kind: 'yes_no' });
    expect(answerForm({ enum: ['a', 'b', 'a'] })).toEqual({ kind: 'buttons', choices: ['a', 'b'] });
    expect(answerForm({ type: 'string', enum: ['a'] })).toEqual({ kind: 'buttons', choices: ['a'] });
    expect(answerForm({ type: 'number' })).toEqual({ kind: 'number', whole: false });
    expect(answerForm({ type: 'integer' })).toEqual({ kind: 'number', whole: true });
    expect(answerForm({ type: 'string' })).toEqual({ kind: 'text' });
    const seven = ['1', '2', '3', '4', '5', '6', '7'];
    expect(answerForm({ enum: seven })).toEqual({ kind: 'list', choices: seven });
  });

  test.each([undefined, null, 'boolean', [], {}, { type: 'object' }, { enum: [] }, { enum: [1, 'a'] }])(
    'is free text for %o',
    (schema) => {
      expect(answerForm(schema)).toEqual({ kind: 'text' });
    },
  );

  test('takes every answer that is one, also those that count as false', () => {
    const number = answerForm({ type: 'number' });
    expect(['0', '-1.5', '1e3'].map((words) => typedAnswer(number, words))).toEqual([
      { result: 0 },
      { result: -1.5 },
      { result: 1000 },
    ]);
    expect(typedAnswer(answerForm({ enum: ['', '1', '2', '3', '4', '5', '6'] }), '0')).toEqual({
      result: '',
    });
    expect(buttonAnswers(answerForm({ enum: ['', 'a'] }))).toEqual([
      { label: '(empty)', result: '' },
      { label: 'a', result: 'a' },
    ]);
    expect(buttonAnswers(answerForm({ type: 'boolean' })).map(({ result }) => result)).toEqual([true, false]);
  });

  test('takes nothing that is no answer', () => {
    expect(['', ' \n'].map((words) => typedAnswer({ kind: 'text' }, words))).toEqual([null, null]);
    const whole = answerForm({ type: 'integer' });
    expect(['', ' ', '1.5', 'x', 'Infinity'].map((words) => typedAnswer(whole, words))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(typedAnswer({ kind: 'list', choices: ['a'] }, '')).toBeNull();
  });

  test('keeps words as they were typed', () => {
    expect(typedAnswer({ kind: 'text' }, ' two\nlines ')).toEqual({ result: ' two\nlines ' });
  });
});
