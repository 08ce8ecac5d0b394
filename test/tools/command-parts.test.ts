import { expect, test } from 'vitest';
import { cleanText, CommandOutput } from '../../src/tools/command-output.ts';
import {
  commandEnvironment,
  encodePowerShell,
  shellCommand,
  shellFor,
} from '../../src/tools/command-shell.ts';
import { MarkedProcesses } from '../../src/tools/marked-processes.ts';
import { parseProcStat, parsePsTable } from '../../src/tools/process-table.ts';
import { killPlan, membersOf } from '../../src/tools/process-tree.ts';
import { ProgressFeed } from '../../src/tools/progress-feed.ts';

const everywhere = () => true;
const nowhere = () => false;

test('the shell is bash or else sh, on Windows PowerShell, unless the user chose one', () => {
  expect(shellFor({ platform: 'linux', exists: everywhere })).toBe('/bin/bash');
  expect(shellFor({ platform: 'darwin', exists: everywhere })).toBe('/bin/bash');
  expect(shellFor({ platform: 'linux', exists: nowhere })).toBe('/bin/sh');
  expect(shellFor({ platform: 'win32', exists: nowhere })).toBe('powershell.exe');
  expect(shellFor({ platform: 'linux', shell: '/bin/zsh', exists: everywhere })).toBe('/bin/zsh');
});

test('a command line reaches the shell as one argument, never as an option', () => {
  expect(shellCommand('-x; ls "a b"', { platform: 'linux', exists: nowhere })).toEqual({
    file: '/bin/sh',
    args: ['-c', 'read -r _ <&3 || exit 125; exec 3<&-; exec "$0" -c "$1" 2>&1', '/bin/sh', ' -x; ls "a b"'],
    relayed: false,
  });
  expect(shellCommand('ls', { platform: 'darwin', exists: everywhere }).args.slice(-2)).toEqual([
    '/bin/bash',
    'ls',
  ]);
});

test('PowerShell gets the command line encoded, with its exit code handed on', () => {
  const { file, args } = shellCommand('echo "a" | x', { platform: 'win32', exists: nowhere });
  expect([file, ...args.slice(0, 4)]).toEqual([
    'powershell.exe',
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-EncodedCommand',
  ]);
  expect(args[4]).toBe(encodePowerShell('echo "a" | x'));
  const script = Buffer.from(args[4] ?? '', 'base64').toString('utf16le');
  expect(script.split('\r\n')).toContain('echo "a" | x');
  expect(script.endsWith('exit $LASTEXITCODE')).toBe(true);
});

test('secrets and the variables of the editor are not handed to commands', () => {
  expect(
    commandEnvironment({
      PATH: '/bin',
      HOME: '/home/me',
      OPENAI_API_KEY: 'k',
      anthropic_api_key: 'k',
      GITHUB_TOKEN: 't',
      NPM_TOKEN: 't',
      CLIENT_SECRET: 's',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_ACCESS_KEY_ID: 's',
      PGPASSWORD: 'p',
      DB_PASSWORD_FILE: 'p',
      SSH_PRIVATE_KEY: 'p',
      TOKENIZERS_PARALLELISM: 'false',
      KEYBOARD: 'de',
      OPENAI_BASE_URL: 'http://localhost',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK: 'x',
      FORCE_COLOR: '1',
      PAGER: 'less',
      TERM: 'xterm',
      EMPTY: undefined,
    }),
  ).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    TOKENIZERS_PARALLELISM: 'false',
    KEYBOARD: 'de',
    OPENAI_BASE_URL: 'http://localhost',
    GIT_EDITOR: 'true',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    MANPAGER: 'cat',
    NO_COLOR: '1',
    PAGER: 'cat',
    TERM: 'dumb',
  });
});

test('colours, titles and overwritten progress lines are removed', () => {
  expect(cleanText('\u001b[31mred\u001b[0m \u001b[1;32mgreen\u001b[m')).toBe('red green');
  expect(cleanText('\u001b]0;title\u0007text \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\')).toBe(
    'text link',
  );
  expect(cleanText('10%\r50%\r100%\r\ndone\r\n')).toBe('100%\ndone\n');
  expect(cleanText('a\u0000\u0008b\tc')).toBe('ab\tc');
  expect(cleanText('cut \u001b[3')).toBe('cut ');
});

test('output within the bounds is kept whole', () => {
  const output = new CommandOutput({ head: 4, tail: 4, whole: 100 });
  for (const piece of ['ab', 'cd', 'efgh']) output.push(Buffer.from(piece));
  expect(output.render()).toBe('abcdefgh');
  expect(output.overflow()).toBeUndefined();
});

test('output over the bounds keeps head and tail and counts the rest', () => {
  const output = new CommandOutput({ head: 4, tail: 4, whole: 9 });
  for (let n = 0; n < 10; n += 1) output.push(Buffer.from(String(n)));
  expect(output.render()).toBe('0123\n[2 bytes of output were left out here]\n6789');
  expect(String(output.overflow())).toBe('012345678');
});

test('output of more than a block, in pieces of any size, is kept in order', () => {
  const text = Array.from({ length: 40_000 }, (_, n) => `${n}\n`).join('');
  for (const size of [1, 7, 65_536, 1_000_000]) {
    const output = new CommandOutput({ head: 2, tail: 13, whole: 200_000 });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size));
    expect(String(output.overflow())).toBe(text.slice(0, 200_000));
    expect(output.render()).toBe(
      `0\n[${bytes.length - 13} bytes of output were left out here]\n39998\n39999\n`,
    );
  }
});

