import { expect, test } from 'vitest';
import { changedSessionKeys, keysAtAGlance, keysOfList, SESSION_KEYS } from '../../src/host/session-keys.ts';

const plain = { pinned: false, archived: false };
const isSet = (keys: ReturnType<typeof keysOfList>): readonly string[] =>
  SESSION_KEYS.filter((key) => keys[key]).map((key) => key.replace('ledgerline.', ''));

test('where there is nothing, nothing can be done with it', () => {
  expect(isSet(keysAtAGlance({ logs: false, marks: false, deleted: false }))).toEqual([]);
  expect(isSet(keysOfList([], false))).toEqual([]);
});

test('folders tell that there are sessions, and a file of marks that some may be marked', () => {
  expect(isSet(keysAtAGlance({ logs: true, marks: false, deleted: true }))).toEqual([
    'hasSessions',
    'hasUnpinned',
    'hasListed',
    'hasDeleted',
  ]);
  expect(isSet(keysAtAGlance({ logs: true, marks: true, deleted: false }))).toContain('hasPinned');
  expect(isSet(keysAtAGlance({ logs: false, marks: true, deleted: false }))).toEqual([]);
});

test('the list tells what there is', () => {
  expect(isSet(keysOfList([plain], false))).toEqual(['hasSessions', 'hasUnpinned', 'hasListed']);
  expect(isSet(keysOfList([{ pinned: true, archived: true }], true))).toEqual([
    'hasSessions',
    'hasPinned',
    'hasArchived',
    'hasDeleted',
  ]);
});

test('only what changed is set again', () => {
  const before = keysOfList([plain], false);
  expect(changedSessionKeys(null, before).length).toBe(SESSION_KEYS.length);
  expect(changedSessionKeys(before, keysOfList([plain, { ...plain, pinned: true }], false))).toEqual([
    ['ledgerline.hasPinned', true],
  ]);
});
