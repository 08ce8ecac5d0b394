import { describe, expect, test } from 'vitest';
import { expectedAnswer } from '../../../src/runtime/expected-answer.ts';
import { heldQuestion, readHeldAnswer } from '../../../src/runtime/workflows/held-question.ts';
import { resultOf } from '../../../src/runtime/workflows/result.ts';
import { answerForm, typedAnswer } from '../../../webview/answer-form.ts';
import { cameTo, specOf } from './ran-workflow.ts';
import { checkpoint } from './workflow-bench.ts';

const SPEC = specOf({ id: 'plan' }, { id: 'ship it' }, { id: 'tests' });

const held = (summary: string): object => ({ checkpoint: checkpoint('held', { summary }) });

const ONE = await cameTo(SPEC, {
  plan: held('Which database?'),
  'ship it': 'failed',
  tests: 'checkpoint_ready',
});
const TWO = await cameTo(SPEC, {
  plan: { ...held('Which database?'), reason: 'There are two.' },
  'ship it': { checkpoint: checkpoint('needs_orchestrator', { summary: 'Now?' }) },
  tests: 'never',
});

describe('a workflow that is held', () => {
  test('asks for words where one step is', () => {
    expect(heldQuestion(ONE)).toEqual({
      reason: 'workflow_held',
      message: 'The workflow flow needs you to go on.\n\nThe step plan is held.\n\nWhich database?',
      parameters: {
        workflow_id: 'w1',
        steps: [
          {
            id: 'plan',
            status: 'held',
            summary: 'Which database?',
            subagent_id: 'agent_1',
            child_session_id: 'session_of_agent_1',
          },
        ],
        result: resultOf(ONE),
      },
      response_schema: {
        type: 'string',
        description: 'What the step is told. It goes on with these words.',
      },
      resume_mode: 'pass_decision_to_tool',
    });
    expect(answerForm(heldQuestion(ONE)?.response_schema)).toEqual({
      kind: 'field',
      control: { kind: 'text' },
    });
  });

  test('asks with a form where several are, that the card can show', () => {
    const question = heldQuestion(TWO);
    expect(question?.message.split('\n\n')).toEqual([
      'The workflow flow needs you to go on.',
      'The step plan is held.',
      'Which database?',
      'There are two.',
      'The step ship it needs a decision.',
      'Now?',
    ]);
    expect(expectedAnswer(question?.response_schema)).toMatchObject({
      kind: 'form',
      fields: [
        { name: 'answer:plan', label: 'plan', required: false, expected: { kind: 'text' } },
        { name: 'answer:ship it', label: 'ship it', required: false, expected: { kind: 'text' } },
        { name: 'skip', expected: { kind: 'several', choices: [{ value: 'plan' }, { value: 'ship it' }] } },
        { name: 'finish', expected: { kind: 'yes_no' } },
      ],
    });
  });

  test('takes what that form sends', () => {
    const form = answerForm(heldQuestion(TWO)?.response_schema);
    const sent = typedAnswer(form, { 'answer:plan': 'SQLite.', skip: '1' });
    expect(readHeldAnswer(TWO, sent?.result)).toEqual({
      kind: 'answers',
      answers: new Map([
        ['plan', { action: 'go_on', text: 'SQLite.' }],
        ['ship it', { action: 'skip', text: '' }],
      ]),
    });
    expect(readHeldAnswer(TWO, typedAnswer(form, {})?.result)).toEqual({ kind: 'none' });
    expect(readHeldAnswer(TWO, typedAnswer(form, { finish: '0' })?.result)).toEqual({ kind: 'finish' });
  });

  test('asks nothing where no step is, and tells no more of one than can be read', async () => {
    expect(heldQuestion(await cameTo(SPEC, { plan: 'failed' }))).toBeNull();
    const long = await cameTo(SPEC, { plan: held('x'.repeat(9_000)) });
    expect(heldQuestion(long)?.message.length).toBeLessThan(2_000);
  });
});

describe('an answer', () => {
  test('that leaves the result out lets every step go on that is held', () => {
    const go = { action: 'go_on', text: '' };
    expect(readHeldAnswer(ONE, undefined)).toEqual({ kind: 'answers', answers: new Map([['plan', go]]) });
    expect(readHeldAnswer(TWO, undefined)).toEqual({
      kind: 'answers',
      answers: new Map([
        ['plan', go],
        ['ship it', go],
      ]),
    });
  });

  test.each([null, '', '  ', {}, [], true, 1, { answers: {} }, { answers: [] }, { finish: false }])(
    'of %j is none',
    (given) => {
      expect(readHeldAnswer(ONE, given)).toEqual({ kind: 'none' });
      expect(readHeldAnswer(TWO, given)).toEqual({ kind: 'none' });
    },
  );

  test.each([
    { answers: { nobody: 'Yes.' } },
    { answers: { tests: 'Yes.' } },
    { answers: { plan: {} } },
    { answers: { plan: { action: 'approve' } } },
    { answers: { plan: { text: 'Yes.' } } },
    { answers: { plan: ' ' } },
    { skip: ['tests'] },
  ])('of %j is for no step that is held', (given) => {
    expect(readHeldAnswer(ONE, given)).toEqual({ kind: 'none' });
  });

  test('in words is for the one step that is held, and for none of several', () => {
    expect(readHeldAnswer(ONE, 'SQLite.')).toEqual({
      kind: 'answers',
      answers: new Map([['plan', { action: 'go_on', text: 'SQLite.' }]]),
    });
    expect(readHeldAnswer(TWO, 'SQLite.')).toEqual({ kind: 'none' });
  });

  test('of a program says what each step is to do', () => {
    const given = { answers: { plan: { action: 'go_on' }, 'ship it': { action: 'skip', text: 'Not now.' } } };
    expect(readHeldAnswer(TWO, given)).toEqual({
      kind: 'answers',
      answers: new Map([
        ['plan', { action: 'go_on', text: '' }],
        ['ship it', { action: 'skip', text: 'Not now.' }],
      ]),
    });
    expect(readHeldAnswer(TWO, { answers: { plan: 'Yes.' } })).toEqual({
      kind: 'answers',
      answers: new Map([['plan', { action: 'go_on', text: 'Yes.' }]]),
    });
  });

  test('may be to finish with what there is', () => {
    expect(readHeldAnswer(TWO, { finish: true })).toEqual({ kind: 'finish' });
  });
});
