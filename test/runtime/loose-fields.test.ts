import { expect, test } from 'vitest';
import {
  field,
  list,
  nextActions,
  numberOrNull,
  parsed,
  text,
  textOrNull,
  wordsOrNull,
} from '../../src/runtime/loose-fields.ts';

const SHAPED = { words: 'said', empty: '', count: 3, many: [1, 2] };

test('a field is read by its type', () => {
  expect([text(SHAPED, 'words'), numberOrNull(SHAPED, 'count'), list(SHAPED, 'many')]).toEqual([
    'said',
    3,
    [1, 2],
  ]);
});

test.each([null, undefined, 'text', 7, [], {}, { words: 1, count: '3', many: {} }])(
  'in %j every field of another type is absent',
  (value) => {
    const read = [text(value, 'words'), textOrNull(value, 'words'), numberOrNull(value, 'count')];
    expect([...read, list(value, 'many'), nextActions(value)]).toEqual(['', null, null, [], []]);
  },
);

test('an empty text is a text, but says nothing; a number that is none is absent', () => {
  expect([textOrNull(SHAPED, 'empty'), wordsOrNull(SHAPED, 'empty')]).toEqual(['', null]);
  expect(numberOrNull({ count: Number.NaN }, 'count')).toBeNull();
});

test('only what is its own is a field', () => {
  expect(field({}, 'constructor')).toBeUndefined();
});

test('what is no action is left out, and what is no JSON is nothing', () => {
  const action = { label: 'Retry', command: 'ledgerline.retryTurn' };
  expect(nextActions({ next_actions: [action, { label: 'Half' }, null] })).toEqual([action]);
  expect([parsed('{"a":1}'), parsed('{"a":')]).toEqual([{ a: 1 }, null]);
});
