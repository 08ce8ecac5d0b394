import { isDiskError, readWhole, removeQuietly, type Disk, type DiskFile } from './disk.ts';
import {
  decodeLease,
  encodeLease,
  HEARTBEAT_MS,
  leaseBinds,
  leaseHolder,
  LeaseSight,
  type LeasePorts,
  type LeaseRecord,
} from './lease-holder.ts';

/** Nobody calls it off. */
const TO_THE_END = new AbortController().signal;

export interface AcquireOptions {
  readonly take_over: boolean;
  /** Called off, it is taken as bound. */
  readonly signal?: AbortSignal;
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
  static async acquire(ports: LeasePorts, path: string, options: AcquireOptions): Promise<Acquired> {
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
    const found = await readLease(this.ports.disk, this.path);
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
    const found = await readLease(disk, aside);
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
        await this.file.overwrite(encodeLease({ ...this.record, heartbeat_at: iso(clock.now()) }));
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
    await file.append(encodeLease(record));
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
  { take_over, signal = TO_THE_END }: AcquireOptions,
): Promise<DiskFile | null> {
  const { disk } = ports;
  const sight = new LeaseSight();
  const binds = async (): Promise<boolean> => !take_over && leaseBinds(ports, path, sight, signal);
  if (await binds()) return null;
  // Of several that find the same dead lease, the one that places this file goes on.
  const claim = `${path}.claim`;
  if (!(await placeClaim(ports, claim, record, signal))) return null;
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

async function placeClaim(
  ports: LeasePorts,
  claim: string,
  record: LeaseRecord,
  signal: AbortSignal,
): Promise<boolean> {
  let file = await place(ports, claim, record);
  if (file === null && !(await leaseBinds(ports, claim, new LeaseSight(), signal))) {
    await ports.disk.remove(claim);
    file = await place(ports, claim, record);
  }
  await file?.close();
  return file !== null;
}

function unlessMissing(error: unknown): void {
  if (!isDiskError(error, 'missing')) throw error;
}

async function readLease(disk: Disk, path: string): Promise<LeaseRecord | null> {
  const bytes = await readWhole(disk, path);
  return bytes === null ? null : decodeLease(new TextDecoder().decode(bytes));
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
