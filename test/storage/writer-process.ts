import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { nodeClock, nodeHasher, nodeIds, nodeProcesses } from '../../src/app/node-ports.ts';
import { draft, type Draft } from '../../src/runtime/events.ts';
import { AppendFailed } from '../../src/runtime/ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { StorageKeeping } from '../../src/storage/storage-keeping.ts';
import type { StoredSession } from '../../src/storage/stored-session.ts';

/**
 * A process of its own that opens sessions and writes to them. It takes orders as lines on stdin and tells
 * what is durable as lines on stdout, each written at once, so that it is true even of one that is killed.
 */

const [root = '', given = '0'] = process.argv.slice(2);
const store = new SessionStore(
  {
    disk: new NodeDisk(),
    clock: nodeClock,
    ids: nodeIds,
    hasher: nodeHasher,
    processes: nodeProcesses,
    warn: (message) => tell('warn', message),
  },
  root,
);
let seed = Number(given);
const sessions: StoredSession[] = [];

function tell(...words: readonly (string | number)[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((seed / 2 ** 31) * below);
}

/** Mostly small; now and then with a body that goes into a blob. */
function note(): Draft {
  const size = random(12) === 0 ? 40_000 : random(2000);
  return draft('diagnostic', { code: 'note', message: 'ö'.repeat(size), details: {}, next_actions: [] });
}

async function open(id: string, take_over: boolean): Promise<void> {
  const stored = await store.open(id, { take_over });
  sessions.unshift(stored);
  if (!stored.writable) tell('held', stored.held_by?.pid ?? 0);
  else tell('acquired', process.pid);
}

/** Three at a time, for ever, or until the log takes no more. */
async function write(): Promise<void> {
  const { writer, damage, torn } = await sessions[0]!.load({ event: () => undefined });
  if (writer === null) return tell('unwritable', JSON.stringify(damage));
  tell('writing', torn?.bytes ?? 0);
  const lane = async (): Promise<void> => {
    for (;;) {
      writer.saveStream({ turn_id: 't', stream_run_id: 'r', text: 'x'.repeat(random(5000)) });
      const events = await writer.append(Array.from({ length: 1 + random(3) }, note));
      tell('durable', events.map((event) => `${event.seq}:${event.id}`).join(','));
    }
  };
  try {
    await Promise.all([lane(), lane(), lane()]);
  } catch (error) {
    if (!(error instanceof AppendFailed)) throw error;
    tell('failed', error.kind);
  }
}

/** For ever. */
async function collect(): Promise<void> {
  const keeping = new StorageKeeping(store.ports, root);
  for (;;) {
    const end = await keeping.collect('person', new AbortController().signal);
    tell(end.kind, end.kind === 'collected' ? end.set_aside.count : 0);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [order = '', id = ''] = line.split(' ');
  if (order === 'open') await open(id, false);
  else if (order === 'take_over') await open(id, true);
  else if (order === 'close') await closeAll();
  else if (order === 'write') void write();
  else if (order === 'collect') void collect();
}
await closeAll();

async function closeAll(): Promise<void> {
  for (const session of sessions.splice(0)) await session.close();
}