test('of a flood the end is shown, from a whole character on', () => {
  const shown: string[] = [];
  const feed = new ProgressFeed({ progress: (text) => shown.push(text) }, 1_000);
  feed.open();
  feed.push(Buffer.from('a\u001b['));
  feed.flush();
  feed.push(Buffer.from('31mb\u00e9').subarray(0, 5));
  feed.flush();
  feed.push(Buffer.from('\u00e9').subarray(1));
  feed.flush();
  for (let n = 0; n < 10; n += 1) feed.push(Buffer.from('\u20ac\u{1F600}'.repeat(1_001)));
  feed.flush();
  feed.close();
  expect(shown.slice(0, 3)).toEqual(['a', 'b', '\u00e9']);
  expect(shown.slice(3)).toEqual([expect.stringMatching(/^(?:\u{1F600}|\ude00)?(?:\u20ac\u{1F600})+$/u)]);
  expect(shown[3]?.length).toBeGreaterThan(8_000);
  expect(shown[3]?.length).toBeLessThanOrEqual(8_192);
});

test('output is never cut inside a character', () => {
  const output = new CommandOutput({ head: 5, tail: 5, whole: 1_000 });
  const bytes = Buffer.from('é'.repeat(50));
  for (let at = 0; at < bytes.length; at += 7) output.push(bytes.subarray(at, at + 7));
  expect(output.render()).toBe('éé\n[92 bytes of output were left out here]\néé');
});

test('the processes of a command are those below it and in their groups', () => {
  const table = parsePsTable(
    [
      '    1     0     1 Ss',
      '  100     1   100 Ss',
      '  101   100   100 S',
      '  102   101   102 Ss',
      '  103   102   102 S',
      '  104     1   102 S',
      '  105     1   100 Z',
      '  200     1   200 S',
    ].join('\n'),
  );
  expect(membersOf(new Set([100]), table).map((entry) => entry.pid)).toEqual([100, 101, 102, 103, 104]);
  expect(membersOf(new Set([300]), table)).toEqual([]);
  expect(membersOf(new Set([300]), table, new Set([102])).map((entry) => entry.pid)).toEqual([102, 103, 104]);
});

test('a process is known by the mark in its environment, read once and only if it is young enough', () => {
  const read: number[] = [];
  const environments = new Map<number, readonly string[] | 'in exec'>([
    [11, ['A=1', 'LEDGERLINE_CALL=mine']],
    [12, ['LEDGERLINE_CALL=mine2']],
    [13, 'in exec'],
    [14, []],
  ]);
  const processes = new MarkedProcesses('mine', 100, (pid) => {
    read.push(pid);
    return environments.get(pid) ?? [];
  });
  const table = [9, 11, 12, 13, 14].map((pid) => ({ pid, group: pid, zombie: false, started: pid * 10 }));
  expect([[...processes.among(table)], processes.isInDoubt]).toEqual([[11], true]);
  environments.set(13, ['LEDGERLINE_CALL=mine']).set(11, ['A=1']);
  expect([[...processes.among(table)], processes.isInDoubt]).toEqual([[11, 13], false]);
  expect(read).toEqual([11, 12, 13, 14, 13, 14]);
  // The same pid, another process.
  expect([...processes.among([{ pid: 11, group: 11, zombie: false, started: 500 }])]).toEqual([]);
});

test('a doubt lasts for a few looks, however many processes begin one, and none is about the kernel', () => {
  const processes = new MarkedProcesses('mine', 0, () => 'in exec');
  const doubts = Array.from({ length: 7 }, (_, at) => {
    processes.among([{ pid: at + 1, group: at + 1, zombie: false, started: 1 }]);
    return processes.isInDoubt;
  });
  expect(doubts).toEqual([true, true, true, true, true, false, false]);
  const kernel = new MarkedProcesses('mine', 0, () => 'in exec');
  kernel.among([{ pid: 9, group: 0, zombie: false, started: 1 }]);
  expect(kernel.isInDoubt).toBe(false);
});

test('a line of /proc is read also when the name contains parentheses', () => {
  expect(parseProcStat('42 (a) b) R (c)) S 7 9 9 0 -1')).toEqual({
    pid: 42,
    parent: 7,
    group: 9,
    zombie: false,
    started: 0,
  });
  const stat = '42 (x) Z 1 42 9 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 7777 0 0';
  expect(parseProcStat(stat)).toEqual({ pid: 42, parent: 1, group: 42, zombie: true, started: 7_777 });
  expect(parseProcStat('')).toBeUndefined();
});

test('a tree is ended politely first, on Windows at once', () => {
  expect(killPlan('linux', 5, { final: false })).toEqual({ kind: 'signal', signal: 'SIGTERM' });
  expect(killPlan('darwin', 5, { final: true })).toEqual({ kind: 'signal', signal: 'SIGKILL' });
  expect(killPlan('win32', 5, { final: false })).toEqual({
    kind: 'taskkill',
    args: ['/PID', '5', '/T', '/F'],
  });
});
