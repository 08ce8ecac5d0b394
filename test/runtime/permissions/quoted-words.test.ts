import { describe, expect, it } from 'vitest';
import { escaped } from '../../../src/runtime/permissions/glob.ts';
import { searchRuns } from '../../support/search-runs.ts';
import { Random } from '../../simulation/random.ts';
import { commandDecision, permission, rules } from './verdicts.ts';

/** An allow rule is about the words that a program gets, not about how a line happens to look. */

const raw = String.raw;

describe('a rule does not let another program run', () => {
  it.each([
    ['npm test*', '"npm test/x"'],
    ['npm test*', raw`npm\ test/x`],
    ['npm test*', `npm' 'test/x`],
    ['npm test*', 'env "npm test/x"'],
    ['npm test*', `bash -c '"npm test/x"'`],
    ['echo *', '"echo /x"'],
    ['ls /x', '"ls /x"'],
    ['* test', '"npm test"x'],
  ])('%s: %s', (glob, line) => {
    expect(commandDecision(line, { allow: [glob] })).toBe('ask');
  });

  it.each([
    ['echo a b', 'echo "a b"'],
    ['echo a', 'echo " a"'],
    ['echo a; b', 'echo "a; b"'],
    ['echo ', `echo ''`],
    [raw`echo \*`, `echo '*'`],
    [`echo 'a b'`, raw`echo "'a" "b'"`],
  ])('nor with other words: %j and %j', (glob, line) => {
    expect(commandDecision(line, { allow: [glob] })).toBe('ask');
  });

  it.each([
    [`echo 'a b'`, 'echo "a b"'],
    [`echo 'a b'`, raw`echo a\ b`],
    ['echo *', 'echo "a b; c"'],
    ['npm test*', 'npm "test"'],
  ])('the quotes that are needed are part of it: %j allows %j', (glob, line) => {
    expect(commandDecision(line, { allow: [glob] })).toBe('allow');
  });

  it('also when it was remembered', () => {
    const remembered = rules({ allow: permission('run_command', 'ls /x').always });
    expect(permission('run_command', 'ls /x', { remembered }).decision).toBe('allow');
    expect(permission('run_command', '"ls /x"', { remembered }).decision).toBe('ask');
  });
});

const random = new Random(67);
const WORDS = [
  'a',
  'b',
  'a b',
  'b a',
  ' ',
  '',
  "'",
  "'a",
  "b'",
  '"',
  '\\',
  ';',
  '*',
  '[a]',
  '#',
  '~',
  'x=a',
  '{a}',
];
const NAMES = ['a', 'b', 'a b', "a'", 'a ;', 'b a'];

/** Three ways to write a word that a program gets exactly like this. */
function written(word: string): string {
  switch (random.below(3)) {
    case 0:
      return `'${word.replaceAll("'", raw`'\''`)}'`;
    case 1:
      return `"${word.replaceAll(/["\\$\x60]/g, raw`\$&`)}"`;
    default:
      return word === '' ? '""' : word.replaceAll(/[^a-z0-9]/g, raw`\$&`);
  }
}

interface Line {
  readonly argv: string;
  readonly text: string;
  readonly spellings: readonly string[];
}

const LINES = Array.from({ length: searchRuns(70) }, (): Line => {
  const words = [random.pick(NAMES), ...Array.from({ length: random.below(3) }, () => random.pick(WORDS))];
  const text = words.map(written).join(' ');
  const always = permission('run_command', text).always.map((rule) => rule.slice('run_command('.length, -1));
  return {
    argv: JSON.stringify(words),
    text,
    spellings: [escaped(words.join(' ')), escaped(text), ...always],
  };
});

it(
  'a rule without wildcards lets no two different lists of words pass',
  () => {
    const globs = [...new Set(LINES.flatMap(({ spellings }) => spellings))].filter(
      (glob) => glob.trim() !== '',
    );
    const allowed = globs.map((glob) => {
      const given = { rules: rules({ allow: [`run_command(${glob})`] }) };
      const passing = LINES.filter(({ text }) => permission('run_command', text, given).decision === 'allow');
      return { glob, passing: [...new Set(passing.map(({ argv }) => argv))] };
    });
    expect(allowed.filter(({ passing }) => passing.length > 1)).toEqual([]);
    expect(allowed.filter(({ passing }) => passing.length === 1).length).toBeGreaterThan(20);
  },
  searchRuns(60_000),
);
