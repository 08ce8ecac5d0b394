import { beforeEach, describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { KEPT_MS } from '../../src/storage/blob-collector.ts';
import { readWhole, type FileStat } from '../../src/storage/disk.ts';
import { DAY_MS, HOUR_MS, KeptStorage, ROOT, TO_THE_END } from './kept-storage.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { WatchedDisk, type DiskCall } from './watched-disk.ts';

const NOW = Date.UTC(2026, 5, 1);
const NONE = { count: 0, bytes: 0 };
let disk = new PowerCutDisk();
let storage = new KeptStorage(disk);

beforeEach(async () => {
  disk = new PowerCutDisk();
  disk.now = NOW;
  storage = await new KeptStorage(disk).begin();
});

function collect(one = storage): ReturnType<KeptStorage['keeping']['collect']> {
  return one.keeping.collect('person', TO_THE_END);
}

async function unnamed(body = 'a body'): Promise<string> {
  return storage.blobs.put(Buffer.from(body));
}

/** As some disks of others' machines are. */
class OneIdentity extends WatchedDisk {
  override async stat(path: string): Promise<FileStat | null> {
    const stat = await super.stat(path);
    return stat === null ? null : { ...stat, identity: '0:0' };
  }
}

it('a body that a log names stays on a disk that cannot tell one file from another', async () => {
  for (const id of ['a', 'b', 'c']) await storage.append(id, `of ${id}`);
  disk.now += DAY_MS;
  const odd = new KeptStorage(disk, new OneIdentity(disk, () => undefined));
  expect(await collect(odd)).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
});

describe('a body that no log names', () => {
  it('is set aside a day after it was written, and removed for good 30 days later', async () => {
    const name = await unnamed();
    disk.now += 23 * HOUR_MS;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
    disk.now += HOUR_MS;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: { count: 1, bytes: 6 }, removed: NONE });
    expect(await storage.stored()).toEqual({ blobs: [], aside: [`${name}.${disk.now}`] });
    disk.now += KEPT_MS - 1;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
    disk.now += 1;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: { count: 1, bytes: 6 } });
    expect(await storage.stored()).toEqual({ blobs: [], aside: [] });
    expect((await storage.keeping.journal.read()).removals).toEqual([
      {
        id: expect.any(String),
        at: new Date(disk.now).toISOString(),
        why: 'person',
        what: { kind: 'contents', bytes: 6, files: [expect.stringMatching(`^${name}\\.`)] },
        end: 'finished',
      },
    ]);
  });

  it('is found while it is set aside, and has its place again then', async () => {
    const name = await unnamed();
    disk.now += DAY_MS;
    await collect();
    expect(await storage.blobs.get(name)).toEqual(Buffer.from('a body'));
    expect((await storage.stored()).blobs).toEqual([name]);
    expect(await new KeptStorage(disk.cutPower()).blobs.get(name)).toEqual(Buffer.from('a body'));
  });

  it('that is put again is as young as a new one', async () => {
    const name = await unnamed();
    disk.now += 2 * DAY_MS;
    expect(await unnamed()).toBe(name);
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
  });

  it('and is named after it was set aside is kept, also when its 30 days are over', async () => {
    const name = await unnamed();
    disk.now += DAY_MS;
    await collect();
    await storage.write('sessions/a.jsonl', `{"before_blob":"${name}"}\n`);
    disk.now += KEPT_MS;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
    expect(await storage.stored()).toEqual({ blobs: [name], aside: [] });
    expect(await storage.lost()).toEqual([]);
  });
});

describe('a body is named by', () => {
  it.each([
    ['a log', 'sessions/a.jsonl', (name: string) => `{"blob":"${name}"}\n`],
    ['a log in the trash', 'trash/a.1.jsonl', (name: string) => `{"blob":"${name}"}\n`],
    ['a damaged line', 'sessions/a.jsonl', (name: string) => `\u0000\u0001{{{${name}`],
    ['a torn tail', 'sessions/a.torn-1', (name: string) => `{"blob":"${name}`],
    ['text that streams in', 'sessions/a.stream', (name: string) => name],
    ['a file beside a log that nobody knows', 'sessions/a.imported.json', (name: string) => `["${name}"]`],
    ['a draft', 'drafts.json', (name: string) => `{"images":{"x":"${name}"}}`],
    ['any other file', 'something-new.bin', (name: string) => `ff${name}00`],
  ])('%s', async (_, path, text) => {
    const name = await unnamed();
    await storage.write(path, text(name));
    disk.now += 40 * DAY_MS;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
    expect((await storage.stored()).blobs).toEqual([name]);
  });

  it('another body that is named: a large field of an event is one itself', async () => {
    const [inner, outer] = [await unnamed(), await unnamed(`[{"blob":"${nodeHasher.sha256('a body')}"}]`)];
    await storage.write('sessions/a.jsonl', `{"blob":"${outer}"}\n`);
    disk.now += DAY_MS;
    expect(await collect()).toEqual({ kind: 'collected', set_aside: NONE, removed: NONE });
    expect((await storage.stored()).blobs).toEqual([inner, outer].toSorted());
  });

  it('not by what was noted of it, such as the cache or the journal', async () => {
    const name = await unnamed();
    await storage.write('storage-use.json', name);
    await storage.write('storage-journal.jsonl', `${name}\n`);
    disk.now += DAY_MS;
    expect(await collect()).toMatchObject({ set_aside: { count: 1 } });
  });
});

