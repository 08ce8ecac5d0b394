import type { Clock, Ids } from '../runtime/ports.ts';
import { isDiskError, readWhole, removeQuietly, type Disk, type DiskFile } from './disk.ts';

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
  private onLost: () => void = () => undefined;

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
    const record = newRecord(ports);
    const file = (await place(ports, path, record)) ?? (await replace(ports, path, record, options));
    if (file !== null) return { kind: 'acquired', lease: new Lease(ports, path, record, file) };
    const holder = await leaseHolder(ports, path);
    return { kind: 'held', by: holder.kind === 'live' ? holder.record : null };
  }

  /** Called once, when a beat finds that another has taken the lease. */
  whenLost(tell: () => void): void {
    this.onLost = tell;
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
    try {
      if (await this.isOurs()) await this.withdraw();
    } finally {
      await this.file.close();
    }
  }

  /** Looks again at what it took away: had another taken over at this very moment, it is put back. */
  private async withdraw(): Promise<void> {
    const { disk } = this.ports;
    const aside = `${this.path}.${this.record.token}.tmp`;
    await disk.rename(this.path, aside);
    const found = decode(await readWhole(disk, aside));
    if (found?.token === this.record.token) await disk.remove(aside);
    else await disk.rename(aside, this.path);
  }

  /** Writes through its own handle: where another has taken the name, only the old file changes. */
  private async beat(): Promise<void> {
    const { clock } = this.ports;
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, this.stopped.signal);
      if (this.stopped.signal.aborted) return;
      try {
        await this.file.overwrite(encode({ ...this.record, heartbeat_at: iso(clock.now()) }));
        if (await this.isOurs()) continue;
      } catch (error) {
        // A missed beat harms nobody by itself: the next append finds out whether the lease was lost.
        if (!(error instanceof Error)) throw error;
        continue;
      }
      if (!this.stopped.signal.aborted) this.onLost();
      return;
    }
  }
}

/**
 * Puts a lease where there is none; null when there is one. It gets its name when it is already whole; only
 * where a file cannot have two names is it empty for a moment, in which it binds by its age.
 */
async function place(ports: LeasePorts, path: string, record: LeaseRecord): Promise<DiskFile | null> {
  const { disk } = ports;
  const temporary = `${path}.${ports.ids.next('event')}.tmp`;
  try {
    const file = await writeNew(disk, temporary, record);
    try {
      await disk.link(temporary, path);
      return file;
    } catch (error) {
      await file.close();
      if (isDiskError(error, 'exists')) return null;
    }
    return await writeNew(disk, path, record);
  } catch (error) {
    if (isDiskError(error, 'exists')) return null;
    throw error;
  } finally {
    await removeQuietly(disk, temporary);
  }
}

async function writeNew(disk: Disk, path: string, record: LeaseRecord): Promise<DiskFile> {
  const file = await disk.open(path, 'create_new');
  try {
    await file.append(encode(record));
    return file;
  } catch (error) {
    await file.close();
    await removeQuietly(disk, path);
    throw error;
  }
}

/** Takes the place of a lease that does not bind; null when it does, or when another was faster. */
async function replace(
  ports: LeasePorts,
  path: string,
  record: LeaseRecord,
  { take_over }: { readonly take_over: boolean },
): Promise<DiskFile | null> {
  const { disk } = ports;
  const binds = async (): Promise<boolean> => !take_over && (await leaseHolder(ports, path)).kind === 'live';
  if (await binds()) return null;
  // Of several that find the same dead lease, the one that places this file goes on.
  const claim = `${path}.claim`;
  if (!(await placeClaim(ports, claim, record))) return null;
  const aside = `${path}.${record.token}.tmp`;
  try {
    if (await binds()) return null;
    // Not replaced in one step, because not everywhere can an open file be replaced; but it can be renamed.
    await disk.rename(path, aside).catch(unlessMissing);
    return await place(ports, path, record);
  } finally {
    await removeQuietly(disk, aside);
    await removeQuietly(disk, claim);
  }
}

async function placeClaim(ports: LeasePorts, claim: string, record: LeaseRecord): Promise<boolean> {
  let file = await place(ports, claim, record);
  if (file === null && (await leaseHolder(ports, claim)).kind === 'dead') {
    await ports.disk.remove(claim);
    file = await place(ports, claim, record);
  }
  await file?.close();
  return file !== null;
}

function unlessMissing(error: unknown): void {
  if (!isDiskError(error, 'missing')) throw error;
}

/** Who holds a lease now. */
export async function leaseHolder(ports: LeasePorts, path: string): Promise<LeaseHolder> {
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
