import { describe, expect, test } from 'vitest';
import { answerFault } from '../../src/runtime/answer-fault.ts';
import {
  ALONE,
  answerForm,
  choiceLabel,
  presetWords,
  typedAnswer,
  withCheck,
  type AnswerForm,
} from '../../webview/answer-form.ts';

const NO_BOUNDS = { least: -Infinity, most: Infinity };

function choices(...values: (string | number | boolean)[]): { label: string; value: unknown }[] {
  return values.map((value) => ({ label: String(value), value }));
}

function alone(form: AnswerForm, words: string): unknown {
  return typedAnswer(form, { [ALONE]: words });
}

describe('one answer', () => {
  test('is asked for as its schema says', () => {
    const yesNo = [
      { label: 'Yes', value: true },
      { label: 'No', value: false },
    ];
    expect(answerForm({ type: 'boolean' })).toEqual({ kind: 'buttons', choices: yesNo });
    expect(answerForm({ enum: ['a', 'b', 'a'] })).toEqual({ kind: 'buttons', choices: choices('a', 'b') });
    expect(answerForm({ enum: [1, 'a'] })).toEqual({ kind: 'buttons', choices: choices(1, 'a') });
    expect(answerForm({ enum: ['a', null] })).toEqual({ kind: 'buttons', choices: choices('a') });
    expect(answerForm({ anyOf: [{ const: 1, title: 'One' }] })).toEqual({
      kind: 'buttons',
      choices: [{ label: 'One', value: 1 }],
    });
    expect(answerForm({ type: 'number' })).toEqual({
      kind: 'field',
      control: { kind: 'number', whole: false, ...NO_BOUNDS },
    });
    expect(answerForm({ type: 'integer', minimum: 1 })).toEqual({
      kind: 'field',
      control: { kind: 'number', whole: true, least: 1, most: Infinity },
    });
    expect(answerForm({ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 })).toEqual({
      kind: 'field',
      control: { kind: 'checks', choices: choices('a', 'b'), least: -Infinity, most: 1 },
    });
    const seven = ['1', '2', '3', '4', '5', '6', '7'];
    expect(answerForm({ enum: seven })).toEqual({
      kind: 'field',
      control: { kind: 'list', choices: choices(...seven) },
    });
  });

  test.each([undefined, null, 'boolean', [], {}, { type: 'string' }, { type: 'object' }, { enum: [] }])(
    'is free text for %o',
    (schema) => {
      expect(answerForm(schema)).toEqual({ kind: 'field', control: { kind: 'text' } });
    },
  );

  test('is whatever is one, also what counts as false', () => {
    const number = answerForm({ type: 'number' });
    expect(['0', '-1.5', '1e3'].map((words) => alone(number, words))).toEqual([
      { result: 0 },
      { result: -1.5 },
      { result: 1000 },
    ]);
    expect(alone(answerForm({ enum: ['', '1', '2', '3', '4', '5', '6'] }), '0')).toEqual({ result: '' });
    const several = answerForm({ type: 'array', items: { enum: ['a', 'b', 'c'] } });
    expect(['', '0,2'].map((words) => alone(several, words))).toEqual([
      { result: [] },
      { result: ['a', 'c'] },
    ]);
  });

  test('is nothing else', () => {
    const text = answerForm({});
    expect(['', ' \n'].map((words) => alone(text, words))).toEqual([null, null]);
    const whole = answerForm({ type: 'integer', maximum: 9 });
    for (const words of ['', ' ', '1.5', 'x', 'Infinity', '10']) expect(alone(whole, words)).toBeNull();
    expect(alone(answerForm({ enum: ['1', '2', '3', '4', '5', '6', '7'] }), '')).toBeNull();
    expect(alone(answerForm({ type: 'array', items: { enum: ['a'] }, minItems: 1 }), '')).toBeNull();
  });

  test('keeps words as they were typed', () => {
    expect(alone(answerForm({}), ' two\nlines ')).toEqual({ result: ' two\nlines ' });
  });

  test('that is empty has a label all the same', () => {
    expect(['', ' ', 'a'].map((label) => choiceLabel({ label, value: label }))).toEqual([
      '(empty)',
      '(empty)',
      'a',
    ]);
  });

  test('of several choices is in their order, whatever was ticked first', () => {
    const ticked = withCheck(withCheck(withCheck('', 10, true), 2, true), 1, true);
    expect(ticked).toBe('1,2,10');
    expect(withCheck(ticked, 2, false)).toBe('1,10');
    expect(withCheck('3', 3, false)).toBe('');
  });
});

describe('a form', () => {
  const schema = {
    type: 'object',
    properties: {
      engine: { title: 'Engine', description: 'What runs it.', enum: ['node', 'deno'], default: 'deno' },
      port: { type: 'integer', minimum: 1, default: 80 },
      strict: { type: 'boolean', default: false },
      targets: { type: 'array', items: { enum: ['x', 'y'] }, default: ['y'] },
      note: { type: ['string', 'null'] },
      extra: { type: 'string', default: 7 },
    },
    required: ['engine', 'port', 'strict', 'note'],
  };
  const form = answerForm(schema);

  test('has a field for each property, with what the schema says of it', () => {
    expect(form.kind === 'fields' ? form.fields.slice(0, 2) : null).toEqual([
      {
        name: 'engine',
        label: 'Engine',
        description: 'What runs it.',
        required: true,
        nullable: false,
        control: { kind: 'radios', choices: choices('node', 'deno') },
        preset: '1',
      },
      {
        name: 'port',
        label: 'port',
        description: '',
        required: true,
        nullable: false,
        control: { kind: 'number', whole: true, least: 1, most: Infinity },
        preset: '80',
      },
    ]);
  });

  test('begins with what fits of the defaults', () => {
    expect(presetWords(form)).toEqual({
      engine: '1',
      port: '80',
      strict: '1',
      targets: '1',
      note: '',
      extra: '',
    });
  });

  test('leaves out what is empty, and says null where something has to be said', () => {
    const answer = typedAnswer(form, { ...presetWords(form), targets: '' });
    expect(answer).toEqual({ result: { engine: 'deno', port: 80, strict: false, note: null } });
    expect(answerFault(schema, answer?.result)).toBeNull();
  });

  test.each(['engine', 'port', 'strict'])('is no answer without %s', (name) => {
    expect(typedAnswer(form, { ...presetWords(form), [name]: '' })).toBeNull();
  });

  test('is no answer with a field that does not fit, though it could be left empty', () => {
    const optional = answerForm({ type: 'object', properties: { port: { type: 'integer' } } });
    expect(typedAnswer(optional, { port: '1.5' })).toBeNull();
    expect(typedAnswer(optional, {})).toEqual({ result: {} });
  });
});
