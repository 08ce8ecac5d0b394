import { expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { readStream } from '../../src/storage/stream-file.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { searchRuns } from '../support/search-runs.ts';
import { Child, folderOnDisk } from './child-process.ts';
import { lookAt, storeIn } from './storage-place.ts';

const KILLS = searchRuns(48);
/** Kills that one session goes through. It is read whole after each, so that a longer one takes ever longer. */
const KILLS_OF_ONE = 6;
/** Sessions that are killed side by side. */
const LANES = 4;

it(
  `${KILLS} kills at random moments lose nothing that was called durable`,
  { timeout: searchRuns(60_000) },
  async () => {
    const root = folderOnDisk();
    const durable = await Promise.all(Array.from({ length: LANES }, (_, lane) => killSessions(root, lane)));
    for (const count of durable) expect(count).toBeGreaterThan(KILLS);
  },
);

/** One session after the other. Answers how many events were called durable. */
async function killSessions(root: string, lane: number): Promise<number> {
  const random = seeded(lane + 1);
  let durable = 0;
  for (let kill = 0; kill < KILLS / LANES; kill += KILLS_OF_ONE)
    durable += await killAgainAndAgain({ root, id: `s${lane}-${kill}`, seed: lane * 1000 + kill, random });
  return durable;
}

interface Victim {
  readonly root: string;
  readonly id: string;
  readonly seed: number;
  readonly random: () => number;
}

async function killAgainAndAgain({ root, id, seed, random }: Victim): Promise<number> {
  const durable: string[] = [];
  for (let kill = 0; kill < KILLS_OF_ONE; kill += 1) {
    const child = new Child(root, seed + kill);
    child.order(`open ${id}`);
    child.order('write');
    // Some are killed as soon as they live, most among their writes.
    await child.lines(Math.floor(random() ** 2 * 40));
    await pause(random() * 3);
    child.kill('SIGKILL');
    await child.ended;
    durable.push(...child.durable);
    expect(
      child.said.filter((line) => !/^(?:acquired|writing|durable) /.test(line)),
      'the lease of the dead is taken without asking, and nothing is wrong',
    ).toEqual([]);
    const { events, damage } = await lookAt(storeIn(root), id);
    expect({ kill, damage, gaps: gaps(events) }).toEqual({ kill, damage: [], gaps: [] });
    const there = new Set(events.map((event) => `${event.seq}:${event.id}`));
    expect(durable.filter((event) => !there.has(event))).toEqual([]);
  }
  const scratch = await readStream(new NodeDisk(), `${root}/sessions/${id}.stream`);
  expect(scratch).toMatchObject({ turn_id: 't', stream_run_id: 'r' });
  return durable.length;
}

function gaps(events: readonly LogEvent[]): readonly number[] {
  return events.flatMap((event, index) => (event.seq === index ? [] : [index]));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
