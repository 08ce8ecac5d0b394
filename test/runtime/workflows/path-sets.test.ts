import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conflictsOf, overlap } from '../../../src/runtime/workflows/path-sets.ts';
import { compileGlob } from '../../../src/tools/glob.ts';
import { specOf } from './ran-workflow.ts';
import { searchRuns } from '../../support/search-runs.ts';

const EXACT = { ignores_case: false };

/** A name alone, without a folder, is that of a file beside the others here. */
function isAnywhere(glob: string): boolean {
  return /^[ab]+$/u.test(glob);
}

function matches(glob: string, segments: readonly string[]): boolean {
  const compiled = compileGlob(glob);
  return compiled.ok && compiled.value(segments);
}

function conflicts(...steps: readonly object[]): Readonly<Record<string, readonly string[]>> {
  const found = conflictsOf(specOf(...steps), EXACT);
  return Object.fromEntries([...found].map(([id, others]) => [id, [...others]]));
}

describe.each<[string, boolean, readonly (readonly [string, string])[]]>([
  [
    'two paths overlap:',
    true,
    [
      ['src/a.ts', 'src/a.ts'],
      ['src/a.ts', './src//a.ts'],
      ['src', 'src/a/b.ts'],
      ['src/', 'src/a.ts'],
      ['.', 'src/a.ts'],
      ['**', 'a'],
      ['**/*', 'a/b'],
      ['src/**', 'src/a/b/c.ts'],
      ['src/**', '**/*.ts'],
      ['src/*.ts', 'src/a*'],
      ['src/a?c.ts', 'src/*b*.ts'],
      ['src/[ab].ts', 'src/a.ts'],
      ['src/{a,b}.ts', 'src/b.ts'],
      ['{src,test}/{a,b}.ts', 'test/b.ts'],
      ['{a,{b,c}}', 'x'],
      ['*.md', 'docs/deep/a.md'],
      ['{a,b}', 'c/b'],
      ['a/**/z', 'a/z'],
      ['a/**/z', 'a/b/c/z'],
      ['*', 'src/a.ts'],
      ['src/**/', 'src'],
    ],
  ],
  [
    'two paths do not overlap:',
    false,
    [
      ['src/a.ts', 'src/b.ts'],
      ['src/a.ts', 'src/a.tsx'],
      ['src/**', 'test/a.ts'],
      ['src', 'srcs/a.ts'],
      ['src/*.ts', 'src/a.js'],
      ['src/*.ts', 'src/a/b.ts'],
      ['README.md', 'docs/README.md'],
      ['src/{a,b}.ts', 'src/c.ts'],
      ['a/?', 'a/bc'],
      ['SRC/a.ts', 'src/a.ts'],
    ],
  ],
])('%s', (_, expected, paths) => {
  test.each(paths)('%s and %s', (one, other) => {
    expect(overlap([one], [other], EXACT)).toBe(expected);
    expect(overlap([other], [one], EXACT)).toBe(expected);
  });
});

test('where names that differ in case are one, they overlap', () => {
  expect(overlap(['SRC/**'], ['src/Ä.ts'], { ignores_case: true })).toBe(true);
  expect(overlap(['src/\u00c4.ts'], ['SRC/a\u0308.ts'], { ignores_case: true })).toBe(true);
});

test('nothing overlaps with no paths', () => {
  expect(overlap([], ['**'], EXACT)).toBe(false);
});

test('a pattern of the worst kind is compared in no time', () => {
  const stars = `${'*a'.repeat(140)}/${'**/'.repeat(4)}b`;
  expect(overlap([stars], [`${'*b'.repeat(140)}/c`], EXACT)).toBe(false);
});

test('what two globs could both match, they overlap in', () => {
  const name = fc.stringMatching(/^[ab]{1,2}$/u);
  const globName = fc.oneof(name, fc.constantFrom('*', '**', 'a*', '*b', '?', '[ab]', '{a,b}'));
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  const glob = fc.array(globName, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(glob, glob, path, (one, other, segments) => {
      fc.pre(!isAnywhere(one) && !isAnywhere(other));
      fc.pre(matches(one, segments) && matches(other, segments));
      expect(overlap([one], [other], EXACT)).toBe(true);
    }),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
});

describe('steps', () => {
  test('that write the same never run together, nor does one that writes beside one that reads it', () => {
    expect(
      conflicts(
        { id: 'a', write_set: ['src/**'] },
        { id: 'b', write_set: ['src/b.ts'] },
        { id: 'c', read_set: ['src/c.ts'] },
        { id: 'd', write_set: ['docs/**'], read_set: ['src/d.ts'] },
        { id: 'e', write_set: ['test/**'] },
      ),
    ).toEqual({ a: ['b', 'c', 'd'], b: ['a'], c: ['a'], d: ['a'], e: [] });
  });

  test('that only read, and those that say nothing of what they write, hold up nobody', () => {
    expect(conflicts({ id: 'a', read_set: ['src'] }, { id: 'b', read_set: ['src'] }, { id: 'c' })).toEqual({
      a: [],
      b: [],
      c: [],
    });
  });

  test('whose patterns cannot be compared in reasonable time run one after the other', () => {
    const steps = ['a', 'b', 'c'].map((id) => ({
      id,
      write_set: Array.from({ length: 64 }, (_, path) => `${'*a'.repeat(140)}${id}${path}/x`),
    }));
    expect(conflicts(...steps)).toEqual({ a: ['b', 'c'], b: ['a', 'c'], c: ['a', 'b'] });
  });

  test('of the largest workflow that there may be are compared in a moment', () => {
    const steps = Array.from({ length: 200 }, (_, step) => ({
      id: `s${step}`,
      task: 'T',
      write_set: Array.from({ length: 10 }, (_unused, path) => `packages/p${step}/**/generated-${path}-*.ts`),
    }));
    const found = Object.values(conflicts(...steps));
    expect([found.length, found.flat()]).toEqual([200, []]);
  });
});
