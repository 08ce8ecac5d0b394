import { expect, test } from 'vitest';
import { fitOf, inOrder, nameGlob } from '../../src/host/fuzzy-order.ts';

const PATHS = [
  'src/session/login-client.ts',
  'src/login.ts',
  'docs/blogging.md',
  'src/layout/origin/main.ts',
  'README.md',
];

test('the name counts before the folder, and what begins with it before what holds it', () => {
  expect(inOrder('login', PATHS, (path) => path)).toEqual([
    'src/login.ts',
    'src/session/login-client.ts',
    'docs/blogging.md',
    'src/layout/origin/main.ts',
  ]);
  expect(inOrder('LOG', PATHS, (path) => path).slice(0, 3)).toEqual([
    'src/login.ts',
    'src/session/login-client.ts',
    'docs/blogging.md',
  ]);
});

test('letters in their order are enough, and letters that are missing are not', () => {
  expect(fitOf('lgc', 'src/session/login-client.ts')).not.toBeNull();
  expect(fitOf('xyz', 'src/login.ts')).toBeNull();
  expect(fitOf('', 'README.md')).not.toBeNull();
});

test('a glob takes both cases and only its own signs as signs', () => {
  expect(nameGlob('aB', { loose: false })).toBe('**/*[aA][bB]*');
  expect(nameGlob('a1', { loose: true })).toBe('**/*[aA]*1*');
  expect(nameGlob('s/{x}', { loose: false })).toBe('**/*[sS]*/**/*?[xX]?*');
});
