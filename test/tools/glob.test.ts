import { expect, test } from 'vitest';
import { compileGlob } from '../../src/tools/glob.ts';

function matches(glob: string, path: string): boolean {
  const compiled = compileGlob(glob);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value(path.split('/'));
}

const cases: readonly (readonly [glob: string, matching: readonly string[], other: readonly string[]])[] = [
  ['*.ts', ['a.ts', 'src/deep/a.ts', '.ts'], ['a.tsx', 'ts']],
  ['src/*.ts', ['src/a.ts'], ['src/b/a.ts', 'lib/src/a.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts'], ['lib/a.ts', 'src/a.js']],
  ['**/test/**', ['test/a', 'a/test/b/c'], ['test', 'a/test', 'testing/a']],
  ['**', ['a', 'a/b'], []],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'a/src/b']],
  ['*.{ts,tsx}', ['a.ts', 'b/a.tsx'], ['a.js']],
  ['{src,lib}/**/*.{ts,js}', ['src/a.ts', 'lib/x/a.js'], ['test/a.ts']],
  ['a{b{c,d},e}', ['abc', 'abd', 'ae'], ['ab', 'a']],
  ['?.ts', ['a.ts', '😀.ts'], ['ab.ts', '.ts']],
  ['[a-c].ts', ['b.ts'], ['d.ts']],
  ['[!a-c].ts', ['d.ts'], ['b.ts']],
  ['[]a].ts', [']'.concat('.ts'), 'a.ts'], ['b.ts']],
  ['a[b', ['a[b'], ['ab']],
  ['\\*.ts', ['*.ts'], ['a.ts']],
  ['./src/*.ts', ['src/a.ts'], ['a.ts']],
  ['/a.ts', ['a.ts', 'b/a.ts'], ['a']],
  ['a{b', ['a{b'], ['ab']],
];

test.each(cases)('the glob %s matches what it should', (glob, matching, other) => {
  expect(matching.filter((path) => !matches(glob, path))).toEqual([]);
  expect(other.filter((path) => matches(glob, path))).toEqual([]);
});

test('a glob made to explode is answered', () => {
  const name = 'a'.repeat(5_000);
  expect(matches(`${'*a'.repeat(200)}b`, name)).toBe(false);
  expect(matches(`${'**/'.repeat(100)}b`, Array.from({ length: 500 }, () => 'a').join('/'))).toBe(false);
});

test('a glob that stands for too many patterns is refused', () => {
  expect(compileGlob('{a,b}'.repeat(12))).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } });
  expect(compileGlob('!a')).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } });
});
