import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CommandProcess } from '../../src/runtime/events.ts';
import { AppendFailed } from '../../src/runtime/ports.ts';
import { shellCommand } from '../../src/tools/command-shell.ts';
import { StartedCommand } from '../../src/tools/started-command.ts';
import { isRunning } from '../support/running-process.ts';
import { Fixture, RecordingContext, sha, stoppedContext } from './tool-fixture.ts';

test('a command runs in the first folder and gives its exit code and output', async () => {
  using fixture = new Fixture();
  const context = new RecordingContext();
  expect(await fixture.run('run_command', { command: 'pwd; echo err >&2; echo "$TERM"' }, context)).toEqual({
    kind: 'success',
    output: `exit code 0\n${fixture.root}\nerr\ndumb`,
    changes: [],
  });
  const [process] = context.processes;
  expect(context.processes).toEqual([
    { pid: expect.any(Number), group: process?.pid, started_at: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
});

test('a command that fails gives its output and its exit code as the error', async () => {
  using fixture = new Fixture();
  expect(await fixture.run('run_command', { command: 'echo oops; exit 3' })).toEqual({
    kind: 'failure',
    error: { kind: 'exit_code', message: 'exit code 3', details: { exit_code: 3 } },
    output: 'exit code 3\noops',
    changes: [],
  });
  expect(await fixture.run('run_command', { command: 'kill -KILL $$' })).toEqual({
    kind: 'failure',
    error: {
      kind: 'exit_code',
      message: 'killed by SIGKILL',
      details: { exit_code: null, signal: 'SIGKILL' },
    },
    output: 'killed by SIGKILL\n(no output)',
    changes: [],
  });
});

test('output of both streams comes in the order in which it was written', async () => {
  using fixture = new Fixture();
  const command =
    'for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done; echo x > /dev/stderr; echo y > /dev/stdout';
  expect(await fixture.say('run_command', { command: `${command}; exit 0` })).toBe(
    'exit code 0\nout1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\nout5\nerr5\nx\ny',
  );
});

test('a command has no input and no secrets', async () => {
  using fixture = new Fixture({ env: { PATH: process.env['PATH'], OPENAI_API_KEY: 'sk-secret' } });
  expect(
    await fixture.say('run_command', { command: 'cat; env | grep -c secret; echo ${OPENAI_API_KEY:-none}' }),
  ).toBe('exit code 0\n0\nnone');
});

test('odd command lines arrive unchanged', async () => {
  using fixture = new Fixture();
  expect(
    await fixture.say('run_command', { command: 'printf "%s\\n" "a \'b\' $HOME" | wc -l\necho "line 2"' }),
  ).toBe('exit code 0\n1\nline 2');
  expect(await fixture.say('run_command', { command: '-nope' })).toMatch(/^exit_code: exit code 127$/);
});

test('long output keeps its head and tail, and the whole goes to a blob', async () => {
  using fixture = new Fixture();
  const outcome = await fixture.run('run_command', { command: 'seq 1 20000' });
  const whole = Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join('');
  if (outcome.kind !== 'success') throw new Error('succeeded');
  expect(outcome.blob).toBe(sha(whole));
  expect(String(fixture.blobs.bodies.get(sha(whole)))).toBe(whole);
  const lines = outcome.output.split('\n');
  expect(lines.slice(0, 3)).toEqual(['exit code 0', '1', '2']);
  expect(lines.at(-1)).toBe('20000');
  expect(outcome.output).toMatch(/\n\[\d+ bytes of output were left out here\]\n/);
  expect(Buffer.byteLength(outcome.output)).toBeLessThan(32 * 1_024);
});

test('output of hundreds of megabytes is read through in bounded memory', async () => {
  using fixture = new Fixture();
  const before = process.memoryUsage().rss;
  const outcome = await fixture.run('run_command', { command: 'yes | head -c 200000000' });
  if (outcome.kind !== 'success') throw new Error('succeeded');
  expect(fixture.blobs.bodies.get(outcome.blob ?? '')).toHaveLength(10_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

test('bytes that are no text and colours do not reach the model', async () => {
  using fixture = new Fixture();
  const command = String.raw`printf '\033[31mred\033[0m \377 h\303\244 10%%\r20%%\r\n'`;
  expect(await fixture.say('run_command', { command })).toBe('exit code 0\n20%');
  expect(await fixture.say('run_command', { command: String.raw`printf 'a\377b \303\244\n'` })).toBe(
    'exit code 0\na\uFFFDb ä',
  );
});

test('a call that was stopped before it began starts nothing', async () => {
  using fixture = new Fixture();
  const context = stoppedContext();
  expect(await fixture.run('run_command', { command: 'touch made' }, context)).toMatchObject({
    error: { kind: 'cancelled' },
  });
  expect([fixture.names(), context.processes]).toEqual([[], []]);
});

test('a command does nothing before its process is on record', async () => {
  using fixture = new Fixture();
  const order: string[] = [];
  const context = {
    signal: new AbortController().signal,
    progress: (text: string) => order.push(`shown ${text.length > 0}`),
    async started(process: CommandProcess) {
      // Held in a shell that is there, for as long as the record takes.
      await expect.poll(() => commandLine(process.pid).includes('read -r')).toBe(true);
      order.push(`recorded, ran: ${existsSync(fixture.path('ran'))}`);
    },
  };
  const call = fixture.prepare('run_command', { command: 'touch ran; echo output' });
  expect(await fixture.box.run(call, context)).toMatchObject({
    kind: 'success',
    output: 'exit code 0\noutput',
  });
  expect(order).toEqual(['recorded, ran: false', 'shown true']);
  expect(existsSync(fixture.path('ran'))).toBe(true);
});

test('a command that cannot be recorded never runs, and the failure is passed on', async () => {
  using fixture = new Fixture();
  const call = fixture.prepare('run_command', { command: 'touch ran' });
  let pid = 0;
  const failing = {
    signal: new AbortController().signal,
    progress() {},
    async started(process: CommandProcess) {
      pid = process.pid;
      throw new AppendFailed('disk_full', 'no space');
    },
  };
  await expect(fixture.box.run(call, failing)).rejects.toThrow('no space');
  await expect.poll(() => !isRunning(pid)).toBe(true);
  expect(existsSync(fixture.path('ran'))).toBe(false);
});

test('a command that is stopped while it is recorded never runs', async () => {
  using fixture = new Fixture();
  const stop = new AbortController();
  const context = {
    signal: stop.signal,
    progress() {},
    async started() {
      stop.abort();
    },
  };
  const call = fixture.prepare('run_command', { command: 'touch ran' });
  expect(await fixture.box.run(call, context)).toMatchObject({
    kind: 'failure',
    error: { kind: 'cancelled' },
  });
  expect(existsSync(fixture.path('ran'))).toBe(false);
});

function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}

test('without bash a command runs with sh all the same', async () => {
  using fixture = new Fixture();
  const pieces: Buffer[] = [];
  const platform = 'linux';
  const started = await StartedCommand.spawn({
    shell: shellCommand('echo out; echo err >&2; sleep 300 & exit 4', { platform, exists: () => false }),
    cwd: fixture.root,
    env: { PATH: process.env['PATH'] ?? '' },
    platform,
    onOutput: (chunk) => pieces.push(chunk),
  });
  if (!started.ok) throw new Error('started');
  started.value.release();
  expect(await started.value.exited).toEqual({ kind: 'exited', code: 4 });
  const { signal } = new AbortController();
  const bounds = { drainMs: 50, relayMs: 1_000, graceMs: 200, stopMs: 50, signal };
  expect(await started.value.endLeftovers(bounds)).toBe('ended');
  started.value.abandon();
  expect(String(Buffer.concat(pieces))).toBe('out\nerr\n');
});

test('what cannot be started is an outcome', async () => {
  using fixture = new Fixture({ shell: '/nowhere/shell' });
  expect(await fixture.say('run_command', { command: 'ls' })).toMatch(/^exit_code: exit code 12[67]$/);
  expect(await fixture.run('run_command', { command: `: ${'x'.repeat(3_000_000)}` })).toMatchObject({
    error: { kind: 'spawn_failed' },
  });
  rmSync(fixture.root, { recursive: true });
  expect(await fixture.say('run_command', { command: 'ls' })).toBe(
    `spawn_failed: The workspace folder ${fixture.root} is not there, so no command can run.`,
  );
});
