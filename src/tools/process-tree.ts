import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { unreachable } from '../runtime/unreachable.ts';
import type { Platform } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';

/** Ending a command with everything it started. */

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** A zombie is dead; only nobody has asked for its exit code yet. */
  readonly zombie: boolean;
}

/** Processes below the leaders of these groups or in them, and in groups that such processes lead. */
export function membersOf(
  leaders: ReadonlySet<number>,
  table: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const pids = new Set(leaders);
  const groups = new Set(leaders);
  // Parents may be listed after their children, so this repeats until nothing is added.
  for (let before = -1; before !== pids.size;) {
    before = pids.size;
    for (const entry of table) {
      if (pids.has(entry.parent) || groups.has(entry.group)) {
        pids.add(entry.pid);
        // A child that leads a group of its own (setsid, job control) takes its group with it.
        if (entry.group === entry.pid) groups.add(entry.group);
      }
    }
  }
  return table.filter((entry) => pids.has(entry.pid) && !entry.zombie);
}

export function parseProcStat(stat: string): ProcessEntry | undefined {
  // The name is in parentheses and may itself contain some: the last one closes it.
  const [head, rest] = [stat.slice(0, stat.indexOf(' ')), stat.slice(stat.lastIndexOf(')') + 2)];
  const [state, parent, group] = rest.split(' ');
  const entry = { pid: Number(head), parent: Number(parent), group: Number(group) };
  return Number.isInteger(entry.pid) && Number.isInteger(entry.parent) && Number.isInteger(entry.group)
    ? { ...entry, zombie: state === 'Z' || state === 'X' }
    : undefined;
}

export function parsePsTable(output: string): readonly ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    return pid === undefined || pid === '' || state === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), zombie: state.startsWith('Z') }];
  });
}

/** Every process of the machine. Synchronous: between looking and signalling nothing may come in between. */
function processTable(platform: Platform): readonly ProcessEntry[] {
  return platform === 'linux' ? procTable() : psTable();
}

function psTable(): readonly ProcessEntry[] {
  try {
    const columns = 'pid=,ppid=,pgid=,state=';
    return parsePsTable(execFileSync('ps', ['-A', '-o', columns], { encoding: 'utf8', timeout: 1_000 }));
  } catch (error) {
    // Without a working ps the groups are signalled blindly: that misses only processes that left them.
    if (!(error instanceof Error)) throw error;
    return [];
  }
}

function procTable(): readonly ProcessEntry[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    } catch (error) {
      // It ended meanwhile.
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  });
}

export type KillPlan =
  | { readonly kind: 'signal'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly kind: 'taskkill'; readonly args: readonly string[] };

/** Windows has no polite signal for a console program without a window; there the tree ends at once. */
export function killPlan(platform: Platform, pid: number, force: { readonly final: boolean }): KillPlan {
  return platform === 'win32'
    ? { kind: 'taskkill', args: ['/PID', String(pid), '/T', '/F'] }
    : { kind: 'signal', signal: force.final ? 'SIGKILL' : 'SIGTERM' };
}

export class ProcessTree {
  /** Groups seen so far: a parent may be gone by the time of the second signal. */
  private readonly groups: Set<number>;

  constructor(
    private readonly pid: number,
    private readonly platform: Platform,
  ) {
    this.groups = new Set([pid]);
  }

  /** How many processes of it live. On Windows that cannot be told cheaply: taskkill has to do. */
  living(): number {
    if (this.platform === 'win32') return 0;
    const some = [...this.groups].some((group) => signal(-group, 0));
    return some ? this.members().length : 0;
  }

  kill(force: { readonly final: boolean }): void {
    const plan = killPlan(this.platform, this.pid, force);
    switch (plan.kind) {
      case 'signal': {
        const members = this.members();
        for (const member of members) if (member.group === member.pid) this.groups.add(member.group);
        for (const group of this.groups) signal(-group, plan.signal);
        for (const member of members) if (!this.groups.has(member.group)) signal(member.pid, plan.signal);
        return;
      }
      case 'taskkill':
        spawn('taskkill', plan.args, { stdio: 'ignore', windowsHide: true }).once('error', () => {
          // Without taskkill at least the root can be ended.
          signal(this.pid, 'SIGKILL');
        });
        return;
      default:
        unreachable(plan);
    }
  }

  private members(): readonly ProcessEntry[] {
    return membersOf(this.groups, processTable(this.platform));
  }
}

/** Answers whether there was anything to signal. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    const code = systemCode(error);
    // Gone already, or another user's by now: not ours to end.
    if (code === 'ESRCH' || code === 'EPERM') return code === 'EPERM';
    throw error;
  }
}
