import { describe, expect, it } from 'vitest';
import { isOffered } from '../../../src/runtime/permissions/permission.ts';
import { context, permission, rules } from './verdicts.ts';

describe('without rules the mode decides', () => {
  it.each([
    ['ask', 'read_file', 'allow', 'mode:ask'],
    ['ask', 'ask_user', 'allow', 'mode:ask'],
    ['ask', 'write_file', 'ask', 'mode:ask'],
    ['ask', 'run_command', 'ask', 'mode:ask'],
    ['auto', 'write_file', 'allow', 'mode:auto'],
    ['auto', 'run_command', 'allow', 'mode:auto'],
    ['read_only', 'read_file', 'allow', 'mode:read_only'],
    ['read_only', 'ask_user', 'allow', 'mode:read_only'],
    ['read_only', 'write_file', 'deny', 'mode:read_only'],
    ['read_only', 'run_command', 'deny', 'mode:read_only'],
  ] as const)('mode %s: %s is %s', (mode, tool, decision, rule) => {
    expect(permission(tool, 'x', { mode })).toMatchObject({ decision, rule, decided_by: 'policy' });
  });
});

describe('a decision says everything about itself', () => {
  it('when a command is asked by the mode', () => {
    expect(permission('run_command', 'npm test && rm -rf "dist x"')).toEqual({
      decision: 'ask',
      decided_by: 'policy',
      rule: 'mode:ask',
      why: 'run_command is asked in mode ask.',
      sub_commands: ['npm test', "rm -rf 'dist x'"],
      always: ['run_command(npm test)', "run_command(rm -rf 'dist x')"],
      never: [],
    });
  });

  it('when a write is asked by the mode', () => {
    expect(permission('write_file', 'src/a(1)*.ts')).toEqual({
      decision: 'ask',
      decided_by: 'policy',
      rule: 'mode:ask',
      why: 'write_file is asked in mode ask.',
      sub_commands: [],
      always: [String.raw`write_file(src/a\(1\)\*.ts)`],
      never: [String.raw`write_file(src/a\(1\)\*.ts)`],
    });
  });

  it('when a rule asks', () => {
    const set = rules({ allow: ['run_command'], ask: ['run_command(git push*)'] });
    expect(permission('run_command', 'git push', { rules: set })).toEqual({
      decision: 'ask',
      decided_by: 'rule',
      rule: 'run_command(git push*)',
      why: 'The rule "run_command(git push*)" in ledgerline.permissions asks about this.',
      sub_commands: ['git push'],
      always: [],
      never: [],
    });
  });

  it('when a rule denies', () => {
    const set = rules({ deny: ['write_file(src/**)'] });
    expect(permission('write_file', 'src/a.ts', { rules: set })).toEqual({
      decision: 'deny',
      decided_by: 'rule',
      rule: 'write_file(src/**)',
      why: 'write_file on src/a.ts is denied by the rule "write_file(src/**)".',
      sub_commands: [],
      always: [],
      never: [],
    });
  });

  it('when the mode denies', () => {
    expect(permission('write_file', 'x', { mode: 'read_only' })).toMatchObject({
      decision: 'deny',
      why: 'write_file on x is not allowed: the permission mode is read_only.',
    });
  });

  it('when rules allow, one for each part', () => {
    const given = {
      rules: rules({ allow: ['run_command(npm *)'] }),
      remembered: rules({ allow: ['run_command(ls)'] }),
    };
    expect(permission('run_command', 'npm test; ls; npm ci', given)).toMatchObject({
      decision: 'allow',
      decided_by: 'rule',
      rule: 'run_command(npm *), run_command(ls)',
      why: 'run_command on npm test; ls; npm ci is allowed by the rule "run_command(npm *)" and the remembered rule "run_command(ls)".',
    });
  });

  it('when a remembered rule denies', () => {
    const given = { remembered: rules({ deny: ['run_command(ls)'] }), mode: 'auto' } as const;
    expect(permission('run_command', 'ls', given).why).toBe(
      'run_command on ls is denied by the remembered rule "run_command(ls)".',
    );
  });

  it('when a command could be what a rule denies', () => {
    const given = { rules: rules({ deny: ['run_command(rm *)'] }), mode: 'auto' } as const;
    expect(permission('run_command', '$X y', given).why).toBe(
      'run_command on $X y is denied: it could be what the rule "run_command(rm *)" is about, which is only known when it runs.',
    );
  });

  it('shortly, for a long command', () => {
    expect(permission('run_command', 'x'.repeat(5_000), { mode: 'read_only' }).why.length).toBeLessThan(300);
  });
});

