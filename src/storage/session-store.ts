import type { Clock, Ids } from '../runtime/ports.ts';
import { Blobs, type BytesHasher } from './blobs.ts';
import { folderOf, isDiskError, type Disk } from './disk.ts';
import type { Processes } from './lease-holder.ts';
import { Lease, type AcquireOptions } from './lease.ts';
import { isImported, sessionPaths, sessionsFolder } from './session-paths.ts';
import { StoredSession } from './stored-session.ts';

export interface StorePorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: BytesHasher;
  readonly processes: Processes;
  /** For what is worth knowing but harms nothing, such as a cache that could not be written. */
  readonly warn: (message: string) => void;
}

/** The sessions of one storage folder. */
export class SessionStore {
  readonly blobs: Blobs;

  constructor(
    readonly ports: StorePorts,
    readonly root: string,
  ) {
    this.blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  }

  /** Opens for writing; where a live process has it, the disk forbids it or it was imported, only for looking. */
  async open(sessionId: string, options: AcquireOptions): Promise<StoredSession> {
    if (isImported(sessionId)) return this.inspect(sessionId);
    const { disk, warn } = this.ports;
    const paths = sessionPaths(this.root, sessionId);
    try {
      await disk.makeFolder(sessionsFolder(this.root));
      const acquired = await Lease.acquire(this.ports, paths.lease, options);
      if (acquired.kind === 'held')
        return new StoredSession(this, sessionId, paths, { kind: 'held', by: acquired.by });
      await this.settle(paths.log, acquired.lease);
      return new StoredSession(this, sessionId, paths, { kind: 'ours', lease: acquired.lease });
    } catch (error) {
      if (!isDiskError(error, 'denied')) throw error;
      warn(`${sessionId} cannot be opened for writing: ${String(error)}`);
      return new StoredSession(this, sessionId, paths, { kind: 'denied' });
    }
  }

  /** Lines that a killed process left in the cache are no facts before they are on disk. */
  private async settle(log: string, lease: Lease): Promise<void> {
    const { disk } = this.ports;
    try {
      if ((await disk.stat(log)) === null) return;
      const file = await disk.open(log, 'append');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      await disk.syncFolder(folderOf(log));
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** Opens for looking only: takes no lease and changes nothing. */
  inspect(sessionId: string): StoredSession {
    return new StoredSession(this, sessionId, sessionPaths(this.root, sessionId), { kind: 'looked_at' });
  }
}
