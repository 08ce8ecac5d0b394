import { expect, test } from 'vitest';
import { firstCharacters } from '../../webview/first-characters.ts';

test('text is cut between characters, never in one', () => {
  expect(firstCharacters('abc', 2)).toBe('ab');
  expect(firstCharacters('abc', 3)).toBe('abc');
  expect(firstCharacters('a😀b', 2)).toBe('a😀');
  expect(firstCharacters('👩‍👩‍👧‍👦 and more', 1)).toBe('👩‍👩‍👧‍👦');
  expect(firstCharacters('e\u0301tude', 1)).toBe('e\u0301');
});
