import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Disk } from '../../src/storage/disk.ts';
import { DAY_MS, HOUR_MS, KeptStorage, ROOT, TO_THE_END } from './kept-storage.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { WatchedDisk } from './watched-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

/** What windows do to one storage folder at the same time. */
type Act =
  | { readonly kind: 'append'; readonly id: string; readonly body: string }
  | { readonly kind: 'put'; readonly body: string }
  | { readonly kind: 'fork'; readonly id: string; readonly to: string }
  | { readonly kind: 'delete'; readonly id: string }
  | { readonly kind: 'restore'; readonly which: number }
  | { readonly kind: 'remove_old' }
  | { readonly kind: 'remove_now'; readonly which: number }
  | { readonly kind: 'collect' };

const ids = fc.constantFrom('a', 'b');
const bodies = fc.constantFrom('one', 'two');
const which = fc.nat({ max: 1 });

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), id: ids, body: bodies }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put' as const), body: bodies }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fork' as const), id: ids, to: ids }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: ids }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), which }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'remove_old' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove_now' as const), which }) },
  { weight: 5, arbitrary: fc.constant<Act>({ kind: 'collect' }) },
);

/** Acts at the same time; then time passes, and the power may be cut. */
const rounds = fc.array(
  fc.record({
    together: fc.array(acts, { minLength: 1, maxLength: 4 }),
    passes: fc.constantFrom(HOUR_MS, DAY_MS, 31 * DAY_MS),
    cut: fc.boolean(),
  }),
  { minLength: 4, maxLength: 10 },
);

async function perform(act: Act, storage: KeptStorage): Promise<void> {
  const { keeping, trash, blobs } = storage;
  switch (act.kind) {
    case 'append':
      // A deleted session is not written to: its lease is asked for at every append.
      if ((await storage.through.stat(`${ROOT}/sessions/${act.id}.lease`)) === null)
        await storage.append(act.id, act.body);
      return;
    case 'put':
      await blobs.put(Buffer.from(act.body));
      return;
    case 'fork': {
      const from = `${ROOT}/sessions/${act.id}.jsonl`;
      if ((await storage.through.stat(from)) === null) return;
      // As a fork does it: it names what others have put, and puts nothing.
      for (const name of await storage.named())
        if (await blobs.claim(name)) await storage.name(`${act.to}_fork`, name);
      return;
    }
    case 'delete':
      await trash.put(act.id);
      return;
    case 'restore': {
      const kept = (await trash.list())[act.which];
      if (kept !== undefined) await trash.restore(kept.name);
      return;
    }
    case 'remove_old':
      await keeping.removeOld(
        (await trash.list()).map(({ name }) => name),
        'retention',
      );
      return;
    case 'remove_now': {
      const kept = (await trash.list())[act.which];
      if (kept !== undefined) await keeping.removeNow(kept.name, TO_THE_END);
      return;
    }
    case 'collect':
      await keeping.collect('retention', TO_THE_END);
  }
}

it(
  'whatever windows do at the same time, and wherever the power goes, no body is lost that a log names',
  { timeout: searchRuns(60_000) },
  async () => {
    let collected = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, all) => {
        let disk = new PowerCutDisk(() => Promise.resolve());
        disk.now = Date.UTC(2026, 5, 1);
        const start = await new KeptStorage(disk).begin();
        for (const id of ['a', 'b']) await start.append(id, 'one');
        await start.blobs.put(Buffer.from('two'));
        disk.now += DAY_MS;
        for (const { together, passes, cut } of all) {
          const through: Disk = new WatchedDisk(disk, async ({ kind }) => {
            await scheduler.schedule(Promise.resolve(), kind);
            return undefined;
          });
          const works = together.map((act, at) => perform(act, new KeptStorage(disk, through, 1 + (at % 2))));
          await scheduler.waitFor(Promise.all(works));
          if (cut) disk = disk.cutPower();
          disk.now += passes;
          // On a copy, because whoever reads a body gives it its place back.
          const storage = new KeptStorage(disk.cutPower());
          collected += (await storage.stored()).aside.length;
          expect(await storage.lost()).toEqual([]);
        }
      }),
      { seed: 46, numRuns: searchRuns(500) },
    );
    // Else it would show nothing.
    expect(collected).toBeGreaterThan(50);
  },
);