describe('nothing is collected', () => {
  it('when a file cannot be read, and it is said which', async () => {
    const name = await unnamed();
    await storage.write('sessions/a.torn-1', 'nothing');
    disk.now += DAY_MS;
    const through = new WatchedDisk(disk, ({ kind, path }) =>
      kind === 'read' && path.endsWith('torn-1') ? { fail: 'denied' } : undefined,
    );
    expect(await collect(new KeptStorage(disk, through))).toEqual({
      kind: 'unreadable',
      path: 'sessions/a.torn-1',
      reason: expect.stringContaining('torn-1'),
    });
    expect(await storage.stored()).toEqual({ blobs: [name], aside: [] });
  });

  it('when another process is at it', async () => {
    await unnamed();
    disk.now += DAY_MS;
    const other = new KeptStorage(disk, disk, 2);
    expect(await other.keeping.alone(() => collect())).toEqual({ kind: 'busy' });
  });

  it('when it is called off', async () => {
    await unnamed();
    disk.now += DAY_MS;
    const { signal } = { signal: AbortSignal.abort() };
    await expect(storage.keeping.collect('person', signal)).rejects.toThrow();
    expect((await storage.stored()).aside).toEqual([]);
  });

  it('of a log that is moved to the trash or back while it is looked for', async () => {
    for (const way of ['there', 'back'] as const) {
      disk = new PowerCutDisk();
      disk.now = NOW;
      storage = await new KeptStorage(disk).begin();
      const name = await storage.append('a', 'a body');
      if (way === 'back') await storage.trash.put('a');
      disk.now += DAY_MS;
      const [kept] = await storage.trash.list();
      let listed = 0;
      const through = new (class extends WatchedDisk {
        override async list(folder: string): Promise<readonly string[]> {
          const names = await super.list(folder);
          // Just after the one folder was looked at, and before the other is.
          if (folder === `${ROOT}/sessions` && listed++ === 0)
            await (way === 'there' ? storage.trash.put('a') : storage.trash.restore(kept!.name));
          return names;
        }
      })(disk, () => undefined);
      expect(await collect(new KeptStorage(disk, through))).toMatchObject({ set_aside: NONE });
      expect((await storage.stored()).blobs).toEqual([name]);
    }
  });
});

describe('while the collector is at work', () => {
  it('a body that is put again at any of its steps is not lost', async () => {
    for (let at = 0; ; at += 1) {
      disk = new PowerCutDisk();
      disk.now = NOW;
      storage = await new KeptStorage(disk).begin();
      await unnamed();
      disk.now += 2 * DAY_MS;
      let calls = 0;
      const through = new WatchedDisk(disk, async ({ path }: DiskCall) => {
        if (/lease/.test(path)) return undefined;
        calls += 1;
        if (calls === at + 1) await new KeptStorage(disk, disk, 2).append('b', 'a body');
        return undefined;
      });
      await collect(new KeptStorage(disk, through));
      disk.now += KEPT_MS;
      await collect();
      disk.now += KEPT_MS;
      await collect();
      if (calls <= at) break;
      expect(await storage.lost()).toEqual([]);
    }
  });

  it('the power may go at any of its steps: every body that a log names is there, and it can be done again', async () => {
    for (let cut = 0; ; cut += 1) {
      disk = new PowerCutDisk();
      disk.now = NOW;
      storage = await new KeptStorage(disk).begin();
      await storage.append('a', 'named');
      const name = await unnamed();
      disk.now += DAY_MS;
      await collect();
      disk.now += KEPT_MS;
      await unnamed('another');
      disk.now += DAY_MS;
      let calls = 0;
      let after: PowerCutDisk | null = null;
      const through = new WatchedDisk(disk, ({ path }) => {
        if (/lease/.test(path)) return undefined;
        calls += 1;
        if (calls !== cut + 1) return undefined;
        after = disk.cutPower();
        return undefined;
      });
      await collect(new KeptStorage(disk, through));
      if (after === null) break;
      const later = new KeptStorage(after);
      expect(await later.lost()).toEqual([]);
      const again = await collect(later);
      expect(again).toMatchObject({ kind: 'collected' });
      expect(await later.keeping.finish()).toEqual(expect.any(Array));
      expect(await later.lost()).toEqual([]);
      const { blobs, aside } = await later.stored();
      expect([...blobs, ...aside].filter((file) => file.startsWith(name))).toEqual([]);
      expect((await later.keeping.journal.read()).removals.filter(({ end }) => end === null)).toEqual([]);
    }
  });
});

it('what was being written when somebody died goes after a day, with what it alone named', async () => {
  const name = await unnamed();
  await storage.append('a', 'of a');
  disk.now += DAY_MS;
  const left = ['sessions/fork.jsonl.tmp', `blobs/${name}.event_1.tmp`];
  for (const path of left) await storage.write(path, `{"blob":"${name}"}`);
  await storage.write('sessions/a.lease.1.tmp', 'not ours to judge');
  disk.now += DAY_MS - 1;
  expect(await collect()).toMatchObject({ set_aside: NONE, removed: NONE });
  for (const path of left) expect(await disk.stat(`${ROOT}/${path}`)).not.toBeNull();
  disk.now += 1;
  expect(await collect()).toMatchObject({ set_aside: { count: 1 }, removed: NONE });
  for (const path of left) expect(await disk.stat(`${ROOT}/${path}`)).toBeNull();
  expect(await disk.stat(`${ROOT}/sessions/a.lease.1.tmp`)).not.toBeNull();
  const journal = Buffer.from((await readWhole(disk, storage.keeping.journal.path)) ?? []).toString();
  const bytes = left.length * `{"blob":"${name}"}`.length;
  expect(journal).toContain(JSON.stringify({ kind: 'unfinished', count: left.length, bytes }));
  expect(await storage.lost()).toEqual([]);
});
