import { nodeHasher } from '../../src/app/node-ports.ts';
import type { Clock } from '../../src/runtime/ports.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import { readWhole, type Disk } from '../../src/storage/disk.ts';
import type { StorePorts } from '../../src/storage/session-store.ts';
import { StorageKeeping } from '../../src/storage/storage-keeping.ts';
import { Trash } from '../../src/storage/trash.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { countedIds, processOf } from './storage-place.ts';
import type { PowerCutDisk } from './power-cut-disk.ts';

/** A storage folder on a simulated disk, with sessions that are nothing but the names of bodies. */

export const ROOT = '/r';
export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
export const TO_THE_END = new AbortController().signal;

/** Time that is the same for the files and for whoever asks how old they are. */
export class DiskClock implements Clock {
  private readonly sleeper = new VirtualClock();

  constructor(readonly disk: { now: number }) {}

  now(): number {
    return this.disk.now;
  }

  steady(): number {
    return this.disk.now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.sleeper.sleep(ms, signal);
  }
}

export class KeptStorage {
  readonly blobs: Blobs;
  readonly trash: Trash;
  readonly keeping: StorageKeeping;
  readonly ports: StorePorts;

  /** `through` is the disk as this process has it; another process may have it, too. */
  constructor(
    readonly disk: PowerCutDisk,
    readonly through: Disk = disk,
    pid = 1,
  ) {
    this.ports = {
      disk: through,
      clock: new DiskClock(disk),
      ids: countedIds,
      hasher: nodeHasher,
      processes: processOf(pid, new Set([1, 2])),
      warn: (message) => {
        throw new Error(`unexpected warning: ${message}`);
      },
    };
    this.blobs = new Blobs(through, `${ROOT}/blobs`, nodeHasher, countedIds);
    this.trash = new Trash(this.ports, ROOT);
    this.keeping = new StorageKeeping(this.ports, ROOT);
  }

  async begin(): Promise<this> {
    for (const folder of ['', '/sessions', '/trash', '/blobs', '/blobs-unused'])
      await this.disk.makeFolder(`${ROOT}${folder}`);
    return this;
  }

  /** As a log does it: the body is durable, then a line names it. */
  async append(id: string, body: string): Promise<string> {
    const name = await this.blobs.put(Buffer.from(body));
    await this.name(id, name);
    return name;
  }

  async name(id: string, name: string): Promise<void> {
    const path = `${ROOT}/sessions/${id}.jsonl`;
    const isNew = (await this.through.stat(path)) === null;
    const file = await this.through.open(path, 'append');
    await file.append(Buffer.from(`{"blob":"${name}"}\n`));
    await file.sync();
    await file.close();
    if (isNew) await this.through.syncFolder(`${ROOT}/sessions`);
  }

  async write(path: string, text: string): Promise<void> {
    const file = await this.disk.open(`${ROOT}/${path}`, 'append');
    await file.append(Buffer.from(text));
    await file.sync();
    await this.disk.syncFolder(`${ROOT}/${path}`.replace(/\/[^/]*$/, ''));
  }

  /** The names of bodies in each log, wherever it is. */
  async named(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const folder of ['sessions', 'trash'])
      for (const file of await this.disk.list(`${ROOT}/${folder}`)) {
        const text = Buffer.from((await readWhole(this.disk, `${ROOT}/${folder}/${file}`)) ?? []).toString();
        for (const [name] of text.matchAll(/[0-9a-f]{64}/g)) found.add(name);
      }
    return found;
  }

  /** Those that a log names and nobody can read. */
  async lost(): Promise<readonly string[]> {
    const lost: string[] = [];
    const blobs = new Blobs(this.disk, `${ROOT}/blobs`, nodeHasher, countedIds);
    for (const name of await this.named()) if ((await blobs.get(name)) === null) lost.push(name);
    return lost;
  }

  async stored(): Promise<{ readonly blobs: readonly string[]; readonly aside: readonly string[] }> {
    return {
      blobs: (await this.disk.list(`${ROOT}/blobs`)).toSorted(),
      aside: (await this.disk.list(`${ROOT}/blobs-unused`)).toSorted(),
    };
  }
}
