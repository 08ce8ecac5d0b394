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
  readonly zombie: boolean;
  /** In clock ticks since the machine started: with the pid, it tells processes apart. */
  readonly started: number;
}

export class MarkedProcesses {
  /** An environment is read once: it stays the same, and one that is emptied later does not help. */
  private readonly known = new Map<number, { readonly started: number; readonly marked: boolean }>();

  /** Processes older than `since` cannot carry the mark and are not looked into. */
  constructor(
    private readonly call: string,
    private readonly since: number,
    private readonly environment: (pid: number) => string = readEnvironment,
  ) {}

  among(table: readonly DatedProcess[]): ReadonlySet<number> {
    const pids = new Set<number>();
    for (const entry of table) {
      if (!entry.zombie && entry.started >= this.since && this.isMarked(entry)) pids.add(entry.pid);
    }
    return pids;
  }

  private isMarked({ pid, started }: DatedProcess): boolean {
    const known = this.known.get(pid);
    if (known?.started === started) return known.marked;
    const environment = this.environment(pid);
    // Empty in the middle of an exec, so that is no answer yet.
    if (environment === '') return false;
    const marked = environment.split('\0').includes(`${CALL_VARIABLE}=${this.call}`);
    this.known.set(pid, { started, marked });
    return marked;
  }
}

/** The mark in the environment of a process, if it has one that can be read. */
export function callOf(pid: number): string | undefined {
  const prefix = `${CALL_VARIABLE}=`;
  const marked = readEnvironment(pid)
    .split('\0')
    .find((entry) => entry.startsWith(prefix));
  return marked?.slice(prefix.length);
}

function readEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    // Gone, or not ours to look into.
    if (systemCode(error) === undefined) throw error;
    return '';
  }
}
