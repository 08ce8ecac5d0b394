import { expect, it } from 'vitest';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { readWhole, type Disk } from '../../src/storage/disk.ts';
import { record, TALK } from './recorded-session.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { freshFolder, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const IGNORE = { event: (): void => undefined };
const TORN = Buffer.from('{"v":1,"id":"evt_torn","ses');

/** A disk in memory with a durable log that ends in a torn tail. */
async function tornLog(): Promise<PowerCutDisk> {
  const disk = new PowerCutDisk();
  await record(storeIn('/r', { disk }), [TALK]);
  const file = await disk.open('/r/sessions/s1.jsonl', 'append');
  await file.append(TORN);
  await file.sync();
  return disk;
}

async function open(disk: Disk): Promise<void> {
  const stored = await storeIn('/r', { disk }).open('s1', { take_over: false });
  await stored.load(IGNORE);
  await stored.close();
}

/** Where the torn bytes are. */
async function places(disk: Disk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await disk.list('/r/sessions')) {
    const bytes = Buffer.from((await readWhole(disk, `/r/sessions/${name}`)) ?? []);
    if (bytes.includes(TORN)) found.push(name);
  }
  return found;
}

it('a torn tail is always somewhere, wherever the power is cut while it is set aside', async () => {
  const seen = new Set<string>();
  for (let cut = 1; ; cut += 1) {
    const disk = await tornLog();
    let calls = 0;
    let after: PowerCutDisk | null = null;
    const watched = new WatchedDisk(disk, () => {
      calls += 1;
      if (calls === cut) after = disk.cutPower();
      return undefined;
    });
    await open(watched);
    if (after === null) break;
    const there = await places(after);
    expect({ cut, there: there.length > 0 }).toEqual({ cut, there: true });
    for (const name of there) seen.add(name);
    await open(after);
    expect(await places(after)).not.toContain('s1.jsonl');
  }
  expect(seen).toEqual(new Set(['s1.jsonl', 's1.torn-1']));
});

it('every torn tail gets a name of its own', async () => {
  const disk = await tornLog();
  await open(disk);
  const file = await disk.open('/r/sessions/s1.jsonl', 'append');
  await file.append(TORN);
  await open(disk);
  expect(await places(disk)).toEqual(['s1.torn-1', 's1.torn-2']);
});

it('a log is opened once, however many look at it at the same time', async () => {
  const root = freshFolder();
  await record(storeIn(root), [TALK]);
  let opens = 0;
  const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
    if (kind === 'open' && path.endsWith('.jsonl')) opens += 1;
    return undefined;
  });
  const stored = storeIn(root, { disk }).inspect('s1');
  await Promise.all([stored.window(null, () => true), stored.load(IGNORE), stored.window(3, () => true)]);
  await stored.close();
  expect({ opens, left_open: disk.held.size }).toEqual({ opens: 1, left_open: 0 });
});
