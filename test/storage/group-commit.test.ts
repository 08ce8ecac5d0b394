import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { draft, type Draft, type KnownEvent } from '../../src/runtime/events.ts';
import { AppendFailed } from '../../src/runtime/ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { openSession, ROUNDS } from './recorded-session.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { freshFolder, lookAt, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

const IGNORE = { event: (): void => undefined };

function note(message: string): Draft {
  return draft('diagnostic', { code: 'note', message, details: {}, next_actions: [] });
}

it('appends that arrive while the disk is busy share its next sync, in order', async () => {
  const disk = new PowerCutDisk();
  const stored = await storeIn('/r', { disk }).open('s1', { take_over: false });
  const writer = (await stored.load(IGNORE)).writer!;
  const answered: number[] = [];
  const appends = Array.from({ length: 100 }, async (_, n) => {
    const [event] = await writer.append([note(String(n))]);
    answered.push(n);
    return event!;
  });
  const events = await Promise.all(appends);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n));
  expect(answered).toEqual(events.map((_, n) => n));
  expect(disk.syncs).toBe(2);
  expect((await lookAt(storeIn('/r', { disk }))).events).toEqual(events);
  await stored.close();
});

it('an append alone costs one write and one sync', async () => {
  const calls: string[] = [];
  const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
    if (path.endsWith('.jsonl')) calls.push(kind);
    return undefined;
  });
  const stored = await storeIn(freshFolder(), { disk }).open('s1', { take_over: false });
  const writer = (await stored.load(IGNORE)).writer!;
  await writer.append([note('first')]);
  calls.length = 0;
  await writer.append([note('second'), note('third')]);
  expect(calls).toEqual(['append', 'sync']);
  await stored.close();
});

it(
  'a power cut at any moment loses nothing that was acknowledged',
  { timeout: searchRuns(30_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ events: fc.integer({ min: 1, max: 3 }), large: fc.boolean() }), {
          minLength: 1,
        }),
        fc.nat(60),
        async (appends, ticks) => {
          const disk = new PowerCutDisk();
          const stored = await storeIn('/r', { disk }).open('s1', { take_over: false });
          const writer = (await stored.load(IGNORE)).writer!;
          const acknowledged: KnownEvent[] = [];
          const work = appends.map(async ({ events, large }) => {
            const batch = Array.from({ length: events }, () => note('ü'.repeat(large ? 20_000 : 3)));
            acknowledged.push(...(await writer.append(batch)));
          });
          for (let tick = 0; tick < ticks; tick += 1) await new Promise(setImmediate);
          const known = [...acknowledged];
          const after = disk.cutPower();
          const { damage, events } = await lookAt(storeIn('/r', { disk: after }));
          expect({ damage, events: events.slice(0, known.length) }).toEqual({ damage: [], events: known });
          await Promise.all(work);
          await stored.close();
        },
      ),
      { seed: 20261116, numRuns: searchRuns(60) },
    );
  },
);

it('what a turn has published is there after a power cut at every one of its syncs', async () => {
  for (let cut = 1; ; cut += 1) {
    const disk = new PowerCutDisk();
    const published: unknown[] = [];
    let after: PowerCutDisk | null = null;
    let known = 0;
    const watched = new WatchedDisk(disk, ({ kind, path }) => {
      if (kind === 'sync' && path.endsWith('.jsonl') && disk.syncs + 1 === cut && after === null) {
        known = published.length;
        after = disk.cutPower();
      }
      return undefined;
    });
    const ready = await openSession(storeIn('/r', { disk: watched }), 's1', (output) => {
      if (output.kind === 'committed') published.push(...output.events);
    });
    await ready.play(ROUNDS);
    await ready.close();
    if (after === null) return;
    const { damage, events } = await lookAt(storeIn('/r', { disk: after }));
    expect({ cut, damage, known: events.slice(0, known) }).toEqual({
      cut,
      damage: [],
      known: published.slice(0, known),
    });
  }
});

it('a failed append answers all that wait, and every later one', async () => {
  let syncs = 0;
  let late: Promise<unknown> = Promise.resolve();
  const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
    if (kind !== 'sync' || !path.endsWith('.jsonl')) return undefined;
    syncs += 1;
    if (syncs < 2) return undefined;
    late = expect(writer.append([note('late')])).rejects.toMatchObject({ kind: 'sync_failed' });
    return { fail: 'full' };
  });
  const stored = await storeIn(freshFolder(), { disk }).open('s1', { take_over: false });
  const writer = (await stored.load(IGNORE)).writer!;
  const answers = await Promise.allSettled(['a', 'b', 'c'].map((text) => writer.append([note(text)])));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  await late;
  await expect(writer.append([note('d')])).rejects.toBeInstanceOf(AppendFailed);
  await stored.close();
  await expect(writer.append([note('e')])).rejects.toMatchObject({ kind: 'sync_failed' });
  expect(syncs).toBe(2);
});

it('a closed session takes nothing more', async () => {
  const stored = await storeIn(freshFolder()).open('s1', { take_over: false });
  const writer = (await stored.load(IGNORE)).writer!;
  const last = writer.append([note('last')]);
  await stored.close();
  expect((await last).length).toBe(1);
  await expect(writer.append([note('late')])).rejects.toMatchObject({ kind: 'closed' });
});
