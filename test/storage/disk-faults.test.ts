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

/** What a call is about: a file of the session or of a body, or one of the folders that they are in. */
type Place = 'log' | 'lease' | 'stream' | 'blob' | 'sessions' | 'blobs';

const WRITTEN: readonly Place[] = ['blob', 'lease', 'log', 'stream'];

const FAULTS: readonly {
  readonly name: string;
  readonly kind: CallKind;
  /** Where such a call is made, and is therefore struck. */
  readonly places: readonly Place[];
  readonly fate: (call: DiskCall) => Fate;
}[] = [
  { name: 'a full disk', kind: 'append', places: WRITTEN, fate: () => ({ fail: 'full' }) },
  {
    name: 'a full disk after half of a write',
    kind: 'append',
    places: WRITTEN,
    fate: ({ bytes }) => ({ fail: 'full', written: Math.floor(bytes / 2) }),
  },
  {
    name: 'a write that fails when all of it is written',
    kind: 'append',
    places: WRITTEN,
    fate: ({ bytes }) => ({ fail: 'other', written: bytes }),
  },
  { name: 'a failed sync', kind: 'sync', places: ['blob', 'log'], fate: () => ({ fail: 'other' }) },
  {
    name: 'a failed sync of a folder',
    kind: 'syncFolder',
    places: ['blobs', 'sessions'],
    fate: () => ({ fail: 'other' }),
  },
  {
    name: 'a failed rename',
    kind: 'rename',
    places: ['blob', 'lease', 'stream'],
    fate: () => ({ fail: 'denied' }),
  },
  { name: 'a failed open', kind: 'open', places: WRITTEN, fate: () => ({ fail: 'other' }) },
  { name: 'a failed read', kind: 'read', places: ['lease'], fate: () => ({ fail: 'other' }) },
  {
    name: 'a failed remove',
    kind: 'remove',
    places: ['blob', 'lease', 'stream'],
    fate: () => ({ fail: 'denied' }),
  },
  {
    name: 'a folder that cannot be made',
    kind: 'makeFolder',
    places: ['blobs', 'sessions'],
    fate: () => ({ fail: 'denied' }),
  },
];

function placeOf(root: string, path: string): Place | null {
  const [, folder = '', file = ''] = path.slice(root.length).split('/');
  if (folder === 'blobs') return file === '' ? 'blobs' : 'blob';
  if (file === '') return folder === 'sessions' ? 'sessions' : null;
  const found = /^s1\.(?<kind>jsonl|lease|stream)(?:\.|$)/.exec(file)?.groups?.['kind'];
  return found === 'jsonl' ? 'log' : found === 'lease' || found === 'stream' ? found : null;
}

/** Which calls fail, counted from 1: of each place also the first and the last, wherever they are among the others. */
function chosen(calls: readonly (Place | null)[]): readonly number[] {
  return calls.flatMap((place, index) => {
    const isOne = index < EACH || (index - EACH + 1) % STRIDE === 0;
    const isEdge = calls.indexOf(place) === index || calls.lastIndexOf(place) === index;
    return isOne || isEdge ? [index + 1] : [];
  });
}

/** What the person was told of: events that are facts, and failures. And what the calls were about, in their order. */
interface Told {
  readonly committed: LogEvent[];
  readonly failures: string[];
  readonly calls: (Place | null)[];
}

/** Plays all turns on a disk whose n-th call of a kind fails; with null none does. */
async function play(root: string, fault: (typeof FAULTS)[number], n: number | null): Promise<Told> {
  const told: Told = { committed: [], failures: [], calls: [] };
  const disk = new WatchedDisk(new NodeDisk(), (call) => {
    if (call.kind !== fault.kind) return undefined;
    told.calls.push(placeOf(root, call.path));
    return told.calls.length === n ? fault.fate(call) : undefined;
  });
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
  return told;
}

describe.each(FAULTS)('$name, at the calls it can happen to', (fault) => {
  it(
    'loses nothing that was told and tells nothing that is not there',
    { timeout: searchRuns(30_000) },
    async () => {
      const sound = await play(freshFolder(), fault, null);
      expect(sound.failures).toEqual([]);
      const struck = new Set<Place | null>();
      for (const n of chosen(sound.calls)) {
        const root = freshFolder();
        const { calls, committed, failures } = await play(root, fault, n);
        expect({ n, calls: calls.slice(0, n) }).toEqual({ n, calls: sound.calls.slice(0, n) });
        struck.add(calls[n - 1] ?? null);
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
      expect(struck).toEqual(new Set(fault.places));
    },
  );
});

/** The one that failed has ended. */
const laterProcess = { pid: 2, host: 'test', isAlive: (pid: number) => pid === 2 };

/** What their lines say: a field that is undefined is not in a line. */
function asLines(events: readonly LogEvent[]): unknown {
  return JSON.parse(JSON.stringify(events));
}
