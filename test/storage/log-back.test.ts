import { mkdir, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesBack, type BackOptions, type BackPiece } from '../../src/storage/log-back.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { freshFolder } from './storage-place.ts';
import { searchRuns } from '../support/search-runs.ts';

/** A copy of each, as it was given: the memory they are in is used again. */
async function pieces(
  bytes: Buffer | string,
  options: Partial<BackOptions> = {},
): Promise<readonly BackPiece[]> {
  const folder = freshFolder();
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/log`, bytes);
  const file = await new NodeDisk().open(`${folder}/log`, 'read');
  try {
    const all: BackPiece[] = [];
    const { signal } = new AbortController();
    let behind: readonly { readonly bytes: Buffer; readonly given: Buffer }[] = [];
    for await (const piece of piecesBack(file, await file.size(), { signal, ...options })) {
      // Whoever looks at a piece may still look at the two before it.
      for (const { bytes, given } of behind) expect(bytes).toEqual(given);
      const given = piece.kind === 'too_long' ? Buffer.alloc(0) : Buffer.from(piece.bytes);
      if (piece.kind === 'lines') behind = [{ bytes: piece.bytes, given }, ...behind].slice(0, 2);
      if (piece.kind === 'too_long') behind = [];
      all.push(piece.kind === 'too_long' ? piece : { ...piece, bytes: given });
    }
    return all;
  } finally {
    await file.close();
  }
}

it('gives every byte once, from the end, in whole lines that are where they say', async () => {
  const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(''), fc.constant('x'.repeat(50)));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 8 }),
      fc.string(),
      fc.integer({ min: 1, max: 40 }),
      async (lines, end, chunk) => {
        const text = [
          ...lines.map((one) => one.toWellFormed().replaceAll('\n', '')),
          end.replaceAll('\n', ''),
        ];
        const bytes = Buffer.from(text.join('\n'));
        const found = await pieces(bytes, { chunk });
        const whole = found.flatMap((piece) => (piece.kind === 'too_long' ? [] : [piece.bytes]));
        expect(Buffer.concat(whole.toReversed())).toEqual(bytes);
        for (const piece of found) {
          if (piece.kind === 'too_long') throw new Error('nothing here is long');
          expect(bytes.subarray(piece.offset, piece.offset + piece.bytes.length)).toEqual(piece.bytes);
          expect(piece.offset === 0 || bytes[piece.offset - 1] === 10).toBe(true);
          expect(piece.bytes.at(-1) === 10).toBe(piece.kind === 'lines');
        }
      },
    ),
    { numRuns: searchRuns(300), seed: 2 },
  );
});

it('leaves out a line that is too long, and says where it was', async () => {
  const text = `first\n${'x'.repeat(100)}\nlast\n`;
  const told = (await pieces(text, { chunk: 8, longest: 40 })).map((piece) =>
    piece.kind === 'too_long' ? [piece.offset, piece.length] : piece.bytes.toString(),
  );
  expect(told).toEqual(['last\n', [6, 101], 'first\n']);
});

it('ends when it is called off, and tells how much it has read', async () => {
  const stop = new AbortController();
  const folder = freshFolder();
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/log`, 'line\n'.repeat(100));
  const file = await new NodeDisk().open(`${folder}/log`, 'read');
  const read: number[] = [];
  for await (const piece of piecesBack(file, 500, {
    signal: stop.signal,
    chunk: 50,
    progress: (n) => read.push(n),
  })) {
    expect(piece.kind).toBe('lines');
    stop.abort();
  }
  await file.close();
  expect(read).toEqual([50]);
});
