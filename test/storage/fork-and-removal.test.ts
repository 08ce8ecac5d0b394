import { readdir, utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Attachment } from '../../src/runtime/events.ts';
import { forkLog, type ForkedLog } from '../../src/storage/fork-log.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { StorageKeeping } from '../../src/storage/storage-keeping.ts';
import { Trash } from '../../src/storage/trash.ts';
import { SEARCHING, searchRuns } from '../support/search-runs.ts';
import { message, responds, ScriptedProvider } from '../support/scripted-provider.ts';
import { openSession, runPorts } from './recorded-session.ts';
import { freshFolder, lookAt, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const NEVER = Infinity;
/** Calls of the removal between one stop and the next; each stop of the fork begins with another. */
const STRIDE = SEARCHING ? 1 : 8;

/** The list of them is a body, which names the body of the image. */
const ATTACHMENTS: readonly Attachment[] = [
  ...['a', 'b'].map((label) => ({
    kind: 'file' as const,
    label,
    path: label,
    text: `${label} `.repeat(9_000),
  })),
  { kind: 'image', label: 'c', mime: 'image/png', data: Buffer.alloc(5_000, 7).toString('base64') },
];

/** A storage with a session whose bodies were written long ago. */
async function recorded(): Promise<string> {
  const root = freshFolder();
  const store = storeIn(root);
  const ready = await openSession(store, 'parent');
  const provider = new ScriptedProvider(store.ports.clock, [responds(message('Done.'))]);
  const prompt = { client_turn_id: 'k1', text: `Long ${'words '.repeat(9_000)}`, attachments: ATTACHMENTS };
  await ready.session.send(prompt, runPorts(provider));
  await ready.session.settled();
  await ready.close();
  for (const name of await readdir(`${root}/blobs`)) await utimes(`${root}/blobs/${name}`, 1, 1);
  return root;
}

class Step {
  readonly reached: Promise<void>;
  reach: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
  }
}

interface Outcome {
  readonly removal_calls: number;
  readonly removed: boolean;
  readonly forked: boolean;
  readonly damage: readonly unknown[];
}

/**
 * A window forks, and stops before its nth disk call; another deletes the parent and removes it for good, and before its own
 * mth call the fork is made to the end.
 */
async function forkedAndRemoved(nth: number, mth: number): Promise<Outcome> {
  const root = await recorded();
  const [stopped, free] = [new Step(), new Step()];
  let calls = 0;
  const forking = new WatchedDisk(new NodeDisk(), async () => {
    calls += 1;
    if (calls !== nth) return undefined;
    stopped.reach();
    await free.reached;
    return undefined;
  });
  const fork: Promise<ForkedLog | null> = forkLog(storeIn(root, { disk: forking }), 'parent', null).catch(
    () => null,
  );
  await Promise.race([stopped.reached, fork]);
  let removal_calls = 0;
  const removing = new WatchedDisk(new NodeDisk(), async ({ path }) => {
    if (/lease/u.test(path)) return undefined;
    removal_calls += 1;
    if (removal_calls !== mth) return undefined;
    free.reach();
    await fork;
    return undefined;
  });
  const ports = storePorts({ disk: removing });
  const moved = await new Trash(ports, root).put('parent');
  const name = moved.kind === 'moved' ? moved.name : '';
  const end = await new StorageKeeping(ports, root).removeNow(name, new AbortController().signal);
  free.reach();
  const made = await fork;
  const damage = made === null ? [] : (await lookAt(storeIn(root), made.session_id)).damage;
  return { removal_calls, removed: end.kind === 'removed', forked: made !== null, damage };
}

it(
  'a fork is whole or is not, however its parent is removed for good meanwhile',
  { timeout: searchRuns(60_000) },
  async () => {
    const seen = { removed: 0, forked: 0, both: 0 };
    for (let nth = 1; nth <= 24; nth += 1)
      for (let mth = 1 + ((nth * 3) % STRIDE); ; mth += STRIDE) {
        const { removal_calls, removed, forked, damage } = await forkedAndRemoved(nth, mth);
        expect({ nth, mth, damage }).toEqual({ nth, mth, damage: [] });
        if (removed) seen.removed += 1;
        if (forked) seen.forked += 1;
        if (removed && forked) seen.both += 1;
        if (removal_calls < mth) break;
      }
    expect(seen.removed).toBeGreaterThan(20);
    expect(seen.both).toBeGreaterThan(20);
  },
);

it('a fork that nobody disturbs makes fewer calls than were tried', async () => {
  const { forked, removed } = await forkedAndRemoved(24, NEVER);
  expect({ forked, removed }).toEqual({ forked: true, removed: true });
});