describe('rules are stronger in this order: deny, ask, allow', () => {
  it.each([
    [{ allow: ['write_file'] }, 'allow'],
    [{ allow: ['write_file'], ask: ['write_file(a.ts)'] }, 'ask'],
    [{ allow: ['write_file'], ask: ['write_file(a.ts)'], deny: ['write_file(*.ts)'] }, 'deny'],
    [{ allow: ['write_file(b.ts)'] }, 'ask'],
    [{ deny: ['write_file(b.ts)'] }, 'ask'],
    [{ deny: ['edit_file'] }, 'ask'],
    [{ deny: ['nonsense('] }, 'deny'],
    [{ ask: ['nonsense('], allow: ['write_file'] }, 'ask'],
    [{ allow: ['nonsense('] }, 'ask'],
  ] as const)('%j: %s', (texts, decision) => {
    expect(permission('write_file', 'a.ts', { rules: rules(texts) }).decision).toBe(decision);
  });

  it('wherever they come from', () => {
    const [allow, deny] = [rules({ allow: ['write_file'] }), rules({ deny: ['write_file'] })];
    expect(permission('write_file', 'a', { rules: allow, remembered: deny }).decision).toBe('deny');
    expect(permission('write_file', 'a', { rules: deny, remembered: allow }).decision).toBe('deny');
  });

  it('reads are asked and denied too', () => {
    expect(permission('read_file', 'a', { rules: rules({ ask: ['read_file'] }) }).decision).toBe('ask');
    expect(permission('read_file', 'a', { rules: rules({ deny: ['read_file(a)'] }) }).decision).toBe('deny');
  });

  it('read_only is stronger than allow', () => {
    const given = { rules: rules({ allow: ['write_file', 'run_command'] }), mode: 'read_only' } as const;
    expect(permission('write_file', 'a', given).decision).toBe('deny');
    expect(permission('run_command', 'ls', given).decision).toBe('deny');
  });
});

describe('a glob about paths', () => {
  it.each([
    ['notes.md', 'notes.md', 'deny', 'allow'],
    ['notes.md', 'a/notes.md', 'deny', 'ask'],
    ['**/notes.md', 'a/notes.md', 'deny', 'allow'],
    ['**/notes.md', 'notes.md', 'deny', 'allow'],
    ['./src/*', 'src/a', 'deny', 'allow'],
    ['/src/*', 'src/a', 'deny', 'allow'],
    ['src/*', 'src/a/b', 'ask', 'ask'],
    ['src/', 'src/a/b', 'deny', 'allow'],
    ['src/**', 'src', 'deny', 'ask'],
    ['SRC/**', 'src/a', 'deny', 'ask'],
    ['src/a', 'SRC/A', 'deny', 'ask'],
    ['*.KEY', 'a/b.key', 'deny', 'ask'],
    ['caf\u00E9', 'cafe\u0301', 'deny', 'ask'],
    ['notes.md', 'xnotes.md', 'ask', 'ask'],
    ['*', 'a/b', 'deny', 'ask'],
    ['**', 'a/b', 'deny', 'allow'],
  ])('%s on %s: %s when it denies, %s when it allows', (glob, path, denying, allowing) => {
    const texts = [`write_file(${glob})`];
    expect(permission('write_file', path, { rules: rules({ deny: texts }) }).decision).toBe(denying);
    expect(permission('write_file', path, { rules: rules({ allow: texts }) }).decision).toBe(allowing);
  });
});

