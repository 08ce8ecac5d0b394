import { describe, expect, it } from 'vitest';
import { commandDecision, permission, rules } from './verdicts.ts';

const raw = String.raw;

describe('a deny rule for rm is not avoided by', () => {
  it.each([
    'rm x',
    raw`r\m x`,
    '"rm" x',
    `r''m x`,
    `$'rm' x`,
    `$'\\x72m' x`,
    '/bin/rm x',
    '../../bin/rm x',
    '~/bin/rm x',
    '/b*/rm x',
    'RM x',
    'a; rm x',
    'a && rm x',
    'a || rm x',
    'a | rm x',
    'a & rm x',
    'a\nrm x',
    '(rm x)',
    '{ rm x; }',
    '! rm x',
    'time rm x',
    'echo $(rm x)',
    'echo "$(rm x)"',
    'echo `rm x`',
    'echo "${y:-$(rm x)}"',
    'echo $((1+$(rm x)))',
    'y=$(rm x)',
    'y=1 rm x',
    'cat <(rm x)',
    'cat <<E\n$(rm x)\nE',
    'cat <<< $(rm x)',
    'a > $(rm x)',
    'if a; then rm x; fi',
    'for y in 1; do rm x; done',
    'case a in *) rm x;; esac',
    'f() { rm x; }; f',
    '[[ -n $(rm x) ]]',
    'env rm x',
    'env -i A=1 rm x',
    'env "A=1" rm x',
    'env - rm x',
    'env -S "rm x"',
    'env -iS "rm x"',
    'env $A rm x',
    'command rm x',
    raw`\command rm x`,
    'builtin command rm x',
    'exec rm x',
    'nohup rm x',
    'nice -n 5 rm x',
    'timeout 5 rm x',
    'timeout $T rm x',
    'stdbuf -oL rm x',
    'setsid rm x',
    'sudo rm x',
    'sudo -u root A=1 rm x',
    'sudo --weird rm x',
    'sudo -i rm x',
    'doas rm x',
    'ENV rm x',
    '/usr/bin/env rm x',
    'echo x | xargs rm',
    'echo x | xargs -n1 -I{} rm {}',
    'echo rm x | xargs env',
    'echo rm | xargs -I{} {} x',
    'xargs sh -c "rm x"',
    'eval rm x',
    'eval "rm x"',
    'eval "$X"',
    `eval 'r''m x'`,
    'bash -c "rm x"',
    'bash -lc "rm x"',
    'bash -euo pipefail -c "rm x"',
    'sh -c "$X"',
    'bash -c "bash -c \'rm x\'"',
    'echo rm x | sh',
    'bash <<< "rm x"',
    'bash <<E\nrm x\nE',
    'bash -s < x',
    'bash rm x',
    'bash -e -- rm x',
    '. rm x',
    'bash <(echo rm x)',
    'source /dev/stdin',
    '. <(echo rm x)',
    'find . -exec rm {} +',
    'find . -name a -execdir rm x \\;',
    'find . $X',
    'watch rm x',
    'parallel rm ::: x',
    'trap "rm x" EXIT',
    'alias y=rm',
    'hash -p /bin/rm ls',
    'strace -f rm x',
    'busybox rm x',
    'su -c "rm x"',
    'ssh host "a; rm x"',
    'flock f rm x',
    'script -qc "rm x" /dev/null',
    '$X',
    '$X x',
    'r$X x',
    '"$X" x',
    '$(echo rm) x',
    '`echo rm` x',
    '{rm,x}',
    'r? x',
    '[r]m x',
    'rm$IFS$1x',
    'rm <() x',
    'rm $EMPTY x',
    'rm${IFS}x',
    '$X rm x',
    `test -v 'a[$(rm x)]'`,
    `y='a[$(rm x)]'; echo $((y))`,
    'ls # "\nrm x',
    'echo "#"; rm x',
    "echo '#\n'; rm x",
    'echo a#b; rm x',
    raw`echo \# ; rm x`,
    raw`echo "\\" ; rm x`,
    raw`echo '\' ; rm x ; echo '`,
    'rm \\\nx',
    'r\\\nm x',
    'echo ok &\\\n& rm x',
    'echo $\\\n(rm x)',
    "cat <<'E'\n$(a)\nE\nrm x",
    'cat <<E; rm x\nE',
    'a 2>&1 >/dev/null; rm x',
    '>y rm x',
    '2>/dev/null rm x',
    'y= rm x',
  ])('%j', (line) => {
    for (const glob of ['rm *', 'rm*', '*rm x*', 'rm x']) {
      const isSpecific = glob !== '*rm x*' && glob !== 'rm x';
      if (!isSpecific && /[/~]|RM|xargs|find|parallel|IFS/.test(line)) continue;
      expect([glob, commandDecision(line, { deny: [glob] }, { mode: 'auto' })]).toEqual([glob, 'deny']);
    }
  });
});

