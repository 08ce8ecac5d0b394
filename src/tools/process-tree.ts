import { spawn } from 'node:child_process';
import { unreachable } from '../runtime/unreachable.ts';
import { MarkedProcesses } from './marked-processes.ts';
import type { Platform } from './path-syntax.ts';
import { procEntry, processTable, type ProcessEntry } from './process-table.ts';
import { systemCode } from './tool-faults.ts';

/** Ending a command with everything it started. */

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
  /** What lived at the last look. */
  private seen: readonly ProcessEntry[] = [];
  /** On Windows: a taskkill is at work. */
  private isKilling = false;

  /** `call` is what its environment is marked with, see `MarkedProcesses`. */
  constructor(
    private readonly pid: number,
    private readonly platform: Platform,
    call: string,
  ) {
    this.groups = new Set([pid]);
    this.marked = platform === 'linux' ? new MarkedProcesses(call, procEntry(pid)?.started ?? 0) : undefined;
  }

  /**
   * Empty when none of it lives but, at most, the one that does not count. To look at every process of the
   * machine takes milliseconds, so that is done only when nothing is left of what was seen before.
   */
  living(uncounted?: number): readonly number[] {
    const known = this.seen.filter((entry) => entry.pid !== uncounted && isStillThere(entry, this.platform));
    if (known.length > 0) return known.map(({ pid }) => pid);
    return this.look().filter((pid) => pid !== uncounted);
  }

  /** Whether the last look met a process that may belong to it. A later look settles that. */
  get isInDoubt(): boolean {
    return this.marked?.isInDoubt === true;
  }

  /** All processes of it that live. On Windows that cannot be told cheaply: taskkill has to do. */
  look(): readonly number[] {
    if (this.platform === 'win32') return [];
    const some = this.marked !== undefined || [...this.groups].some((group) => signal(-group, 0));
    return (some ? this.members() : []).map((member) => member.pid);
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
        this.taskkill(plan.args);
        return;
      default:
        unreachable(plan);
    }
  }

  private taskkill(args: readonly string[]): void {
    // It takes a while, and those who wait for the end ask again and again.
    if (this.isKilling) return;
    this.isKilling = true;
    const over = () => {
      this.isKilling = false;
    };
    const killer = spawn('taskkill', args, { stdio: 'ignore', windowsHide: true });
    killer.once('exit', over).once('error', () => {
      over();
      // Without taskkill at least the root can be ended.
      signal(this.pid, 'SIGKILL');
    });
  }

  private members(): readonly ProcessEntry[] {
    const table = processTable(this.platform);
    this.seen = membersOf(this.groups, table, this.marked?.among(table));
    return this.seen;
  }
}

/** Elsewhere than on Linux a zombie counts as well, until it is reaped. */
function isStillThere({ pid, started }: ProcessEntry, platform: Platform): boolean {
  if (platform !== 'linux') return signal(pid, 0);
  const now = procEntry(pid);
  return now !== undefined && now.started === started && !now.zombie;
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