describe('what directs agents and editors is asked in every mode', () => {
  it.each([
    'AGENTS.md',
    'docs/agents.MD',
    '.vscode/settings.json',
    'a/.VSCode/tasks.json',
    '.ledgerline/x',
    '.agents/skills/a.md',
    'AGENT\u017F.md',
    '.vs\u200Ccode/x',
  ])('%s', (path) => {
    for (const mode of ['ask', 'auto'] as const) {
      const given = { mode, rules: rules({ allow: ['write_file', 'write_file(**)'] }) };
      expect(permission('write_file', path, given)).toMatchObject({
        decision: 'ask',
        decided_by: 'policy',
        rule: 'policy:protected_path',
        always: [],
      });
    }
    expect(permission('write_file', path, { mode: 'read_only' }).decision).toBe('deny');
    expect(permission('write_file', path, { rules: rules({ deny: ['write_file'] }) }).decision).toBe('deny');
    expect(permission('read_file', path).decision).toBe('allow');
  });

  it.each(['AGENTS.md.bak', 'src/vscode/a', 'x.agents/a'])('but not %s', (path) => {
    expect(permission('write_file', path, { mode: 'auto' }).decision).toBe('allow');
  });

  it('and can be denied for ever', () => {
    expect(permission('write_file', 'AGENTS.md').never).toEqual(['write_file(AGENTS.md)']);
  });
});

describe('a command line that is not understood', () => {
  const line = 'echo "';

  it('is asked in every mode, whatever is allowed', () => {
    for (const mode of ['ask', 'auto'] as const) {
      expect(permission('run_command', line, { mode, rules: rules({ allow: ['run_command'] }) })).toEqual({
        decision: 'ask',
        decided_by: 'policy',
        rule: 'policy:unparsed_command',
        why: 'This command line is not understood well enough to apply rules to it (a double quote is not closed), so it is asked in every mode.',
        sub_commands: [],
        always: [],
        never: [],
      });
    }
  });

  it('is denied where any deny rule could be about it', () => {
    const given = { mode: 'auto', rules: rules({ deny: ['write_file', 'run_command(rm *)'] }) } as const;
    expect(permission('run_command', line, given)).toMatchObject({
      decision: 'deny',
      decided_by: 'rule',
      rule: 'run_command(rm *)',
      why: 'run_command on echo " is denied: it is not understood (a double quote is not closed), and the rule "run_command(rm *)" could be about it.',
    });
  });

  it('is denied when reading only', () => {
    expect(permission('run_command', line, { mode: 'read_only' }).decision).toBe('deny');
  });

  it('is every line where the shell has no splitter', () => {
    expect(permission('run_command', 'ls', { shell: 'none', mode: 'auto' }).rule).toBe(
      'policy:unparsed_command',
    );
  });
});

describe('a tool is offered', () => {
  it.each([
    ['write_file', {}, true],
    ['write_file', { deny: ['write_file'] }, false],
    ['write_file', { deny: ['write_file(*)'] }, false],
    ['write_file', { deny: ['write_file(**)'] }, false],
    ['write_file', { deny: ['write_file(**/*)'] }, false],
    ['write_file', { deny: ['write_file(/*)'] }, true],
    ['write_file', { deny: ['write_file(src/**)'] }, true],
    ['write_file', { deny: ['write_file(src'] }, false],
    ['write_file', { deny: ['edit_file'] }, true],
    ['write_file', { deny: ['?'] }, false],
    ['write_file', { ask: ['write_file'] }, true],
    ['run_command', { deny: ['run_command(*)'] }, false],
    ['run_command', { deny: ['run_command(rm *)'] }, true],
  ] as const)('%s with %j: %s', (name, texts, expected) => {
    const effect = name === 'run_command' ? 'execute' : 'write';
    expect(isOffered({ name, effect }, context({ rules: rules(texts) }))).toBe(expected);
    expect(isOffered({ name, effect }, context({ remembered: rules(texts) }))).toBe(expected);
    expect(isOffered({ name, effect }, context({ mode: 'read_only' }))).toBe(false);
  });

  it('when it only reads, also in mode read_only', () => {
    expect(isOffered({ name: 'read_file', effect: 'read' }, context({ mode: 'read_only' }))).toBe(true);
  });
});
