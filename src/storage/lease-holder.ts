import type { Clock, Ids } from '../runtime/ports.ts';
import { readWhole, type Disk } from './disk.ts';

export const HEARTBEAT_MS = 2000;
export const STALE_MS = 10_000;
/** A little more than a heartbeat: within it, an owner that lives has beaten. */
const LOOK_AGAIN_MS = 2500;
/** What passed unseen between two looks, such as the sleep of the machine, counts only for so much. */
const LONGEST_STEP_MS = 2 * HEARTBEAT_MS;

export interface LeaseRecord {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  readonly started_at: string;
  readonly heartbeat_at: string;
}

/** This process, and whether others live. */
export interface Processes {
  readonly pid: number;
  /** Names the machine and, where there are several, the space its process ids belong to. */
  readonly host: string;
  isAlive(pid: number): boolean;
}

export interface LeasePorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly processes: Processes;
}

export type LeaseHolder =
  | { readonly kind: 'dead' }
  | {
      readonly kind: 'live';
      readonly record: LeaseRecord | null;
      /** By the clock on the wall it is late: that clock may have been set, or the machine may have slept. */
      readonly overdue: boolean;
    };

/**
 * Pure: whether a lease still binds. That of a process which lives binds until it was seen to be silent for
 * too long; elsewhere the clock on the wall has to do. One that cannot be read binds while it is fresh.
 */
export function judgeLease(
  record: LeaseRecord | null,
  facts: {
    readonly now: number;
    readonly modified_ms: number;
    /** How long it was seen not to change. */
    readonly silent_ms: number;
    readonly host: string;
    readonly isAlive: (pid: number) => boolean;
  },
): LeaseHolder {
  const beat = record === null ? facts.modified_ms : Date.parse(record.heartbeat_at);
  const late = !Number.isFinite(beat) || facts.now - beat > STALE_MS;
  if (record === null || record.host !== facts.host)
    return late ? { kind: 'dead' } : { kind: 'live', record, overdue: false };
  if (!facts.isAlive(record.pid) || facts.silent_ms > STALE_MS) return { kind: 'dead' };
  return { kind: 'live', record, overdue: late || beat - facts.now > STALE_MS };
}

/** What one observer has seen of a lease, by a count of time that nobody sets. */
export class LeaseSight {
  private seen: { readonly text: string; readonly at: number; readonly silent_ms: number } | null = null;

  /** How long it has been seen not to change. */
  look(text: string, at: number): number {
    const { seen } = this;
    const step = seen === null ? 0 : Math.min(at - seen.at, LONGEST_STEP_MS);
    const silent_ms = seen?.text === text ? seen.silent_ms + step : 0;
    this.seen = { text, at, silent_ms };
    return silent_ms;
  }

  get silent_ms(): number {
    return this.seen?.silent_ms ?? 0;
  }
}

/** Who holds a lease now, for one who has looked at it before with the same `sight`. */
export async function leaseHolder(
  ports: LeasePorts,
  path: string,
  sight = new LeaseSight(),
): Promise<LeaseHolder> {
  const stat = await ports.disk.stat(path);
  if (stat === null) return { kind: 'dead' };
  const text = new TextDecoder().decode((await readWhole(ports.disk, path)) ?? new Uint8Array(0));
  return judgeLease(decodeLease(text), {
    now: ports.clock.now(),
    modified_ms: stat.modified_ms,
    silent_ms: sight.look(text, ports.clock.steady()),
    host: ports.processes.host,
    isAlive: (pid) => ports.processes.isAlive(pid),
  });
}

/**
 * Whether a lease keeps others away, for one who comes upon it. One that is overdue though its process lives is
 * looked at a second time: had only the clock been set, or the machine slept, its owner has beaten by then.
 */
export async function leaseBinds(
  ports: LeasePorts,
  path: string,
  sight: LeaseSight,
  signal: AbortSignal,
): Promise<boolean> {
  const holder = await leaseHolder(ports, path, sight);
  if (holder.kind === 'dead' || !holder.overdue) return holder.kind === 'live';
  if (sight.silent_ms > HEARTBEAT_MS) return false;
  await ports.clock.sleep(LOOK_AGAIN_MS, signal);
  return signal.aborted || leaseBinds(ports, path, sight, signal);
}

export function encodeLease(record: LeaseRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}

export function decodeLease(text: string): LeaseRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isRecord(value: unknown): value is LeaseRecord {
  if (typeof value !== 'object' || value === null) return false;
  if (!('token' in value && 'pid' in value && 'host' in value && 'heartbeat_at' in value)) return false;
  return (
    typeof value.token === 'string' &&
    typeof value.pid === 'number' &&
    typeof value.host === 'string' &&
    typeof value.heartbeat_at === 'string'
  );
}
