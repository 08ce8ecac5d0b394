import { describe, expect, it } from 'vitest';
import {
  ANY,
  commandGlob,
  couldMatch,
  covers,
  escaped,
  literal,
  pathGlob,
  type Pattern,
} from '../../../src/runtime/permissions/glob.ts';
import { Random } from '../../simulation/random.ts';

describe('a glob over a path', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'src', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/b/c/a.ts', true],
    ['src/**/a.ts', 'src/ba.ts', false],
    ['**/a.ts', 'a.ts', true],
    ['**/a.ts', 'b/a.ts', true],
    ['**/a.ts', 'ba.ts', false],
    ['**', 'a/b', true],
    ['a**b', 'a/x/b', true],
    ['?.ts', 'a.ts', true],
    ['?.ts', '/.ts', false],
    ['?', '😀', true],
    ['a.b', 'axb', false],
    ['[ab]', 'a', false],
    ['[ab]', '[ab]', true],
    ['{a,b}', '{a,b}', true],
    [String.raw`\*`, '*', true],
    [String.raw`\*`, 'a', false],
    [String.raw`a\(1\)`, 'a(1)', true],
    [String.raw`\\`, '\\', true],
    [String.raw`app/\[id\]/*`, 'app/[id]/x', true],
    [String.raw`\{a,b\}`, '{a,b}', true],
    [String.raw`\[ab\]`, 'a', false],
  ])('%s on %s: %s', (glob, path, expected) => {
    expect(covers(pathGlob(glob), literal(path))).toBe(expected);
  });
});

/** `…` stands for what is not known yet. */
function pattern(text: string): Pattern {
  return literal(text).map((token) => (token === 0x20_26 ? ANY : token));
}

describe('a glob over a command with unknown places', () => {
  it.each([
    ['rm -rf /', 'rm -rf …', true, false],
    ['rm *', 'rm …', true, true],
    ['rm*', 'r…', true, false],
    ['rm x', '…', true, false],
    ['*', '…', true, true],
    ['git push*', 'git …', true, false],
    ['git push*', 'git status …', false, false],
    ['a?', 'a…', true, false],
    ['a*c', 'a…b', false, false],
    ['a*c', 'a…c', true, true],
    ['*b*', '…a…', true, false],
    ['ls', 'ls', true, true],
    ['npm test*', 'npm test/x', true, true],
  ])('%s and %s: could match %s, covers %s', (glob, text, could, surely) => {
    expect([couldMatch(commandGlob(glob), pattern(text)), covers(commandGlob(glob), pattern(text))]).toEqual([
      could,
      surely,
    ]);
  });

  it('agrees with trying out every value of the unknown places', () => {
    const random = new Random(5);
    const letters = (from: string, most: number): string =>
      Array.from({ length: random.below(most + 1) }, () => random.pick(Array.from(from))).join('');
    const values = ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb', 'aab', 'bab'];
    for (let round = 0; round < 3_000; round += 1) {
      const glob = letters('ab*?', 4);
      const text = letters('ab…', 4);
      const filled = fill(text, values).map((one) => covers(commandGlob(glob), literal(one)));
      // A value that was not tried may decide otherwise, but never the other way round.
      if (filled.includes(true))
        expect({ glob, text, could: couldMatch(commandGlob(glob), pattern(text)) }).toMatchObject({
          could: true,
        });
      if (covers(commandGlob(glob), pattern(text)))
        expect({ glob, text, filled }).toEqual({ glob, text, filled: filled.map(() => true) });
      expect(covers(commandGlob(glob), literal(text.replaceAll('…', 'a')))).toBe(
        expression(glob).test(text.replaceAll('…', 'a')),
      );
    }
  });
});

function fill(text: string, values: readonly string[]): readonly string[] {
  const at = text.indexOf('…');
  if (at < 0) return [text];
  return fill(text.slice(at + 1), values).flatMap((rest) =>
    values.map((value) => text.slice(0, at) + value + rest),
  );
}

function expression(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}

describe('an escaped text', () => {
  it.each(['*', 'a?b', '(x)', '\\', 'a\\*b', '[!a]', '{a,b}', '\\[', '**/*', 'é'])(
    '%s is matched by itself only',
    (text) => {
      for (const glob of [commandGlob(escaped(text)), pathGlob(escaped(text))]) {
        expect([covers(glob, literal(text)), covers(glob, literal(`${text}x`)), glob.length]).toEqual([
          true,
          false,
          Array.from(text).length,
        ]);
      }
    },
  );
});

it('a hostile glob takes no longer than the product of both lengths', () => {
  const glob = commandGlob('*a'.repeat(200));
  expect(covers(glob, literal('a'.repeat(20_000) + 'b'))).toBe(false);
  expect(couldMatch(glob, literal('a'.repeat(20_000) + 'b'))).toBe(false);
});
