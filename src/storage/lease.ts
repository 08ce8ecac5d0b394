import type { Clock, Ids } from '../runtime/ports.ts';
import { isDiskError, readWhole, type Disk, type DiskFile } from './disk.ts';

export const HEARTBEAT_MS = 2000;
export const STALE_MS = 10_000;

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
  | { readonly kind: 'live'; readonly record: LeaseRecord | null };

/** Pure: whether a lease still binds. One that cannot be read binds while it is fresh. */
export function judgeLease(
  record: LeaseRecord | null,
  facts: {
    readonly now: number;
    readonly modified_ms: number;
    readonly host: string;
    readonly isAlive: (pid: number) => boolean;
  },
): LeaseHolder {
  if (record !== null && record.host === facts.host && !facts.isAlive(record.pid)) return { kind: 'dead' };
  const beat = record === null ? facts.modified_ms : Date.parse(record.heartbeat_at);
  if (!Number.isFinite(beat) || facts.now - beat > STALE_MS) return { kind: 'dead' };
  return { kind: 'live', record };
}

export type Acquired =
  | { readonly kind: 'acquired'; readonly lease: Lease }
  | { readonly kind: 'held'; readonly by: LeaseRecord | null };

/** Guards one log for as long as a process has the session open. */
export class Lease {
  private readonly stopped = new AbortController();
  private readonly beating: Promise<void>;
  private identity: string | null = null;

  private constructor(
    private readonly ports: LeasePorts,
    private readonly path: string,
    private readonly record: LeaseRecord,
    private readonly file: DiskFile,
  ) {
    this.beating = this.beat();
  }

  /** `take_over` also takes a live one, because a person said so; its owner stops at its next append. */
  static async acquire(
    ports: LeasePorts,
    path: string,
    options: { readonly take_over: boolean },
  ): Promise<Acquired> {
    const { disk, ids } = ports;
    const record = newRecord(ports);
    const temporary = `${path}.${ids.next('event')}.tmp`;
    const file = await disk.open(temporary, 'create_new');
    try {
      await file.append(encode(record));
      const outcome = await place(ports, { path, temporary, take_over: options.take_over });
      if (outcome.kind === 'held') {
        await file.close();
        return outcome;
      }
    } catch (error) {
      await file.close();
      throw error;
    } finally {
      await disk.remove(temporary);
    }
    return { kind: 'acquired', lease: new Lease(ports, path, record, file) };
  }

  /** Whether the lease is still ours. Asked before every append: one `stat` as long as nothing changed. */
  async isOurs(): Promise<boolean> {
    const stat = await this.ports.disk.stat(this.path);
    if (stat === null) return false;
    if (stat.identity === this.identity) return true;
    const found = decode(await readWhole(this.ports.disk, this.path));
    if (found?.token !== this.record.token) return false;
    this.identity = stat.identity;
    return true;
  }

  async release(): Promise<void> {
    this.stopped.abort();
    await this.beating;
    if (await this.isOurs()) await this.ports.disk.remove(this.path);
    await this.file.close();
  }

  /** Writes through its own handle: where another has taken the name, only the old file changes. */
  private async beat(): Promise<void> {
    const { clock } = this.ports;
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, this.stopped.signal);
      if (this.stopped.signal.aborted) return;
      try {
        await this.file.overwrite(encode({ ...this.record, heartbeat_at: iso(clock.now()) }));
      } catch (error) {
        // A missed beat harms nobody by itself: the next append finds out whether the lease was lost.
        if (!(error instanceof Error)) throw error;
      }
    }
  }
}

async function place(
  ports: LeasePorts,
  how: { readonly path: string; readonly temporary: string; readonly take_over: boolean },
): Promise<{ readonly kind: 'placed' } | Extract<Acquired, { kind: 'held' }>> {
  const { disk } = ports;
  const { path, temporary, take_over } = how;
  try {
    await disk.link(temporary, path);
    return { kind: 'placed' };
  } catch (error) {
    if (!isDiskError(error, 'exists')) throw error;
  }
  const holder = await look(ports, path);
  if (holder.kind === 'live' && !take_over) return { kind: 'held', by: holder.record };
  // Of several that find the same dead lease, the one that makes this file replaces it.
  const claim = `${path}.claim`;
  if (!(await claimTakeOver(ports, claim)))
    return { kind: 'held', by: holder.kind === 'live' ? holder.record : null };
  try {
    const again = await look(ports, path);
    if (again.kind === 'live' && !take_over) return { kind: 'held', by: again.record };
    await disk.rename(temporary, path);
    return { kind: 'placed' };
  } finally {
    await disk.remove(claim);
  }
}

async function claimTakeOver(ports: LeasePorts, claim: string): Promise<boolean> {
  const { disk, clock } = ports;
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      await (await disk.open(claim, 'create_new')).close();
      return true;
    } catch (error) {
      if (!isDiskError(error, 'exists')) throw error;
    }
    const stat = await disk.stat(claim);
    // Left by a process that died in between.
    if (stat !== null && clock.now() - stat.modified_ms > STALE_MS) await disk.remove(claim);
    else if (stat !== null) return false;
  }
  return false;
}

async function look(ports: LeasePorts, path: string): Promise<LeaseHolder> {
  const stat = await ports.disk.stat(path);
  if (stat === null) return { kind: 'dead' };
  const record = decode(await readWhole(ports.disk, path));
  return judgeLease(record, {
    now: ports.clock.now(),
    modified_ms: stat.modified_ms,
    host: ports.processes.host,
    isAlive: (pid) => ports.processes.isAlive(pid),
  });
}

/** Who holds a lease now, for those who only look. */
export async function leaseHolder(ports: LeasePorts, path: string): Promise<LeaseHolder> {
  return look(ports, path);
}

function newRecord({ clock, ids, processes }: LeasePorts): LeaseRecord {
  const now = iso(clock.now());
  return {
    token: ids.next('event'),
    pid: processes.pid,
    host: processes.host,
    started_at: now,
    heartbeat_at: now,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function encode(record: LeaseRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}

function decode(bytes: Uint8Array | null): LeaseRecord | null {
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
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
