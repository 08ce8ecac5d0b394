import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeHasher } from '../../src/app/node-ports.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { Ids } from '../../src/runtime/ports.ts';
import type { Processes } from '../../src/storage/lease-holder.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore, type StorePorts } from '../../src/storage/session-store.ts';
import type { Loaded } from '../../src/storage/stored-session.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** Folders, ports and stores for tests of the real file system. */

const base = await mkdtemp(join(tmpdir(), 'ledgerline-storage-'));
let made = 0;

/** A name that nothing is behind yet. */
export function freshFolder(): string {
  made += 1;
  return join(base, `place-${made}`);
}

let last = 0;

/** As unique as the real ones, also between stores that stand for several processes, but repeatable. */
export const countedIds: Ids = {
  next: (kind) => {
    last += 1;
    return `${kind}_${String(last).padStart(8, '0')}`;
  },
};

/** One process among some that live. */
export function processOf(pid: number, alive: ReadonlySet<number> = new Set([pid])): Processes {
  return { pid, host: 'test', isAlive: (other) => alive.has(other) };
}

export function storePorts(overrides: Partial<StorePorts> = {}): StorePorts {
  return {
    disk: new NodeDisk(),
    clock: new VirtualClock(),
    ids: countedIds,
    hasher: nodeHasher,
    processes: processOf(1),
    warn: (message) => {
      throw new Error(`unexpected warning: ${message}`);
    },
    ...overrides,
  };
}

export function storeIn(root: string, overrides: Partial<StorePorts> = {}): SessionStore {
  return new SessionStore(storePorts(overrides), root);
}

export function logPath(root: string, id = 's1'): string {
  return `${root}/sessions/${id}.jsonl`;
}

export async function readLog(root: string, id = 's1'): Promise<Buffer> {
  return readFile(logPath(root, id));
}

/** Everything a session's log says, through a load that only looks. */
export async function lookAt(
  store: SessionStore,
  id = 's1',
): Promise<Loaded & { readonly events: readonly LogEvent[] }> {
  const stored = store.inspect(id);
  const events: LogEvent[] = [];
  try {
    return { ...(await stored.load({ event: (event) => void events.push(event) })), events };
  } finally {
    await stored.close();
  }
}
