import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock, Ids } from '../runtime/ports.ts';
import type { BytesHasher } from '../storage/blobs.ts';
import { NodeDisk } from '../storage/node-disk.ts';
import type { StorePorts } from '../storage/session-store.ts';
import type { Processes } from '../storage/lease-holder.ts';

/** The real clock, ids, hashes and processes. */

/** Longer than a 32-bit timer can count is for ever. */
const FOR_EVER_MS = 2 ** 31 - 1;

export const nodeClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  // By hand, because the sleep of `node:timers/promises` makes an error with a stack for each one that is cut
  // short, and most are.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, FOR_EVER_MS));
      signal.addEventListener('abort', end);
    }),
};

const FRAME_MS = 16;

const SIGN_MS = 2000;

/** Calls back once, when it is time to say again that something is at work. Keeps no process alive. */
export function signTimer(callback: () => void): void {
  setTimeout(callback, SIGN_MS).unref();
}

/** Calls back once, a frame later. */
export function frameTimer(callback: () => void): void {
  setTimeout(callback, FRAME_MS);
}

const PREFIX = {
  session: 'ses',
  event: 'evt',
  turn: 'turn',
  stream: 'run',
  suspension: 'sus',
  decision: 'dec',
  agent: 'agent',
  workflow: 'wf',
} as const;

/** Sorts by time, and is unguessable enough to be unique across machines. */
export const nodeIds: Ids = {
  next: (kind) => `${PREFIX[kind]}_${Date.now().toString(36)}${randomDigits()}`,
};

/** Sixty-four random bits: of a UUID, which costs far less than bytes by the piece, what does not say its version. */
function randomDigits(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(-8);
}

export const nodeHasher: BytesHasher = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
};

export const nodeProcesses: Processes = {
  pid: process.pid,
  host: `${hostname()}${processSpace()}`,
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return !isZombie(pid);
    } catch (error) {
      // Not permitted means that it lives and is another user's.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
};

/** Containers share a host name but not their process ids. */
function processSpace(): string {
  if (process.platform !== 'linux') return '';
  try {
    return `/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

/** A killed process whose parent has not noticed yet still answers signals. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'Z';
  } catch {
    return false;
  }
}

export function nodeStorePorts(warn: (message: string) => void): StorePorts {
  return {
    disk: new NodeDisk(),
    clock: nodeClock,
    ids: nodeIds,
    hasher: nodeHasher,
    processes: nodeProcesses,
    warn,
  };
}
