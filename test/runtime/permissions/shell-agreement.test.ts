import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { splitCommand, type Split } from '../../../src/runtime/permissions/command-parts.ts';
import { couldMatch, literal } from '../../../src/runtime/permissions/glob.ts';
import { permissionFor } from '../../../src/runtime/permissions/permission.ts';
import { parseRules } from '../../../src/runtime/permissions/rules.ts';
import { searchRuns } from '../../support/search-runs.ts';
import { Random } from '../../simulation/random.ts';
import { ShellLines, type LineOptions } from './shell-lines.ts';
import { runLines, type RunOptions, type Runs } from './shell-runs.ts';

/** What our splitter says about a line, against what a real shell runs for it. */

interface Round extends RunOptions {
  readonly title: string;
  readonly count: number;
  readonly lines: LineOptions;
  /** How many of the lines that ran something may be unparsed, at most. */
  readonly unparsed: number;
}

const plain: LineOptions = { depth: 2, wrappers: false, damage: false };
const functions = { count: searchRuns(150), as: 'functions' } as const;

/** Whole lines and damaged ones, in functions that stand for the programs. */
function inFunctions(title: string, shell: string): readonly Round[] {
  const damaged = { ...plain, damage: true };
  return [
    { title, shell, ...functions, lines: plain, unparsed: 0.2 },
    { title: `${title} with damaged lines`, shell, ...functions, lines: damaged, unparsed: 0.4 },
  ];
}

const ROUNDS: readonly Round[] = [
  ...inFunctions('bash', '/bin/bash'),
  ...inFunctions('a POSIX shell', '/bin/sh'),
  {
    title: 'bash with programs that run others',
    shell: '/bin/bash',
    as: 'programs',
    count: searchRuns(60),
    lines: { ...plain, wrappers: true },
    unparsed: 0.2,
  },
].filter(({ shell }) => existsSync(shell)) as Round[];

describe.each(ROUNDS)('what $title runs', ({ shell, as, count, lines: options, unparsed }) => {
  const generator = new ShellLines(new Random(11), options);
  const lines = Array.from({ length: count }, () => generator.next());
  const splits = lines.map((line) => splitCommand(line, 'posix'));
  let runs: Runs = [];
  beforeAll(() => {
    runs = runLines(lines, { shell, as });
  }, searchRuns(60_000));

  it('is something for many of the lines, and most of those are understood', () => {
    const ran = lines.flatMap((_, index) => ((runs[index] ?? []).length > 0 ? [splits[index]] : []));
    expect(ran.length).toBeGreaterThan(count / 4);
    expect(ran.filter((split) => split?.kind === 'unparsed').length / ran.length).toBeLessThan(unparsed);
  });

  it('could be denied by a rule for exactly that', () => {
    const missed = lines.flatMap((line, index) =>
      (runs[index] ?? [])
        .filter((words) => !isFound(words, splits[index]))
        .map((words) => ({ line, words, parts: textsOf(splits[index]) })),
    );
    expect(missed).toEqual([]);
  });

  it('is only what rules allow, where they allow the line', () => {
    const allow = ['run_command(a)', 'run_command(a *)', 'run_command(c*)', 'run_command(bash -c*)'];
    const context = {
      mode: 'ask',
      rules: parseRules({ allow, ask: [], deny: [] }, ['run_command']),
      remembered: parseRules({ allow: [], ask: [], deny: [] }, []),
      shell: 'posix',
      storage: [],
    } as const;
    const allowed = lines.flatMap((line, index) => {
      const { decision } = permissionFor({ name: 'run_command', effect: 'execute', subject: line }, context);
      return decision === 'allow' ? [{ line, names: (runs[index] ?? []).map(([name]) => name) }] : [];
    });
    expect(allowed.length).toBeGreaterThan(count / 100);
    expect(allowed.filter(({ names }) => !names.every((name) => name === 'a' || name === 'c'))).toEqual([]);
  });
});

function isFound(words: readonly string[], split: Split | undefined): boolean {
  if (split?.kind !== 'parts') return true;
  const rule = literal(words.join(' '));
  return split.parts.some((part) => part.couldBe.some((text) => couldMatch(rule, text)));
}

function textsOf(split: Split | undefined): readonly string[] {
  return split?.kind === 'parts' ? split.parts.map((part) => part.text) : [];
}