describe('a deny rule for rm leaves alone', () => {
  it.each([
    'echo rm x',
    'ls',
    'echo "rm x"',
    "echo '$(rm x)'",
    raw`echo "\$(rm x)"`,
    'ls # rm x',
    "cat <<'E'\n$(rm x)\nE",
    'cat <<E\nrm x\nE',
    'npm run rm',
    'env A=1 ls',
    'ls $X',
    'ls *',
    'git status "$X"',
    '"$HOME"/bin/ls x',
    '~/bin/ls x',
    'timeout 5 ls',
    'find . -name rm',
    'xargs ls',
    'command -v rm',
    'bash script.sh',
    'ls > rm',
    'ls | grep rm',
  ])('%j', (line) => {
    expect(commandDecision(line, { deny: ['rm *', 'rm'] }, { mode: 'auto' })).toBe('allow');
  });
});

describe('a rule about redirections', () => {
  it.each([
    'echo x > .env',
    'echo x >.env',
    '> .env echo x',
    '{ echo x; } > .env',
    '> .env',
    'echo x > ".env"',
    'echo x > $Y',
  ])('finds %j', (line) => {
    expect(commandDecision(line, { deny: ['*> .env*'] }, { mode: 'auto' })).toBe('deny');
    expect(commandDecision(line, { deny: ['*>.env*'] }, { mode: 'auto' })).toBe('deny');
  });
});

