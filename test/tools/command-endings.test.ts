import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { isRunning } from '../support/running-process.ts';
import { Fixture, pidIn, RecordingContext } from './tool-fixture.ts';

/** Longer than any test may take: what ends had not waited for it. */
const NEVER_MS = 600_000;
/** Enough for what ends by itself when it is asked to, on a busy machine. */
const PATIENT_MS = 10_000;

test('a command that takes too long is ended with everything it started', async () => {
  using fixture = new Fixture({ limits: { commandGraceMs: PATIENT_MS, commandDrainMs: PATIENT_MS } });
  const command = 'echo before; sleep 300 & echo $! > child; wait';
  // On a busy machine the shortest time may be over before the command has begun.
  for (const timeout_s of [1, 5, 25]) {
    const outcome = await fixture.run('run_command', { command, timeout_s });
    if (!existsSync(fixture.path('child'))) continue;
    expect(outcome).toEqual({
      kind: 'failure',
      error: {
        kind: 'timeout',
        message: `timed out after ${timeout_s} s and was ended. Raise timeout_s (at most 600) or split the work.`,
        details: { timeout_s },
      },
      output: `timed out after ${timeout_s} s\nbefore`,
      changes: [],
    });
    break;
  }
  expect(isRunning(await pidIn(fixture, 'child'))).toBe(false);
});

test('stopping a command ends its tree at once and keeps what it said', async () => {
  using fixture = new Fixture({
    limits: {
      commandGraceMs: NEVER_MS,
      commandStopMs: NEVER_MS,
      commandDrainMs: NEVER_MS,
      commandRelayMs: NEVER_MS,
    },
  });
  const context = new RecordingContext();
  const said = context.said('ready');
  const running = fixture.run(
    'run_command',
    { command: 'sleep 300 & echo $! > child; echo ready; wait' },
    context,
  );
  await said;
  const child = await pidIn(fixture, 'child');
  context.abort();
  expect(await running).toEqual({
    kind: 'failure',
    error: { kind: 'cancelled', message: 'The call was stopped before it finished.' },
    output: 'stopped before it finished\nready',
    changes: [],
  });
  expect([child, context.processes[0]?.pid ?? 0].map(isRunning)).toEqual([false, false]);
});

test('stopping a command that floods keeps head and tail of what it said, and stores nothing more', async () => {
  using fixture = new Fixture();
  const context = new RecordingContext();
  const flooding = new Promise<void>((resolve) => {
    context.onProgress = (all) => {
      if (all.length > 20_000) resolve();
    };
  });
  const running = fixture.run('run_command', { command: 'echo begin; yes' }, context);
  await flooding;
  context.abort();
  expect(await running).toEqual({
    kind: 'failure',
    error: { kind: 'cancelled', message: 'The call was stopped before it finished.' },
    output: expect.stringMatching(
      /^stopped before it finished\nbegin\n(?:y\n)+\[\d+ bytes of output were left out here\](?:\ny)+$/,
    ),
    changes: [],
  });
  expect(fixture.blobs.bodies.size).toBe(0);
});

test('processes that ignore the polite signal, at any depth, are ended by force', async () => {
  using fixture = new Fixture();
  const context = new RecordingContext();
  const stubborn = "trap '' TERM INT HUP; echo $BASHPID > $1; while :; do sleep 1; done";
  const command = [
    `stubborn() { ${stubborn}; }`,
    '(stubborn a) & (stubborn b >/dev/null 2>&1) &',
    '( (stubborn c </dev/null >/dev/null 2>&1 &) )',
    'setsid bash -c "trap \'\' TERM; echo \\$\\$ > d; while :; do sleep 1; done" & wait',
  ].join('\n');
  const running = fixture.run('run_command', { command }, context);
  const pids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => pidIn(fixture, name)));
  expect(pids.map(isRunning)).toEqual([true, true, true, true]);
  context.abort();
  expect(await running).toMatchObject({ error: { kind: 'cancelled' } });
  expect(pids.map(isRunning)).toEqual([false, false, false, false]);
});

test('a command that left processes behind does not hang and leaves none', async () => {
  using fixture = new Fixture({ limits: { commandGraceMs: 200 } });
  const command = "(trap '' TERM; sleep 300) & echo $! > child; (sleep 300 >/dev/null 2>&1 &) ; echo done";
  expect(await fixture.say('run_command', { command })).toBe(
    'exit code 0\ndone\n[Processes that it left in the background were ended.]',
  );
  expect(isRunning(await pidIn(fixture, 'child'))).toBe(false);
});

test('a signal handler may still say something', async () => {
  using fixture = new Fixture({
    limits: { commandStopMs: PATIENT_MS, commandGraceMs: PATIENT_MS, commandDrainMs: PATIENT_MS },
  });
  const context = new RecordingContext();
  const ready = context.said('ready');
  const command = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
  const running = fixture.run('run_command', { command }, context);
  await ready;
  context.abort();
  // bash itself may tell of the program that was ended under it.
  expect(await running).toMatchObject({
    output: expect.stringMatching(/^stopped before it finished\nready\n(?:\S+\n)?bye$/),
  });
});

test('what a signal handler starts, when all that was known of the command has ended, is ended too', async () => {
  const command =
    "trap 'setsid sleep 300 >/dev/null 2>&1 & echo $! > late; exit 0' TERM; echo ready; sleep 300 & wait";
  // On a busy machine the shortest time may be over before the handler has begun.
  for (const commandStopMs of [500, 2_000, PATIENT_MS]) {
    using fixture = new Fixture({ limits: { commandStopMs } });
    const context = new RecordingContext();
    const ready = context.said('ready');
    const running = fixture.run('run_command', { command }, context);
    await ready;
    context.abort();
    expect(await running).toMatchObject({ error: { kind: 'cancelled' } });
    if (!existsSync(fixture.path('late')) && commandStopMs < PATIENT_MS) continue;
    expect(isRunning(await pidIn(fixture, 'late'))).toBe(false);
    break;
  }
});

