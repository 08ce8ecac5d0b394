import { readFileSync } from 'node:fs';
import { systemCode } from './tool-faults.ts';

/**
 * A process that left its group and lost its parent (setsid, a daemon) still has the environment that it was
 * started with. Only Linux shows that of every process of the same user.
 */

/** A variable in the environment of a command, with a value of its own for each call. */
export const CALL_VARIABLE = 'LEDGERLINE_CALL';

export interface DatedProcess {
  readonly pid: number;
  /** 0 for what the kernel runs for itself. */
  readonly group: number;
  readonly zombie: boolean;
  /** In clock ticks since the machine started: with the pid, it tells processes apart. */
  readonly started: number;
}

/** In the middle of an exec an environment is empty, which takes a few looks at most on a busy machine. */
const MOST_DOUBTS = 10;

export class MarkedProcesses {
  /** An environment is read once: it stays the same, and one that is emptied later does not help. */
  private readonly known = new Map<number, { readonly started: number; readonly marked: boolean }>();
  /** How often each was in the middle of an exec. */
  private readonly doubts = new Map<number, number>();
  /** Those that were so at the last look: the next one may know them. */
  doubtful: readonly number[] = [];

  /** Processes older than `since` cannot carry the mark and are not looked into. */
  constructor(
    private readonly call: string,
    private readonly since: number,
    private readonly environment: (pid: number) => string | null = readEnvironment,
  ) {}

  among(table: readonly DatedProcess[]): ReadonlySet<number> {
    const pids = new Set<number>();
    const doubtful: number[] = [];
    for (const entry of table) {
      if (entry.zombie || entry.started < this.since) continue;
      const isMarked = this.isMarked(entry);
      if (isMarked === true) pids.add(entry.pid);
      if (isMarked === 'perhaps') doubtful.push(entry.pid);
    }
    this.doubtful = doubtful;
    return pids;
  }

  private isMarked({ pid, started, group }: DatedProcess): boolean | 'perhaps' {
    const known = this.known.get(pid);
    if (known?.started === started) return known.marked;
    const environment = this.environment(pid);
    if (environment === null || group === 0) return false;
    if (environment === '') {
      const doubts = (this.doubts.get(pid) ?? 0) + 1;
      this.doubts.set(pid, doubts);
      return doubts <= MOST_DOUBTS ? 'perhaps' : false;
    }
    const marked = environment.split('\0').includes(`${CALL_VARIABLE}=${this.call}`);
    this.known.set(pid, { started, marked });
    return marked;
  }
}

/** The mark in the environment of a process, if it has one that can be read. */
export function callOf(pid: number): string | undefined {
  const prefix = `${CALL_VARIABLE}=`;
  const marked = readEnvironment(pid)
    ?.split('\0')
    .find((entry) => entry.startsWith(prefix));
  return marked?.slice(prefix.length);
}

/** Null when it is gone, or not ours to look into. */
function readEnvironment(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}
