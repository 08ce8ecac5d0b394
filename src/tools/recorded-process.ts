import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandProcess } from '../runtime/events.ts';
import { callOf } from './marked-processes.ts';
import type { Platform } from './path-syntax.ts';
import { processTable, type ProcessEntry } from './process-table.ts';
import { ProcessTree } from './process-tree.ts';
import { systemCode } from './tool-faults.ts';

/** Commands that an earlier process of ours started and wrote down: whether they still run, and ending them. */

/** A time of start is known to the second, and it is written down a moment after it. */
const TOLERANCE_MS = 5_000;
const GRACE_MS = 300;
const FINAL_MS = 1_500;
const POLL_MS = 20;

/** A process with the time when it started, in milliseconds since 1970. */
export type TimedProcess = Pick<ProcessEntry, 'pid' | 'group' | 'zombie'> & { readonly at: number };

/**
 * Whether the command, or anything left of its group, still runs. A pid alone does not tell: it may belong to
 * another process by now, so the times of start are compared. On Windows only the pid is looked at, because
 * asking for more takes seconds there: a process that took it over is taken for the command.
 */
export function isAlive(recorded: CommandProcess, platform: Platform = process.platform): boolean {
  // Signals to 0, 1 or what is no pid at all would go to others.
  if (![recorded.pid, recorded.group].every((id) => Number.isInteger(id) && id > 1)) return false;
  return platform === 'win32' ? isThere(recorded.pid) : isAmong(recorded, timedTable(platform));
}

/** Pure: whether one of these is the command or belongs to its group. */
export function isAmong({ pid, group, started_at }: CommandProcess, table: readonly TimedProcess[]): boolean {
  const since = Date.parse(started_at);
  const leader = table.find((entry) => entry.pid === pid);
  if (leader !== undefined) {
    // As long as a group exists its number is no pid of others: so the group is gone too.
    if (!(Math.abs(leader.at - since) <= TOLERANCE_MS)) return false;
    if (!leader.zombie) return true;
  }
  return table.some((entry) => entry.group === group && !entry.zombie && entry.at >= since - TOLERANCE_MS);
}

/** Ends it with all that can be found of it: politely, then by force. Takes two seconds at most. */
export async function endRecorded(
  recorded: CommandProcess,
  platform: Platform = process.platform,
): Promise<'ended' | 'remaining'> {
  if (!isAlive(recorded, platform)) return 'ended';
  const tree = new ProcessTree(recorded.group, platform, markOf(recorded, platform) ?? randomUUID());
  const isGone = () => tree.living().length === 0 && !isAlive(recorded, platform);
  tree.kill({ final: false });
  if (await comesTrue(isGone, GRACE_MS)) return 'ended';
  const isForced = () => {
    if (isGone()) return true;
    tree.kill({ final: true });
    return false;
  };
  return (await comesTrue(isForced, FINAL_MS)) ? 'ended' : 'remaining';
}

async function comesTrue(condition: () => boolean, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (!condition()) {
    if (performance.now() >= until) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** What the environment of the command is marked with, so that what left the group is found as well. */
function markOf({ group }: CommandProcess, platform: Platform): string | undefined {
  if (platform !== 'linux') return undefined;
  const members = processTable(platform).filter((entry) => entry.group === group && !entry.zombie);
  return members.map(({ pid }) => callOf(pid)).find((call) => call !== undefined);
}

function timedTable(platform: Platform): readonly TimedProcess[] {
  if (platform !== 'linux') return timedPsTable();
  const boot = bootTime();
  return processTable(platform).map(({ pid, group, zombie, started }) => ({
    pid,
    group,
    zombie,
    at: boot + (started * 1_000) / TICKS_PER_SECOND,
  }));
}

/** What Linux counts in towards programs, whatever the machine. */
const TICKS_PER_SECOND = 100;

function bootTime(): number {
  return Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]) * 1_000;
}

function timedPsTable(): readonly TimedProcess[] {
  try {
    const output = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,state=,lstart='], {
      encoding: 'utf8',
      timeout: 1_000,
      // Times without a zone are local, and an hour of autumn comes twice.
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    return parseTimedPs(output);
  } catch (error) {
    // Without a working ps nothing can be said to be the command, so nothing of it is touched either.
    if (!(error instanceof Error)) throw error;
    return [];
  }
}

/** Lines such as `100   100 Ss   Sun Nov 16 04:48:11 2025`. */
export function parseTimedPs(output: string): readonly TimedProcess[] {
  return output.split('\n').flatMap((line) => {
    const [pid, group, state, ...words] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '' || state === undefined) return [];
    const at = Date.parse(`${words.join(' ')} UTC`);
    return [{ pid: Number(pid), group: Number(group), zombie: state.startsWith('Z'), at }];
  });
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // ESRCH, or EPERM: what we may not signal is not what we started.
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