describe('with npm test and ls allowed', () => {
  const allow = ['npm test*', 'ls', 'ls *'];

  it.each([
    'npm test',
    'npm test -- --watch',
    'npm  test',
    '"npm" test',
    raw`n\pm test`,
    'npm test; ls',
    'npm test && ls | ls',
    '(npm test)',
    'if ls; then npm test; fi',
    'npm test 2>&1',
    'npm test > /dev/null 2>&1',
    'npm test < input',
    'ls *.ts ~/x',
    "ls '$(rm x)'",
    'ls "a b"',
    'env npm test',
    'command npm test',
    'time npm test',
    'nohup npm test',
    'nice -n 5 npm test',
    'timeout 60 npm test',
    '/usr/bin/env npm test',
    'bash -c "npm test && ls"',
    'sh -ec "npm test"',
    'timeout 60 bash -lc "npm test"',
    'npm test # rm x',
  ])('%j passes', (line) => {
    expect(commandDecision(line, { allow })).toBe('allow');
  });

  it.each([
    'npm install',
    'xnpm test',
    './npm test',
    '/bin/npm test',
    'NPM test',
    'npm test; rm x',
    'npm test $(rm x)',
    'npm test $(ls)',
    'npm test $X',
    'npm test "$X"',
    'npm test ${X}',
    'npm test {a,b}',
    `npm test $'a'`,
    'npm test `ls`',
    'npm test <(ls)',
    'npm test > out.txt',
    'npm test >> out.txt',
    'npm test >& out.txt',
    'npm test &> out.txt',
    'npm test <> out.txt',
    'npm test < /dev/tcp/host/80',
    '{ npm test; } > out.txt',
    '> out.txt',
    'FOO=1 npm test',
    'PATH=. npm test',
    'PATH=.; npm test',
    'for PATH in .; do npm test; done',
    'npm() { ls; }; npm test',
    'export PATH=.; npm test',
    'env FOO=1 npm test',
    'env -i npm test',
    './env npm test',
    'ENV npm test',
    'FOO=1 env npm test',
    'env npm test > out.txt',
    'sudo npm test',
    'exec npm test',
    'xargs npm test',
    'echo x | xargs ls',
    'find . -exec ls {} +',
    'eval npm test',
    'bash -c "npm test; rm x"',
    'bash -ic "npm test"',
    'bash -c "npm test" > out.txt',
    'zsh -c "npm test"',
    'timeout -s KILL 5 npm test',
    'bash',
    'npm test | bash',
    '# npm test',
  ])('%j is asked', (line) => {
    expect(commandDecision(line, { allow })).toBe('ask');
  });

  it.each([
    ['sudo npm test', 'sudo npm *'],
    ['xargs npm test', 'xargs npm *'],
    ['find . -exec ls {} +', 'find *'],
    ['find . -exec ls {} + -exec ls -l {} \\;', 'find *'],
    ['eval npm test', 'eval *'],
    ['env FOO=1 npm test', 'env FOO=1 *'],
    ['zsh -c "npm test"', 'zsh -c *'],
    ['parallel a ::: b', 'parallel a ::: b'],
    ['bash', 'bash'],
  ])('%j passes if %j is allowed too', (line, more) => {
    expect(commandDecision(line, { allow: [...allow, more] })).toBe('allow');
  });

  it('a rule that ends early does not cover what xargs adds', () => {
    expect(commandDecision('xargs git status', { allow: ['xargs *', 'git status'] })).toBe('ask');
    expect(commandDecision('xargs git status', { allow: ['xargs *', 'git status *'] })).toBe('allow');
  });

  it.each([
    'npm run x',
    'sudo rm -rf x',
    'echo $HOME > out.txt',
    'X=1 make "$(date)"',
    'for i in 1 2; do rm $i; done',
  ])('a rule for the whole tool lets it pass: %s', (line) => {
    const decided = permission('run_command', line, { rules: rules({ allow: ['run_command'] }) });
    expect([decided.decision, decided.rule]).toEqual(['allow', 'run_command']);
  });

  it('a rule for the whole tool does not cover what is not understood', () => {
    const decided = permission('run_command', 'echo "', { rules: rules({ allow: ['run_command'] }) });
    expect([decided.decision, decided.rule]).toEqual(['ask', 'policy:unparsed_command']);
  });
});

function commands(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}`).join(';');
}

describe('"always" is offered', () => {
  it.each([
    ['ls -l', ['ls -l']],
    ['ls -l 2>&1', ['ls -l']],
    ['cat a | grep b', ['cat a', 'grep b']],
    ['ls; ls', ['ls']],
    [`git commit -m 'a (b) *'`, [raw`git commit -m 'a \(b\) \*'`]],
    ['ls *.ts', [raw`ls \*.ts`]],
    ['rm ""', ["rm ''"]],
    ['env npm test', ['npm test']],
    ['sudo npm test', ['sudo npm test', 'npm test']],
    ['bash -c "a; b"', ['a', 'b']],
  ])('for %j', (line, globs) => {
    const always = globs.map((glob) => `run_command(${glob})`);
    expect(permission('run_command', line)).toMatchObject({
      decision: 'ask',
      always,
      never: always.length === 1 ? always : [],
    });
  });

  it.each([
    'a $X',
    'a $(b)',
    'a > f',
    'X=1 a',
    'X=1',
    'echo x | sh',
    'echo x | python',
    'echo x | env python3',
    'echo x | bash -c python',
    'python <<E\nx\nE',
    'python',
    'cat < f',
    'cat <<< x',
    'xargs rm',
    'find . -exec rm {} +',
    'for x in a; do b; done',
    'f() { a; }',
    '# nothing',
    `a ${'x'.repeat(2_000)}`,
  ])('not for %j', (line) => {
    expect(permission('run_command', line)).toMatchObject({ decision: 'ask', always: [], never: [] });
  });

  it('not for more commands than a person would read', () => {
    expect(permission('run_command', commands(20)).always).toHaveLength(20);
    expect(permission('run_command', commands(15_000))).toMatchObject({ decision: 'ask', always: [] });
  }, 20_000);

  it('only for what is not allowed yet', () => {
    const given = { rules: rules({ allow: ['run_command(ls)'] }) };
    expect(permission('run_command', 'ls; pwd', given).always).toEqual(['run_command(pwd)']);
  });
});
