import { expect, test } from 'vitest';
import { answerFault } from '../../src/runtime/answer-fault.ts';

const CHOICE = { type: 'string', enum: ['a', 'b'] };
const TITLED = {
  oneOf: [
    { const: 1, title: 'One' },
    { const: 2, title: 'Two' },
  ],
};
const SEVERAL = { type: 'array', items: CHOICE, minItems: 1 };
const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    note: { type: ['string', 'null'] },
    shape: { type: 'object', properties: {} },
  },
  required: ['name', 'note'],
};

test.each<[schema: unknown, answer: unknown]>([
  [CHOICE, 'b'],
  [{ enum: ['', 'a'] }, ''],
  [{ enum: [1, 'a', true] }, true],
  [{ enum: ['a', null] }, null],
  [{ oneOf: [{ const: 'a' }, { const: null }] }, null],
  [TITLED, 2],
  [{ type: 'boolean' }, false],
  [{ type: 'number' }, 0.5],
  [{ type: 'integer' }, 0],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 3],
  [{ type: 'string' }, ''],
  [{ type: ['string', 'null'] }, null],
  [{ type: ['string', 'null'] }, 'x'],
  [SEVERAL, ['b', 'a']],
  [{ type: 'array', items: CHOICE }, []],
  [FORM, { name: 'x', note: null }],
  [FORM, { name: 'x', note: 'y', port: 80, shape: { any: 1 }, more: true }],
])('%j takes %j', (schema, answer) => {
  expect(answerFault(schema, answer)).toBeNull();
});

test.each<[schema: unknown, answer: unknown, fault: string]>([
  [CHOICE, 'zzz', 'The answer is "zzz", but the question takes only one of these: "a", "b".'],
  [CHOICE, null, 'The answer is null, but the question takes only one of these: "a", "b".'],
  [TITLED, 'One', 'The answer is "One", but the question takes only one of these: 1, 2.'],
  [{ type: 'boolean' }, 'yes', 'The answer is "yes", but the question takes only true or false.'],
  [{ type: 'number' }, '1', 'The answer is "1", but the question takes only a number.'],
  [{ type: 'number', maximum: 1 }, 2, 'The answer is 2, but the question takes only a number (≤ 1).'],
  [{ type: 'integer' }, 1.5, 'The answer is 1.5, but the question takes only a whole number.'],
  [{ type: 'string' }, ['a'], 'The answer is ["a"], but the question takes only text.'],
  [{ type: 'string' }, undefined, 'The answer is undefined, but the question takes only text.'],
  [{ type: ['string', 'null'] }, 1, 'The answer is 1, but the question takes only text.'],
  [SEVERAL, [], 'The answer is [], but the question takes only a list of these: "a", "b" (≥ 1).'],
  [SEVERAL, ['c'], 'The answer is ["c"], but the question takes only a list of these: "a", "b" (≥ 1).'],
  [SEVERAL, 'a', 'The answer is "a", but the question takes only a list of these: "a", "b" (≥ 1).'],
  [
    FORM,
    'x',
    'The answer is "x", but the question takes only an object with "name", "port", "note", "shape".',
  ],
  [
    FORM,
    ['x'],
    'The answer is ["x"], but the question takes only an object with "name", "port", "note", "shape".',
  ],
  [FORM, { note: null }, 'The answer has no "name", which the question needs.'],
  [FORM, { name: 'x' }, 'The answer has no "note", which the question needs.'],
  [
    FORM,
    { name: 'x', note: null, port: 0 },
    'The answer is 0, but the question takes only a whole number (1–65535). The field is "port".',
  ],
  [
    FORM,
    { name: null, note: null },
    'The answer is null, but the question takes only text. The field is "name".',
  ],
])('%j does not take %j', (schema, answer, fault) => {
  expect(answerFault(schema, answer)).toBe(fault);
});

test.each([
  undefined,
  null,
  true,
  [],
  {},
  { type: 'object', required: ['a'] },
  { type: 'object', properties: {} },
  { type: ['string', 'number'] },
  { type: 'array', items: { type: 'string' } },
  { enum: [1, {}] },
  { enum: [] },
  { oneOf: [{ const: 1 }, { type: 'string' }] },
  { const: 'a' },
  { type: 'text' },
])('%j takes whatever is answered: it says nothing that is understood', (schema) => {
  for (const answer of ['x', 1, null, {}, false]) expect(answerFault(schema, answer)).toBeNull();
});

test('a field with the name of what every object has is looked for in the answer itself', () => {
  const schema = { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] };
  expect(answerFault(schema, {})).toBe('The answer has no "toString", which the question needs.');
});

test('a fault stays short, whatever was asked and answered', () => {
  const choices = Array.from({ length: 500 }, (_, index) => `choice ${index}`);
  expect(answerFault({ enum: choices }, 'x'.repeat(5000))?.length).toBeLessThan(800);
});