test('a command that ignores the polite signal is gone soon after it is stopped', async () => {
  // The loop waits for a second, so nothing of the ending may take what a call has that is not stopped.
  using fixture = new Fixture({
    limits: { commandGraceMs: NEVER_MS, commandDrainMs: NEVER_MS, commandRelayMs: NEVER_MS },
  });
  const context = new RecordingContext();
  const command = [
    'trap "" TERM; echo $$ > parent',
    '(bash -c \'trap "" TERM; echo $$ > grandchild; sleep 300; :\'; :) &',
    'sleep 300; wait',
  ].join('\n');
  const running = fixture.run('run_command', { command, timeout_s: 60 }, context);
  const pids = await Promise.all(['parent', 'grandchild'].map((name) => pidIn(fixture, name)));
  const group = context.processes[0]?.group ?? 0;
  await expect.poll(() => membersOfGroup(group).length).toBeGreaterThanOrEqual(5);
  context.abort();
  expect(await running).toMatchObject({ error: { kind: 'cancelled' } });
  expect([pids.map(isRunning), membersOfGroup(group)]).toEqual([[false, false], []]);
});

test('a call that is stopped while leftovers are ended does not wait for them', async () => {
  using fixture = new Fixture({ limits: { commandGraceMs: 60_000 } });
  const context = new RecordingContext();
  const command = '(trap "" TERM; sleep 300; :) & echo $! > child; exit 0';
  const running = fixture.run('run_command', { command }, context);
  const child = await pidIn(fixture, 'child');
  // Not a zombie any more either: then its exit has been noticed.
  await expect.poll(() => !existsSync(`/proc/${context.processes[0]?.pid}`)).toBe(true);
  context.abort();
  expect(await running).toMatchObject({
    kind: 'success',
    output: 'exit code 0\n(no output)\n[Processes that it left in the background were ended.]',
  });
  expect(isRunning(child)).toBe(false);
});

function escape(name: string, rest: string): string {
  return `setsid bash -c 'echo $$ > ${name}; exec sleep 101' ${rest} &`;
}

test('a process that left its session and lost its parent is ended too, and that is said', async () => {
  using fixture = new Fixture();
  const command = [
    escape('loud', ''),
    escape('quiet', '>/dev/null 2>&1'),
    'until [ -s loud ] && [ -s quiet ]; do sleep 0.01; done; echo done',
  ].join('\n');
  expect(await fixture.say('run_command', { command })).toBe(
    'exit code 0\ndone\n[Processes that it left in the background were ended.]',
  );
  const pids = await Promise.all(['loud', 'quiet'].map((name) => pidIn(fixture, name)));
  expect(pids.map(isRunning)).toEqual([false, false]);
});

/** The command leaves a process that nothing finds, and nothing is said of it. */
async function leavesUnnoticed(fixture: Fixture, command: string): Promise<void> {
  const outcome = fixture.say('run_command', { command });
  const lost = await pidIn(fixture, 'lost');
  try {
    expect(await outcome).toBe('exit code 0\n(no output)');
  } finally {
    process.kill(lost, 'SIGKILL');
  }
}

test('nothing is said about processes when there were none, or none that could be found', async () => {
  using patient = new Fixture();
  expect(await patient.say('run_command', { command: 'echo a; (sleep 0.3; echo b) & wait; echo c' })).toBe(
    'exit code 0\na\nb\nc',
  );
  using fixture = new Fixture({ limits: { commandRelayMs: 500 } });
  // Without its mark it cannot be found; it holds the pipe open, so that our relay is all that is left.
  const command =
    "env -i /usr/bin/setsid /bin/bash -c 'echo $$ > lost; exec /bin/sleep 101' & until [ -s lost ]; do sleep 0.01; done";
  await leavesUnnoticed(fixture, command);
});

test('nothing is said about a process that has no environment at all, either', async () => {
  using fixture = new Fixture();
  const command = [
    'env -i /usr/bin/setsid /bin/sleep 101 >/dev/null 2>&1 &',
    // Before its last exec it still has its mark. grep would find the words among the arguments of env, too.
    `until [ "$(tr '\\0' ' ' < /proc/$!/cmdline)" = '/bin/sleep 101 ' ]; do sleep 0.01; done; echo $! > lost`,
  ].join('\n');
  await leavesUnnoticed(fixture, command);
});

test('what still runs when our process exits is ended by force, and only then is there a handler', async () => {
  using fixture = new Fixture();
  const before = process.listenerCount('exit');
  await fixture.run('run_command', { command: 'true' });
  expect(process.listenerCount('exit')).toBe(before);

  const program = join(fixture.folder, 'program.mjs');
  await builtProgram(new URL('exiting-program.ts', import.meta.url), program);
  const command = 'trap "" TERM; (trap "" TERM HUP; echo $BASHPID > child; sleep 300; :) & sleep 300; wait';
  const exiting = spawn(process.execPath, [program, fixture.root, command], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const child = await pidIn(fixture, 'child');
  expect(isRunning(child)).toBe(true);
  exiting.stdin.end();
  expect(await once(exiting, 'exit')).toEqual([0, null]);
  await expect.poll(() => !isRunning(child)).toBe(true);
});

function membersOfGroup(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isRunning(pid) && groupOf(pid) === group);
}

function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}
