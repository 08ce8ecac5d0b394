import { mkdir, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import type { DiskFile } from '../../src/storage/disk.ts';
import { FROM_START, scanLog, type Damage } from '../../src/storage/log-scan.ts';
import { offsetOfSeq } from '../../src/storage/log-seek.ts';
import { readBack, readOn } from '../../src/storage/log-tail.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { countedIds, freshFolder, logPath, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

const MB = 1024 * 1024;

function line(seq: number, message: string): string {
  const data = { code: 'c', message, details: {}, next_actions: [] };
  return JSON.stringify({ v: 1, id: `e${seq}`, session_id: 's1', seq, ts: 't', type: 'diagnostic', data });
}

/** What the first screen, one in the middle, and one that is never enough read of a log of some size. */
async function costs(megabytes: number): Promise<Record<'tail' | 'middle' | 'never', number>> {
  const root = freshFolder();
  await mkdir(`${root}/sessions`, { recursive: true });
  const text = 'a line of usual length, '.repeat(20);
  let seq = 0;
  for (let written = 0; written < megabytes * MB;) {
    const chunk = Array.from({ length: 2000 }, () => `${line(seq++, text)}\n`).join('');
    await writeFile(logPath(root), chunk, { flag: 'a' });
    written += chunk.length;
  }
  let bytes = 0;
  const disk = new WatchedDisk(new NodeDisk(), (call) => {
    if (call.kind === 'read') bytes += call.bytes;
    return undefined;
  });
  const stored = storeIn(root, { disk }).inspect('s1');
  const last = await stored.window(null, enough);
  const tail = bytes;
  const middle = await stored.window(Math.floor(seq / 2), enough);
  const before = bytes;
  await stored.window(null, () => false);
  await stored.close();
  expect(last.events.at(-1)?.seq).toBe(seq - 1);
  expect(middle.events.at(-1)?.seq).toBe(Math.floor(seq / 2) - 1);
  return { tail, middle: before - tail, never: bytes - before };
}

function enough(events: readonly LogEvent[]): boolean {
  return events.length >= 300;
}

describe('a large log', () => {
  it(
    'shows its last screen, and any before, as cheaply as a small one',
    { timeout: searchRuns(30_000) },
    async () => {
      const [small, large] = [await costs(1), await costs(64)];
      expect(large.tail).toBe(small.tail);
      expect(large.tail).toBeLessThan(MB);
      // Halving a file that is 64 times as long takes six more looks.
      expect(large.middle - small.middle).toBeLessThan(MB);
      expect(large.middle).toBeLessThan(2 * MB);
      expect(large.never).toBeLessThan(24 * MB);
    },
  );
});

interface Piece {
  readonly text: Buffer;
  readonly seq: number | null;
}

/** Lines of all lengths, some of them damaged, and perhaps a torn tail. */
const anyLog = fc
  .tuple(
    fc.array(
      fc.record({
        body: fc.string({ unit: 'grapheme', maxLength: 8 }),
        times: fc.constantFrom(0, 1, 3, 40, 2000, 30_000),
        harm: fc.constantFrom(null, null, null, null, 'garbage', 'not utf-8'),
      }),
      { maxLength: 40 },
    ),
    fc.constantFrom('', '{"v":1,', 'x'.repeat(70_000)),
  )
  .map(([lines, torn]) => {
    const pieces = lines.map(({ body, times, harm }, seq): Piece => {
      if (harm === 'garbage') return { text: Buffer.from(`?${body.repeat(times)}`), seq: null };
      if (harm === 'not utf-8') return { text: Buffer.from([0xff, 0xfe, 0x41]), seq: null };
      return { text: Buffer.from(line(seq, body.repeat(times))), seq };
    });
    return { pieces, torn: Buffer.from(torn) };
  });

async function fileOf(log: { readonly pieces: readonly Piece[]; readonly torn: Buffer }): Promise<DiskFile> {
  const disk = new PowerCutDisk();
  await disk.makeFolder('/r');
  const file = await disk.open('/r/log', 'append');
  await file.append(
    Buffer.concat([...log.pieces.flatMap(({ text }) => [text, Buffer.from('\n')]), log.torn]),
  );
  return file;
}

function starts(pieces: readonly Piece[]): readonly { readonly at: number; readonly seq: number | null }[] {
  let at = 0;
  return pieces.map(({ text, seq }) => {
    const start = { at, seq };
    at += text.length + 1;
    return start;
  });
}

const blobs = new Blobs(new PowerCutDisk(), '/r/blobs', nodeHasher, countedIds);

describe('any log', () => {
  it(
    'is scanned line by line: events in order, damage with its line, the torn tail left',
    { timeout: searchRuns(30_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(anyLog, async (log) => {
          const file = await fileOf(log);
          const events: { readonly seq: number; readonly at: number }[] = [];
          const damage: Damage[] = [];
          const end = await scanLog(file, FROM_START, blobs, (scanned) => {
            if (scanned.kind === 'damage') damage.push(scanned.damage);
            else events.push({ seq: scanned.event.seq, at: scanned.offset });
          });
          const expected = starts(log.pieces);
          expect(events).toEqual(expected.filter(({ seq }) => seq !== null));
          expect(damage.map((one) => [one.line, one.offset])).toEqual(
            expected.flatMap(({ at, seq }, index) => (seq === null ? [[index + 1, at]] : [])),
          );
          const size = await file.size();
          const count = log.pieces.length;
          expect(end).toEqual({ offset: size - log.torn.length, size, next_seq: count, line: count + 1 });
        }),
        { seed: 20261116, numRuns: searchRuns(100) },
      );
    },
  );

  it('is the same read backwards, screen by screen', { timeout: searchRuns(30_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.integer({ min: 1, max: 12 }), async (log, screen) => {
        const file = await fileOf(log);
        const seen: number[] = [];
        let damaged = 0;
        for (let end = await file.size(); end > 0;) {
          const window = await readBack(file, end, blobs, (events) => events.length >= screen);
          expect(window.from_offset).toBeLessThan(end);
          seen.unshift(...window.events.map((event) => event.seq));
          damaged += window.damaged.length;
          end = window.from_offset;
        }
        expect(seen).toEqual(log.pieces.flatMap(({ seq }) => seq ?? []));
        expect(damaged).toBe(log.pieces.filter(({ seq }) => seq === null).length);
      }),
      { seed: 20261116, numRuns: searchRuns(100) },
    );
  });

  it(
    'is parted by a seq at one offset: all before it are smaller, all from it on are not',
    { timeout: searchRuns(30_000) },
    async () => {
      await fc.assert(
        fc.asyncProperty(anyLog, fc.nat(45), async (log, seq) => {
          const file = await fileOf(log);
          const offset = await offsetOfSeq(file, seq);
          const readable = starts(log.pieces).flatMap((one) =>
            one.seq === null ? [] : [{ ...one, seq: one.seq }],
          );
          expect(readable.filter(({ at }) => at < offset).map((one) => one.seq)).toEqual(
            readable.filter((one) => one.seq < seq).map((one) => one.seq),
          );
        }),
        { seed: 20261116, numRuns: searchRuns(200) },
      );
    },
  );

  it('is read on from any seq to its end, screen by screen', { timeout: searchRuns(30_000) }, async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat(45), fc.integer({ min: 1, max: 10 }), async (log, from, screen) => {
        const file = await fileOf(log);
        const all = log.pieces.flatMap(({ seq }) => seq ?? []);
        const seen: number[] = [];
        for (let next = from, ends = false; !ends;) {
          const offset = await offsetOfSeq(file, next);
          const window = await readOn(file, offset, blobs, (events) => events.length >= screen);
          seen.push(...window.events.map((event) => event.seq));
          next = (seen.at(-1) ?? next) + 1;
          ends = window.to_end;
        }
        expect(seen).toEqual(all.filter((seq) => seq >= from));
      }),
      { seed: 20261116, numRuns: searchRuns(100) },
    );
  });
});
