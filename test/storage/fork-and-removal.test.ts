import { readdir, utimes } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { forkLog } from '../../src/storage/fork-log.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { StorageKeeping } from '../../src/storage/storage-keeping.ts';
import { Trash } from '../../src/storage/trash.ts';
import { message, responds } from '../support/scripted-provider.ts';
import { record } from './recorded-session.ts';
import { freshFolder, storeIn, storePorts } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const LONG = { say: `Long ${'words '.repeat(9_000)}`, scripts: [responds(message('Done.'))] };

/** Another window deletes the parent and removes it for good before the nth disk call of a fork. */
async function forkedWhileRemoved(
  nth: number,
): Promise<{ calls: number; removed: boolean; damage: unknown }> {
  const root = freshFolder();
  await record(storeIn(root), [LONG], 'parent');
  for (const name of await readdir(`${root}/blobs`)) await utimes(`${root}/blobs/${name}`, 1, 1);
  const ports = storePorts();
  let calls = 0;
  let removed = false;
  const disk = new WatchedDisk(new NodeDisk(), async () => {
    calls += 1;
    if (calls !== nth) return undefined;
    const moved = await new Trash(ports, root).put('parent');
    const keeping = new StorageKeeping(ports, root);
    const name = moved.kind === 'moved' ? moved.name : '';
    const end = await keeping.removeNow(name, new AbortController().signal);
    removed = end.kind === 'removed';
    return undefined;
  });
  const fork = await forkLog(storeIn(root, { disk }), 'parent', null).catch((error: unknown) => error);
  if (fork === null || !(fork instanceof Object) || !('session_id' in fork))
    return { calls, removed, damage: [] };
  const stored = storeIn(root).inspect(String(fork.session_id));
  const { damage } = await stored.load({ event: () => undefined });
  await stored.close();
  return { calls, removed, damage };
}

it('a fork is whole or is not, wherever its parent is removed for good meanwhile', async () => {
  const { calls } = await forkedWhileRemoved(0);
  let removals = 0;
  for (let nth = 1; nth <= calls; nth += 1) {
    const { removed, damage } = await forkedWhileRemoved(nth);
    expect({ nth, damage }).toEqual({ nth, damage: [] });
    if (removed) removals += 1;
  }
  expect(removals).toBeGreaterThan(2);
});
