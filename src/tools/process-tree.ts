import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { unreachable } from '../runtime/unreachable.ts';
import { MarkedProcesses } from './marked-processes.ts';
import type { Platform } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';

/** Ending a command with everything it started. */

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** A zombie is dead; only nobody has asked for its exit code yet. */
  readonly zombie: boolean;
  /** In clock ticks since the machine started; 0 where that is not known. */
  readonly started: number;
}

/**
 * Processes below the leaders of these groups or in them, and in groups that such processes lead. So too for
 * the strays, which have left the groups.
 */
export function membersOf(
  leaders: ReadonlySet<number>,
  table: readonly ProcessEntry[],
  strays: ReadonlySet<number> = new Set(),
): readonly ProcessEntry[] {
  const pids = new Set([...leaders, ...strays]);
  const groups = new Set(leaders);
  // Parents may be listed after their children, so this repeats until nothing is added.
  for (let before = -1; before !== pids.size + groups.size;) {
    before = pids.size + groups.size;
    for (const entry of table) {
      if (pids.has(entry.pid) || pids.has(entry.parent) || groups.has(entry.group)) {
        pids.add(entry.pid);
        // A child that leads a group of its own (setsid, job control) takes its group with it.
        if (entry.group === entry.pid) groups.add(entry.group);
      }
    }
  }
  return table.filter((entry) => pids.has(entry.pid) && !entry.zombie);
}

/** Of those after the name. */
const STARTED_FIELD = 19;

export function parseProcStat(stat: string): ProcessEntry | undefined {
  // The name is in parentheses and may itself contain some: the last one closes it.
  const [head, rest] = [stat.slice(0, stat.indexOf(' ')), stat.slice(stat.lastIndexOf(')') + 2)];
  const fields = rest.split(' ');
  const [state, parent, group] = fields;
  const entry = { pid: Number(head), parent: Number(parent), group: Number(group) };
  const started = Number(fields[STARTED_FIELD] ?? 0);
  return Number.isInteger(entry.pid) && Number.isInteger(entry.parent) && Number.isInteger(entry.group)
    ? { ...entry, zombie: state === 'Z' || state === 'X', started }
    : undefined;
}

export function parsePsTable(output: string): readonly ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (pid === undefined || pid === '' || state === undefined) return [];
    const zombie = state.startsWith('Z');
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), zombie, started: 0 }];
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
  return pids.flatMap((pid) => procEntry(pid) ?? []);
}

function procEntry(pid: string): ProcessEntry | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    // It ended meanwhile.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
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
  private readonly marked: MarkedProcesses | undefined;

  /** `call` is what its environment is marked with, see `MarkedProcesses`. */
  constructor(
    private readonly pid: number,
    private readonly platform: Platform,
    call: string,
  ) {
    this.groups = new Set([pid]);
    this.marked =
      platform === 'linux' ? new MarkedProcesses(call, procEntry(String(pid))?.started ?? 0) : undefined;
  }

  /** The processes of it that live. On Windows that cannot be told cheaply: taskkill has to do. */
  living(): readonly number[] {
    if (this.platform === 'win32') return [];
    const some = this.marked !== undefined || [...this.groups].some((group) => signal(-group, 0));
    return some ? this.members().map((member) => member.pid) : [];
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
    const table = processTable(this.platform);
    return membersOf(this.groups, table, this.marked?.among(table));
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
