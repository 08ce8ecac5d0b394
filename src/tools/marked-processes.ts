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

/** The variables that a process was started with: none where it has none, or does not show them. */
type Environment = readonly string[] | 'in exec';

/** What is in the middle of an exec may have the mark, which a later look tells: doubt delays, and does not decide. */
const MOST_DOUBTS = 5;

export class MarkedProcesses {
  /** An environment is read once: it stays the same, and one that is emptied later does not help. */
  private readonly known = new Map<number, { readonly started: number; readonly marked: boolean }>();
  /** How many looks left a doubt. */
  private doubts = 0;
  /** Whether one was in the middle of an exec at the last look, or, which looks the same, about to be gone. */
  isInDoubt = false;

  /** Processes older than `since` cannot carry the mark and are not looked into. */
  constructor(
    private readonly call: string,
    private readonly since: number,
    private readonly environment: (pid: number) => Environment = readEnvironment,
  ) {}

  among(table: readonly DatedProcess[]): ReadonlySet<number> {
    const pids = new Set<number>();
    let isAnyUnknown = false;
    for (const entry of table) {
      if (entry.zombie || entry.started < this.since) continue;
      const isMarked = this.isMarked(entry);
      if (isMarked === true) pids.add(entry.pid);
      if (isMarked === undefined) isAnyUnknown = true;
    }
    if (isAnyUnknown) this.doubts += 1;
    this.isInDoubt = isAnyUnknown && this.doubts <= MOST_DOUBTS;
    return pids;
  }

  /** Undefined where that cannot be told yet. */
  private isMarked({ pid, started, group }: DatedProcess): boolean | undefined {
    if (group === 0) return false;
    const known = this.known.get(pid);
    if (known?.started === started) return known.marked;
    const environment = this.environment(pid);
    if (environment === 'in exec') return undefined;
    const marked = environment.includes(`${CALL_VARIABLE}=${this.call}`);
    if (environment.length > 0) this.known.set(pid, { started, marked });
    return marked;
  }
}

/** The mark in the environment of a process, if it has one that can be read. */
export function callOf(pid: number): string | undefined {
  const prefix = `${CALL_VARIABLE}=`;
  const environment = readEnvironment(pid);
  if (environment === 'in exec') return undefined;
  return environment.find((entry) => entry.startsWith(prefix))?.slice(prefix.length);
}

function readEnvironment(pid: number): Environment {
  try {
    const variables = listIn(pid, 'environ');
    if (variables.length > 0) return variables;
    // In the middle of an exec there are no arguments either, and these are there first.
    return listIn(pid, 'cmdline').length === 0 ? 'in exec' : listIn(pid, 'environ');
  } catch (error) {
    // Gone, or not ours to look into.
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

function listIn(pid: number, name: 'environ' | 'cmdline'): readonly string[] {
  const text = readFileSync(`/proc/${pid}/${name}`, 'latin1');
  return text === '' ? [] : text.split('\0');
}
