import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandProcess } from '../../src/runtime/events.ts';
import { CALL_VARIABLE } from '../../src/tools/marked-processes.ts';
import { endRecorded, isAlive, isAmong, parseTimedPs } from '../../src/tools/recorded-process.ts';
import { isRunning } from '../support/running-process.ts';

/** Real processes; the way of macOS (ps) works on Linux as well. */
const PLATFORMS = ['linux', 'darwin'] as const;
const HOUR_MS = 3_600_000;

interface Started {
  readonly child: ChildProcess;
  readonly recorded: CommandProcess;
  /** What the script says on its first line. */
  readonly said: readonly number[];
}

async function start(script: string, env: Readonly<Record<string, string>> = {}): Promise<Started> {
  const child = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('started');
  const recorded = { pid, group: pid, started_at: new Date().toISOString() };
  const [line] = await once(child.stdout, 'data');
  const said = String(line).trim().split(' ').map(Number);
  onTestFinished(() => {
    for (const id of [-pid, ...said.filter((one) => one > 1)]) {
      try {
        process.kill(id, 'SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    }
  });
  return { child, recorded, said };
}

function movedBy(recorded: CommandProcess, ms: number): CommandProcess {
  return { ...recorded, started_at: new Date(Date.parse(recorded.started_at) + ms).toISOString() };
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

test.each(PLATFORMS)('a recorded command is alive until it has ended (%s)', async (platform) => {
  const { child, recorded } = await start('echo $$; exec sleep 300');
  expect(isAlive(recorded, platform)).toBe(true);
  await killed(child);
  expect(isAlive(recorded, platform)).toBe(false);
  expect(await endRecorded(recorded, platform)).toBe('ended');
});

test.each(PLATFORMS)(
  'what outlives its shell is still the command, and can be ended (%s)',
  async (platform) => {
    const { child, recorded, said } = await start('(sleep 300 & echo $!; wait) & wait');
    await killed(child);
    expect(isAlive(recorded, platform)).toBe(true);
    // A group of that number which is older is not this one.
    expect(isAlive(movedBy(recorded, HOUR_MS), platform)).toBe(false);
    expect(await endRecorded(recorded, platform)).toBe('ended');
    expect([isAlive(recorded, platform), said.map(isRunning)]).toEqual([false, [false]]);
  },
);

test.each(PLATFORMS)('a pid that another process has by now is not the command (%s)', async (platform) => {
  const { recorded, said } = await start('echo $$; exec sleep 300');
  for (const ms of [-HOUR_MS, HOUR_MS]) {
    const other = movedBy(recorded, ms);
    expect(isAlive(other, platform)).toBe(false);
    expect(await endRecorded(other, platform)).toBe('ended');
  }
  expect(said.map(isRunning)).toEqual([true]);
  expect(isAlive(recorded, platform)).toBe(true);
});

function nameOf(pid: number): string {
  return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
}

test.each(PLATFORMS)('a zombie is dead (%s)', async (platform) => {
  // Job control gives the child a group of its own; nobody reaps it once bash has become sleep.
  const { recorded, said } = await start('set -m; sleep 300 & echo $!; exec sleep 300');
  const [pid = 0] = said;
  const zombie = { ...recorded, pid, group: pid };
  expect(isAlive(zombie, platform)).toBe(true);
  // As long as it is bash, it would reap its child.
  await expect.poll(() => nameOf(recorded.pid) === 'sleep').toBe(true);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => !isRunning(pid)).toBe(true);
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(isAlive(zombie, platform)).toBe(false);
});

test('what ignores the polite signal or has left the group is ended too', async () => {
  const stay = 'while :; do sleep 1; done';
  // The subshell ends at once, so that the mark is all that is left to find the one in its own session by.
  const script = `trap '' TERM; (setsid bash -c '${stay}' >/dev/null & echo $$ $!); ${stay}`;
  const { child, recorded, said } = await start(script, {
    [CALL_VARIABLE]: `recorded-process-test-${process.pid}`,
  });
  expect(said.map(isRunning)).toEqual([true, true]);
  expect(await endRecorded(recorded)).toBe('ended');
  expect(said.map(isRunning)).toEqual([false, false]);
  // It is gone; that Node has been told of it may take a moment more.
  if (child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
});

test('numbers that stand for other processes are never signalled', async () => {
  const started_at = new Date().toISOString();
  for (const id of [0, 1, -1, -5, 1.5, Number.NaN]) {
    for (const platform of [...PLATFORMS, 'win32'] as const) {
      expect(isAlive({ pid: id, group: id, started_at }, platform)).toBe(false);
      expect(isAlive({ pid: process.pid, group: id, started_at }, platform)).toBe(false);
    }
    expect(await endRecorded({ pid: id, group: id, started_at })).toBe('ended');
  }
});

test('on Windows only the pid is looked at', async () => {
  const { child, recorded } = await start('echo $$; exec sleep 300');
  expect(isAlive(movedBy(recorded, HOUR_MS), 'win32')).toBe(true);
  await killed(child);
  expect(isAlive(recorded, 'win32')).toBe(false);
});

test('a group is the recorded one only without a stranger as its leader', () => {
  const at = Date.parse('2026-03-01T10:00:00Z');
  const recorded = { pid: 7, group: 7, started_at: '2026-03-01T10:00:00.500Z' };
  const leader = { pid: 7, group: 7, zombie: false, at };
  const member = { pid: 9, group: 7, zombie: false, at: at + 60_000 };
  expect(isAmong(recorded, [leader])).toBe(true);
  expect(isAmong(recorded, [{ ...leader, zombie: true }])).toBe(false);
  expect(isAmong(recorded, [{ ...leader, zombie: true }, member])).toBe(true);
  expect(isAmong(recorded, [member])).toBe(true);
  expect(isAmong(recorded, [{ ...member, zombie: true }])).toBe(false);
  expect(isAmong(recorded, [{ ...member, at: at - 60_000 }])).toBe(false);
  expect(isAmong(recorded, [{ ...leader, at: at + 60_000 }, member])).toBe(false);
  expect(isAmong({ ...recorded, started_at: 'some day' }, [leader, member])).toBe(false);
});

test('the times of ps are read in the zone in which they were asked for', () => {
  expect(
    parseTimedPs('  100   99 Ss   Sun Nov 16 04:48:11 2025\n  101   99 Z    Mon Feb  2 00:00:00 2026\n'),
  ).toEqual([
    { pid: 100, group: 99, zombie: false, at: Date.UTC(2025, 10, 16, 4, 48, 11) },
    { pid: 101, group: 99, zombie: true, at: Date.UTC(2026, 1, 2) },
  ]);
});
