import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import type { Platform } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';

/** The processes of the machine, as far as the ending of commands has to know them. */

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** A zombie is dead; only nobody has asked for its exit code yet. */
  readonly zombie: boolean;
  /** In clock ticks since the machine started; 0 where that is not known. */
  readonly started: number;
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
export function processTable(platform: Platform): readonly ProcessEntry[] {
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
  return pids.flatMap((pid) => procEntry(Number(pid)) ?? []);
}

export function procEntry(pid: number): ProcessEntry | undefined {
  try {
    return parseProcStat(readStat(pid));
  } catch (error) {
    // It ended meanwhile.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Longer than such a line can be. */
const line = Buffer.alloc(4_096);

/** With one read into one buffer, because there are many and someone waits: readFileSync takes thrice as long. */
function readStat(pid: number): string {
  const file = openSync(`/proc/${pid}/stat`, 'r');
  try {
    return line.toString('latin1', 0, readSync(file, line));
  } finally {
    closeSync(file);
  }
}
