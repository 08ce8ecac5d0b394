import { beforeEach, describe, expect, it } from 'vitest';
import { KEPT_MS } from '../../src/storage/blob-collector.ts';
import { DAY_MS, HOUR_MS, KeptStorage, ROOT, TO_THE_END } from './kept-storage.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { WatchedDisk } from './watched-disk.ts';

const NOW = Date.UTC(2026, 5, 1);
let disk = new PowerCutDisk();
let storage = new KeptStorage(disk);

beforeEach(fresh);

async function fresh(): Promise<void> {
  disk = new PowerCutDisk();
  disk.now = NOW;
  storage = await new KeptStorage(disk).begin();
}

async function deleted(id: string, ...bodies: readonly string[]): Promise<string> {
  for (const body of bodies) await storage.append(id, body);
  const moved = await storage.trash.put(id);
  return moved.kind === 'moved' ? moved.name : '';
}

async function trashFiles(one = storage): Promise<readonly string[]> {
  return (await one.disk.list(`${ROOT}/trash`)).toSorted();
}

describe('emptying the trash', () => {
  it('removes what was deleted 30 days ago, and nothing younger', async () => {
    const old = await deleted('a', 'one');
    await storage.write(`trash/${old}.torn-1`, 'torn');
    await storage.write(`trash/${old}.imported.json`, '{}');
    disk.now += DAY_MS;
    const young = await deleted('b', 'two');
    disk.now = NOW + KEPT_MS - 1;
    expect(await storage.keeping.removeOld([old, young], 'person')).toEqual(
      new Map([
        [old, { kind: 'kept' }],
        [young, { kind: 'kept' }],
      ]),
    );
    disk.now += 1;
    expect(await storage.keeping.removeOld([old, young, 'c.1', '../x'], 'person')).toEqual(
      new Map<string, unknown>([
        [old, { kind: 'removed', name: old, bytes: 76 + 4 + 2, contents: { count: 0, bytes: 0 } }],
        [young, { kind: 'kept' }],
        ['c.1', { kind: 'missing' }],
        ['../x', { kind: 'missing' }],
      ]),
    );
    expect(await trashFiles()).toEqual([`${young}.jsonl`]);
    expect((await storage.keeping.journal.read()).removals).toEqual([
      {
        id: expect.any(String),
        at: new Date(disk.now).toISOString(),
        why: 'person',
        what: {
          kind: 'session',
          session_id: 'a',
          name: old,
          deleted_at: new Date(NOW).toISOString(),
          bytes: 82,
          files: [],
        },
        end: 'finished',
      },
    ]);
  });

  it('leaves a session that is not deleted, however the name in the trash came about', async () => {
    await storage.append('a', 'one');
    await disk.link(`${ROOT}/sessions/a.jsonl`, `${ROOT}/trash/a.1.jsonl`);
    disk.now += KEPT_MS;
    expect(await storage.keeping.removeOld(['a.1'], 'retention')).toEqual(
      new Map([['a.1', { kind: 'missing' }]]),
    );
    expect(await storage.lost()).toEqual([]);
  });

  it('has it on durable record before anything goes', async () => {
    const name = await deleted('a', 'one');
    disk.now += KEPT_MS;
    let atRemoval: readonly unknown[] = [];
    const through = new WatchedDisk(disk, async ({ kind, path }) => {
      if (kind === 'remove' && path.endsWith(`${name}.jsonl`))
        atRemoval = (await new KeptStorage(disk.cutPower()).keeping.journal.read()).removals;
      return undefined;
    });
    await new KeptStorage(disk, through).keeping.removeOld([name], 'retention');
    expect(atRemoval).toMatchObject([{ why: 'retention', what: { name }, end: null }]);
  });

  it('that was cut off anywhere is finished later, once, and is told', async () => {
    for (let cut = 0; ; cut += 1) {
      await fresh();
      const name = await deleted('a', 'one');
      await storage.write(`trash/${name}.torn-1`, 'torn');
      disk.now += KEPT_MS;
      let calls = 0;
      let after: PowerCutDisk | null = null;
      const through = new WatchedDisk(disk, () => {
        calls += 1;
        if (calls === cut + 1) after = disk.cutPower();
        return undefined;
      });
      await new KeptStorage(disk, through).keeping.removeOld([name], 'person');
      if (after === null) break;
      const later = new KeptStorage(after, after, 2);
      after = null;
      const begun = (await later.keeping.journal.read()).removals.length;
      const open = (await later.keeping.journal.read()).removals.filter(({ end }) => end === null);
      later.disk.now += HOUR_MS;
      expect(await later.keeping.finish()).toEqual(open.map((one) => ({ ...one, end: 'finished' })));
      expect(await later.keeping.finish()).toEqual([]);
      expect(await trashFiles(later)).toEqual(begun === 0 ? [`${name}.jsonl`, `${name}.torn-1`] : []);
    }
  });

  it('is called off where the session came back meanwhile', async () => {
    const name = await deleted('a', 'one');
    const journal = { kind: 'session', session_id: 'a', name, deleted_at: '', bytes: 1, files: [] } as const;
    await storage.keeping.journal.begin(journal, 'person');
    await storage.trash.restore(name);
    expect(await storage.keeping.finish()).toMatchObject([{ end: 'called_off' }]);
    expect(await disk.list(`${ROOT}/sessions`)).toEqual(['a.jsonl']);
  });
});

