import { expect, test } from 'vitest';
import { answerFault } from '../../src/runtime/expected-answer.ts';

const CHOICE = { type: 'string', enum: ['a', 'b'] };

test.each<[schema: unknown, answer: unknown]>([
  [CHOICE, 'b'],
  [{ enum: ['', 'a'] }, ''],
  [{ type: 'boolean' }, false],
  [{ type: 'number' }, 0.5],
  [{ type: 'integer' }, 0],
  [{ type: 'string' }, ''],
])('%j takes %j', (schema, answer) => {
  expect(answerFault(schema, answer)).toBeNull();
});

test.each<[schema: unknown, answer: unknown, fault: string]>([
  [CHOICE, 'zzz', 'The answer is "zzz", but the question takes only one of these: "a", "b".'],
  [CHOICE, null, 'The answer is null, but the question takes only one of these: "a", "b".'],
  [{ type: 'boolean' }, 'yes', 'The answer is "yes", but the question takes only true or false.'],
  [{ type: 'number' }, '1', 'The answer is "1", but the question takes only a number.'],
  [{ type: 'integer' }, 1.5, 'The answer is 1.5, but the question takes only a whole number.'],
  [{ type: 'string' }, ['a'], 'The answer is ["a"], but the question takes only text.'],
  [{ type: 'string' }, undefined, 'The answer is undefined, but the question takes only text.'],
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
  { type: ['string', 'null'] },
  { enum: [1, 'a'] },
  { enum: [] },
  { const: 'a' },
  { type: 'text' },
])('%j takes whatever is answered: it says nothing that is understood', (schema) => {
  for (const answer of ['x', 1, null, {}, false]) expect(answerFault(schema, answer)).toBeNull();
});

test('a fault stays short, whatever was asked and answered', () => {
  const choices = Array.from({ length: 500 }, (_, index) => `choice ${index}`);
  expect(answerFault({ enum: choices }, 'x'.repeat(5000))?.length).toBeLessThan(800);
});
