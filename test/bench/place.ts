import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeClock, nodeHasher, nodeIds, nodeProcesses } from '../../src/app/node-ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore, type StorePorts } from '../../src/storage/session-store.ts';

/** A folder on the project's own disk: a temporary folder may be memory, where a sync costs nothing. */
export async function withPlace<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const base = join(process.cwd(), 'dist');
  await mkdir(base, { recursive: true });
  const folder = await mkdtemp(join(base, 'bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function storePorts(): StorePorts {
  return {
    disk: new NodeDisk(),
    clock: nodeClock,
    ids: nodeIds,
    hasher: nodeHasher,
    processes: nodeProcesses,
    warn: (message) => process.stderr.write(`${message}\n`),
  };
}

export function storeIn(folder: string): SessionStore {
  return new SessionStore(storePorts(), folder);
}
