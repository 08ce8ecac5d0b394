import { describe, expect, it } from 'vitest';
import { joinRules, parseRules, type RuleList } from '../../../src/runtime/permissions/rules.ts';

const TOOLS = ['run_command', 'write_file', 'read_file'];
const NO_RULES = { allow: [], ask: [], deny: [] };

function one(list: RuleList, text: string): { readonly rule: unknown; readonly problem: string | undefined } {
  const set = parseRules({ ...NO_RULES, [list]: [text] }, TOOLS);
  expect(set.problems.map(({ text: of, list: from }) => [of, from])).toEqual(
    set.problems.length === 0 ? [] : [[text, list]],
  );
  return { rule: set[list][0] ?? null, problem: set.problems[0]?.message };
}

describe('a rule', () => {
  it.each([
    ['write_file', 'write_file', null],
    ['  write_file  ', 'write_file', null],
    ['write_file(src/**)', 'write_file', 'src/**'],
    ['write_file ( src/** ) ', 'write_file', 'src/**'],
    ['run_command(npm test*)', 'run_command', 'npm test*'],
    ['run_command(echo (a))', 'run_command', 'echo (a)'],
    [String.raw`run_command(.\build.cmd)`, 'run_command', String.raw`.\build.cmd`],
    ['run_command(echo a\nb)', 'run_command', 'echo a\nb'],
    [String.raw`run_command(\[ -f x \])`, 'run_command', String.raw`\[ -f x \]`],
    [String.raw`write_file(app/\[id\]/\{x\}.ts)`, 'write_file', String.raw`app/\[id\]/\{x\}.ts`],
  ])('%j is read', (text, tool, glob) => {
    expect(one('allow', text)).toEqual({ rule: { text, tool, glob }, problem: undefined });
  });

  it('of a tool that does not exist allows nothing and still denies that name', () => {
    expect(one('allow', 'write_flie(x)')).toEqual({
      rule: null,
      problem:
        'No tool is called write_flie. It allows nothing. The tools are run_command, write_file, read_file.',
    });
    expect(one('deny', 'write_flie(x)')).toEqual({
      rule: { text: 'write_flie(x)', tool: 'write_flie', glob: 'x' },
      problem:
        'No tool is called write_flie. It counts for a tool of that name only. The tools are run_command, write_file, read_file.',
    });
  });

  it.each([
    ['run_command(rm', 'run_command'],
    ['run_command rm', 'run_command'],
    ['run_command()', 'run_command'],
    ['run_command(rm)x', 'run_command'],
    ['Run_Command(rm *)', 'run_command'],
    [String.raw`run_command(rm \)`, 'run_command'],
    [String.raw`write_file(src\secret)`, 'write_file'],
    [`write_file(${'a'.repeat(1_001)})`, 'write_file'],
    ['run_command({touch,rm} *)', 'run_command'],
    ['run_command([rt]m *)', 'run_command'],
    ['run_command(a [)', 'run_command'],
    ['run_command(a })', 'run_command'],
    [String.raw`run_command(\\[a)`, 'run_command'],
    ['write_file(app/[id]/page.tsx)', 'write_file'],
    ['write_file(src/*.{ts,js})', 'write_file'],
    ['Bash(rm *)', null],
    ['*', null],
    ['*(rm)', null],
    ['(rm)', null],
    ['', null],
    ['rm -rf', null],
  ])('%j cannot be read: it allows nothing, and asks or denies too much', (text, tool) => {
    expect(one('allow', text)).toEqual({
      rule: null,
      problem: expect.stringContaining('It allows nothing.'),
    });
    const what = tool === null ? 'every call of every tool' : `every call of ${tool}`;
    for (const [list, verb] of [
      ['ask', 'asked'],
      ['deny', 'denied'],
    ] as const) {
      expect(one(list, text)).toEqual({
        rule: { text, tool, glob: null },
        problem: expect.stringMatching(
          new RegExp(`^This rule cannot be read: .*${what} is ${verb}\\. Write `),
        ),
      });
    }
  });
});

it('a rule with alternatives that mean nothing says what to write', () => {
  expect(one('deny', 'run_command({touch,rm} *)').problem).toBe(
    String.raw`This rule cannot be read: braces and brackets do not make alternatives; for the characters themselves write \{ \} \[ \]. Until it is corrected, every call of run_command is denied. Write a tool, such as write_file, or a tool with a glob, such as run_command(npm test*).`,
  );
});

it('sets of rules are joined list by list', () => {
  const first = parseRules({ allow: ['read_file'], ask: ['x('], deny: [] }, TOOLS);
  const second = parseRules({ allow: ['write_file'], ask: [], deny: ['run_command'] }, TOOLS);
  expect(joinRules(first, second)).toEqual({
    allow: [...first.allow, ...second.allow],
    ask: first.ask,
    deny: second.deny,
    problems: first.problems,
  });
});