describe('one session that a person wants gone', () => {
  it('goes at once, with the bodies that nothing else names, and with the caches that have its title', async () => {
    await storage.append('b', 'shared');
    const name = await deleted('a', 'secret', 'shared');
    await storage.write('session-list.json', 'the title');
    await storage.write('storage-use.json', 'a cache');
    disk.now += HOUR_MS;
    const before = await storage.stored();
    expect(await storage.keeping.removeNow(name, TO_THE_END)).toEqual({
      kind: 'removed',
      name,
      bytes: 152 + 6,
      contents: { count: 1, bytes: 6 },
    });
    expect([before.blobs.length, await storage.stored()]).toEqual([
      2,
      { blobs: [...(await storage.named())], aside: [] },
    ]);
    expect(await trashFiles()).toEqual([]);
    expect((await disk.list(ROOT)).toSorted()).toEqual(['storage-journal.jsonl']);
    expect(await storage.lost()).toEqual([]);
  });

  it('waits while bodies of it were written a moment ago', async () => {
    const name = await deleted('a', 'secret');
    expect(await storage.keeping.removeNow(name, TO_THE_END)).toEqual({ kind: 'fresh' });
    expect(await trashFiles()).toEqual([`${name}.jsonl`]);
    expect((await storage.keeping.journal.read()).removals).toEqual([]);
  });

  it('stays whole where a file cannot be read that may name its bodies', async () => {
    const name = await deleted('a', 'secret');
    await storage.write('sessions/b.jsonl', 'x');
    disk.now += HOUR_MS;
    const through = new WatchedDisk(disk, ({ kind, path }) =>
      kind === 'open' && path.endsWith('/b.jsonl') ? { fail: 'denied' } : undefined,
    );
    expect(await new KeptStorage(disk, through).keeping.removeNow(name, TO_THE_END)).toMatchObject({
      kind: 'unreadable',
      path: 'sessions/b.jsonl',
    });
    expect(await storage.trash.restore(name)).toEqual({ kind: 'moved', name });
    expect(await storage.lost()).toEqual([]);
  });

  it('takes no body from a session that puts it again at any of the steps', async () => {
    for (let at = 0; ; at += 1) {
      await fresh();
      const name = await deleted('a', 'one', 'two');
      disk.now += HOUR_MS;
      let calls = 0;
      const through = new WatchedDisk(disk, async ({ path }) => {
        if (/lease/.test(path)) return undefined;
        calls += 1;
        if (calls === at + 1) {
          disk.now += 1;
          await new KeptStorage(disk, disk, 2).append('b', 'one');
        }
        return undefined;
      });
      await new KeptStorage(disk, through).keeping.removeNow(name, TO_THE_END);
      expect(await storage.lost()).toEqual([]);
      if (calls <= at) break;
    }
  });
});

it('what a journal has that cannot be read is told, and keeps nobody from the rest', async () => {
  await storage.write('storage-journal.jsonl', '{"half');
  await storage.keeping.journal.begin({ kind: 'contents', bytes: 3, files: [] }, 'retention');
  expect(await storage.keeping.journal.read()).toMatchObject({
    removals: [{ why: 'retention', what: { kind: 'contents', bytes: 3 } }],
    unreadable: [1],
  });
});
