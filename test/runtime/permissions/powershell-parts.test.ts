import { describe, expect, it } from 'vitest';
import { splitCommand } from '../../../src/runtime/permissions/command-parts.ts';
import { commandDecision, permission } from './verdicts.ts';

function parts(line: string): readonly string[] | string {
  const split = splitCommand(line, 'powershell');
  return split.kind === 'parts' ? split.parts.map((part) => part.text) : 'unparsed';
}

const raw = String.raw;

describe('a PowerShell line is split', () => {
  it.each([
    ['', []],
    ['npm test', ['npm test']],
    ['npm test; git status', ['npm test', 'git status']],
    ['a | b && c || d', ['a', 'b', 'c', 'd']],
    ['a\r\nb\nc', ['a', 'b', 'c']],
    ['a |\nb', ['a', 'b']],
    [`git commit -m 'a b' "c"`, ["git commit -m 'a b' c"]],
    [`x ''`, [`x ''`]],
    [`x '-Force'`, [`x '-Force'`]],
    [raw`.\build.cmd -a:b c=d e,f`, [raw`.\build.cmd -a:b c=d e,f`]],
    ['7z x a.zip', ['7z x a.zip']],
    ['a;;b;', ['a', 'b']],
  ])('%j', (line, expected) => {
    expect(parts(line)).toEqual(expected);
  });
});

describe('a PowerShell line is not understood', () => {
  it.each([
    'a $x',
    'a (b)',
    'a { b }',
    'a `b',
    'a "$x"',
    `a "b'c"`,
    `a 'b''c'`,
    `a 'b`,
    `a b'c'`,
    `a 'b'c`,
    'a \u2018b\u2019',
    `a 'b\u2019; rm x; 'c'`,
    'a > b',
    'a 2>&1',
    'a # b',
    'a & b',
    '& a',
    '. a',
    `'a' b`,
    'return rm x',
    'IF a',
    'a @b',
    'a --% b',
    '% Delete',
    'a *',
    'a ~',
    'a |',
    'a &&',
    '| a',
    'a | ; b',
    'a || && b',
    '-join a',
    '1 2',
    'a\u00A0b',
    'a [b]',
    'a !b',
  ])('%j', (line) => {
    expect(parts(line)).toBe('unparsed');
  });
});

describe('rules about PowerShell', () => {
  const given = { shell: 'powershell', mode: 'auto' } as const;

  it.each([
    ['Remove-Item x', 'remove-item *'],
    ['REMOVE-ITEM x', 'Remove-Item *'],
    ['a; rm x', 'rm *'],
    [raw`C:\tools\RM.EXE x`, 'rm *'],
    [raw`Microsoft.PowerShell.Management\Remove-Item x`, 'remove-item*'],
    [`rm 'a b'`, 'rm a b'],
    [`iex 'rm x'`, 'rm *'],
    ['powershell -EncodedCommand AAAA', 'rm *'],
    ['cmd /c del x', 'del *'],
    ['a $x', 'rm *'],
  ])('%j is denied by %j', (line, glob) => {
    expect(commandDecision(line, { deny: [glob] }, given)).toBe('deny');
  });

  it('allow only what is written the same', () => {
    const ask = { shell: 'powershell' } as const;
    expect(commandDecision('npm test; git status', { allow: ['npm *', 'git status'] }, ask)).toBe('allow');
    expect(commandDecision('NPM test', { allow: ['npm *'] }, ask)).toBe('ask');
    expect(commandDecision('npm test; rm x', { allow: ['npm *'] }, ask)).toBe('ask');
    expect(commandDecision(`npm 'a b'`, { allow: ['npm a b'] }, ask)).toBe('ask');
    expect(commandDecision(`npm 'a b'`, { allow: [`npm 'a b'`] }, ask)).toBe('allow');
  });

  it('allow what runs something else only without wildcards', () => {
    const ask = { shell: 'powershell' } as const;
    expect(commandDecision('cmd /c del x', { allow: ['cmd *'] }, ask)).toBe('ask');
    expect(commandDecision('cmd /c del x', { allow: ['cmd /c del x'] }, ask)).toBe('allow');
  });

  it.each([
    ['Set-Content AGENTS.md x', 'policy:protected_path'],
    [raw`Remove-Item -Path:sub\.vscode\x`, 'policy:protected_path'],
    [raw`git diff --output=AGENTS.md`, 'policy:protected_path'],
    [raw`.\cat AGENTS.md`, 'policy:protected_path'],
    ['Get-Content .env', 'policy:secret_path'],
    ["Get-Content '.e*'", 'policy:secret_path'],
    ["Remove-Item 'A*.m[d]'", 'policy:protected_path'],
    ['Remove-Item .git', 'policy:secret_path'],
    [raw`gc .git\config`, 'policy:secret_path'],
    ['Get-Content AGENTS.md', 'mode:auto'],
    ['git diff AGENTS.md', 'mode:auto'],
    ['ls .git', 'mode:auto'],
  ])('%j is decided by %s', (line, rule) => {
    expect(permission('run_command', line, given).rule).toBe(rule);
  });

  it('are offered to remember exactly one command', () => {
    expect(permission('run_command', raw`.\a.cmd 'b c'; git status`, { shell: 'powershell' }).always).toEqual(
      [raw`run_command(.\\a.cmd 'b c')`, 'run_command(git status)'],
    );
    expect(permission('run_command', `iex 'a'`, { shell: 'powershell' }).always).toEqual([]);
  });
});
