import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { AppendFailed } from '../../src/runtime/ports.ts';
import { isTerminal, turnState } from '../../src/runtime/turn.ts';
import { DiskError } from '../../src/storage/disk.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SEARCHING, searchRuns } from '../support/search-runs.ts';
import {
  FAILURE,
  LARGE,
  NotWritable,
  openSession,
  ROUNDS,
  STOPPED,
  type Ready,
  type Turn,
} from './recorded-session.ts';
import { freshFolder, lookAt, storeIn } from './storage-place.ts';
import { WatchedDisk, type CallKind, type DiskCall, type Fate } from './watched-disk.ts';

const TURNS: readonly Turn[] = [ROUNDS, FAILURE, STOPPED, LARGE];

/** Calls of opening and of the first turn, each of which can fail; of later ones, which are more of the same, every third. */
const EACH = 16;
const STRIDE = SEARCHING ? 1 : 3;

const FAULTS: readonly {
  readonly name: string;
  readonly kind: CallKind;
  readonly fate: (call: DiskCall) => Fate;
}[] = [
  { name: 'a full disk', kind: 'append', fate: () => ({ fail: 'full' }) },
  {
    name: 'a full disk after half of a write',
    kind: 'append',
    fate: ({ bytes }) => ({ fail: 'full', written: Math.floor(bytes / 2) }),
  },
  {
    name: 'a write that fails when all of it is written',
    kind: 'append',
    fate: ({ bytes }) => ({ fail: 'other', written: bytes }),
  },
  { name: 'a failed sync', kind: 'sync', fate: () => ({ fail: 'other' }) },
  { name: 'a failed sync of a folder', kind: 'syncFolder', fate: () => ({ fail: 'other' }) },
  { name: 'a failed rename', kind: 'rename', fate: () => ({ fail: 'denied' }) },
  { name: 'a failed open', kind: 'open', fate: () => ({ fail: 'other' }) },
  { name: 'a failed read', kind: 'read', fate: () => ({ fail: 'other' }) },
  { name: 'a failed remove', kind: 'remove', fate: () => ({ fail: 'denied' }) },
  { name: 'a folder that cannot be made', kind: 'makeFolder', fate: () => ({ fail: 'denied' }) },
];

/** What the person was told of: events that are facts, and failures. */
interface Told {
  readonly committed: LogEvent[];
  readonly failures: string[];
}

/** Plays all turns on a disk whose n-th call of a kind fails. */
async function play(
  root: string,
  fault: (typeof FAULTS)[number],
  n: number,
): Promise<Told & { struck: boolean }> {
  let calls = 0;
  const disk = new WatchedDisk(new NodeDisk(), (call) => {
    if (call.kind !== fault.kind) return undefined;
    calls += 1;
    return calls === n ? fault.fate(call) : undefined;
  });
  const told: Told = { committed: [], failures: [] };
  const store = storeIn(root, { disk, warn: (message) => void told.failures.push(message) });
  let ready: Ready | null = null;
  try {
    ready = await openSession(store, 's1', (output) => {
      if (output.kind === 'committed') told.committed.push(...output.events);
      if (output.kind === 'append_failed') told.failures.push(output.failure);
      if (output.kind === 'internal_error') told.failures.push(output.message);
    });
    for (const turn of TURNS) await ready.play(turn);
    await ready.close();
  } catch (error) {
    const expected = [DiskError, AppendFailed, NotWritable].some((kind) => error instanceof kind);
    if (!(error instanceof Error) || !expected) throw error;
    told.failures.push(error.message);
    await ready?.close().catch((closing: unknown) => void told.failures.push(String(closing)));
  }
  expect({ n, left_open: disk.held.size }).toEqual({ n, left_open: 0 });
  return { ...told, struck: calls >= n };
}

describe.each(FAULTS)('$name, at the calls it can happen to', (fault) => {
  it(
    'loses nothing that was told and tells nothing that is not there',
    { timeout: searchRuns(30_000) },
    async () => {
      for (let n = 1; ; n += n < EACH ? 1 : STRIDE) {
        const root = freshFolder();
        const { struck, committed, failures } = await play(root, fault, n);
        if (!struck) {
          expect({ n, failures }).toEqual({ n, failures: [] });
          return;
        }
        const unharmed = committed.filter((event) => event.type === 'user_message').length === TURNS.length;
        expect({ n, told: unharmed || failures.length > 0 }).toEqual({ n, told: true });
        const { damage, events } = await lookAt(storeIn(root));
        expect({ n, damage }).toEqual({ n, damage: [] });
        expect(asLines(events.slice(0, committed.length))).toEqual(asLines(committed));

        const {
          session,
          play: playOn,
          close,
        } = await openSession(storeIn(root, { processes: laterProcess }));
        const { turn } = session.state;
        expect(turn === null || isTerminal(turnState(turn)) || turnState(turn) === 'waiting').toBe(true);
        await playOn(ROUNDS);
        expect(turnState(session.state.turn!)).toBe('completed');
        await close();
      }
    },
  );
});

/** The one that failed has ended. */
const laterProcess = { pid: 2, host: 'test', isAlive: (pid: number) => pid === 2 };

/** What their lines say: a field that is undefined is not in a line. */
function asLines(events: readonly LogEvent[]): unknown {
  return JSON.parse(JSON.stringify(events));
}
