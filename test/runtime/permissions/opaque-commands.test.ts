import { describe, expect, it } from 'vitest';
import { escaped } from '../../../src/runtime/permissions/glob.ts';
import { commandDecision, permission, rules } from './verdicts.ts';

/** Commands that run others in a way that their words do not tell. */

const UNTOLD = [
  `env -S 'touch m'`,
  `env --split-string='touch m'`,
  'env --block-signal=INT touch m',
  'env --argv0=x touch m',
  'timeout 1e1 touch m',
  'timeout 0x5 touch m',
  'timeout -z 5 touch m',
  'xargs -i touch {}',
  'xargs -R 1 touch',
  'xargs --process-slot-var=X touch',
  `bash --rcfile x -c 'touch m'`,
  `bash --debugger -c 'touch m'`,
  `bash --pretty-print -c 'touch m'`,
  '/usr/bin/time --output=x touch m',
  'sudo -k touch m',
  'setsid --verbose touch m',
  'flock x touch m',
  'strace touch m',
  `script -c 'touch m' x`,
  'unshare touch m',
  'setpriv --no-new-privs touch m',
  'busybox touch m',
  'parallel touch ::: m',
  'linux64 touch m',
  `tmux new -d 'touch m'`,
  'fd -x touch',
  'npx --cal=x touch m',
  '/usr/bin/to?ch m',
];

describe('what runs is not told', () => {
  it.each(UNTOLD)('%s: no rule with a wildcard allows it', (line) => {
    const name = line.split(' ')[0] ?? '';
    for (const glob of [`${name} *`, `${name}*`, '*', `${escaped(line).slice(0, -1)}?`])
      expect([glob, commandDecision(line, { allow: [glob, 'touch *'] })]).toEqual([glob, 'ask']);
  });

  it.each(UNTOLD)('%s: a rule for exactly it does, and one for the whole tool', (line) => {
    // As it is shown, with the quotes that it needs.
    const [shown = ''] = permission('run_command', line).sub_commands;
    expect(commandDecision(line, { allow: [escaped(shown)] })).toBe('allow');
    expect(permission('run_command', line, { rules: rules({ allow: ['run_command'] }) }).decision).toBe(
      'allow',
    );
  });

  it.each([
    ['timeout 5 ls', ['timeout *', 'ls']],
    ['xargs -n1 ls', ['xargs *', 'ls *']],
    ['bash script.sh', ['bash *']],
    ['fd -e ts', ['fd *']],
    ['fd name src', ['fd *']],
    ['npx vitest run -c x', ['npx *']],
    ['npx --yes vitest', ['npx vitest*', 'npx --yes *']],
    [`npx -c 'ls x'`, ['npx *', 'ls *']],
    ['npm exec vitest', ['npm *']],
    ['npm --prefix web test', ['npm *']],
    ['npm --unheard-of test', ['npm *']],
    ['npm run exec', ['npm *']],
  ])('%s is told well enough', (line, allow) => {
    expect(commandDecision(line, { allow })).toBe('allow');
  });

  it('a script that npx runs needs a rule of its own', () => {
    expect(commandDecision(`npx -c 'touch m'`, { allow: ['npx *'] })).toBe('ask');
    expect(commandDecision(`npm exec --call='touch m'`, { allow: ['npm *'] })).toBe('ask');
  });
});

describe('a deny rule for touch is not avoided by', () => {
  it.each([
    'linux64 touch m',
    'linux32 touch m',
    'x86_64 touch m',
    'i386 touch m',
    'uname26 touch m',
    'setarch touch m',
    'setarch x86_64 -R touch m',
    'prlimit touch m',
    'prlimit --nofile=5 touch m',
    'choom -n 0 -- touch m',
    `capsh -- -c 'touch m'`,
    `sg root 'touch m'`,
    `sg root -c 'touch m'`,
    'logsave x touch m',
    'ld.so /usr/bin/touch m',
    '/lib64/ld-linux-x86-64.so.2 /usr/bin/touch m',
    '/lib/ld-musl-x86_64.so.1 touch m',
    `tmux new -d 'touch m'`,
    'screen -dm touch m',
    'numactl touch m',
    'coreutils --coreutils-prog=touch m',
    `at now <<< 'touch m'`,
    'uclampset touch m',
    `npx -c 'touch m'`,
    `npx --offline --call 'touch m'`,
    `npx --loglevel silent -c 'touch m'`,
    `npx --unheard-of x -c 'touch m'`,
    'npx -c "$X"',
    'npx touch m',
    `npm exec -c 'touch m'`,
    `npm --offline exec --call='touch m'`,
    `npm --unheard-of exec -c 'touch m'`,
    `npm x -- touch m`,
    'npm $X',
    'pnpm -w exec touch m',
    'yarn exec touch m',
    'bunx touch m',
    'fd a -x touch m',
    'BASH_ENV=<(echo touch m) bash -c true',
    'BASH_ENV=x.sh bash -c true',
    'ENV=x.sh sh -c true',
    `PS4='x' bash -xc true`,
    `export PS4='$(touch m)'; bash -xc true`,
    `export PS4=a$'\\x24(touch m)'; bash -xc true`,
    'export BASH_ENV=x.sh && bash -c true',
    'declare -x BASH_ENV=x.sh; bash -c true',
    'typeset -x PROMPT_COMMAND=x',
    'readonly PATH=.',
    'PATH=.; ls',
    'PATH+=:.; ls',
    'PATH=. ls',
    'LD_PRELOAD=./x.so ls',
    'LD_LIBRARY_PATH=. ls',
    'IFS=x; ls',
    'SHELLOPTS=xtrace bash -c true',
    'env BASH_ENV=x.sh bash -c true',
    'env -i PATH=. ls',
    `env 'BASH_FUNC_ls%%=() { touch m; }' bash -c ls`,
    'sudo LD_PRELOAD=x ls',
    'read PATH; ls',
    'read -r BASH_ENV; bash -c true',
    'printf -v PS4 x; ls',
    'printf -vPS4 x; ls',
    'for PATH in .; do ls; done',
    ': ${BASH_ENV:=x.sh}; ls',
    'echo "${PATH=.}"',
    'command export PATH=.',
  ])('%j', (line) => {
    expect(commandDecision(line, { deny: ['touch *'] }, { mode: 'auto' })).toBe('deny');
    expect(commandDecision(line, { ask: ['touch *'] }, { mode: 'auto' })).toBe('ask');
  });
});

describe('a deny rule for touch leaves alone', () => {
  it.each([
    'export FOO=1',
    'export PATH',
    'FOO=1 ls',
    'PATHS=. ls',
    'MY_ENV=x ls',
    'echo PATH=x',
    `printf '%s' PATH`,
    'echo "$PATH" ${PATH:-x}',
    'read -r line',
    'npx vitest run',
    'npm test -- touch',
    'npm run touch',
    'yarn touch',
    'tmux ls',
    'fd touch',
    'ldd x.so',
  ])('%j', (line) => {
    expect(commandDecision(line, { deny: ['touch *'] }, { mode: 'auto' })).toBe('allow');
  });
});

describe('a variable that redirects names is never allowed by rules about commands', () => {
  it.each([
    ['export PATH=.; ls', 'export PATH=.'],
    ['env PATH=. ls', 'env PATH=. ls'],
    ['read PATH', 'read PATH'],
    ['printf -v IFS x', 'printf -v IFS x'],
  ])('%s', (line, exact) => {
    expect(commandDecision(line, { allow: ['ls', 'export *', 'env *', 'read *', 'printf *', exact] })).toBe(
      'ask',
    );
    expect(permission('run_command', line).always).toEqual([]);
  });
});
