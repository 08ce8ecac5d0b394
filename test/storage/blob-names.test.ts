import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { readNames, visitNames } from '../../src/storage/blob-names.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

function namesIn(text: string): readonly string[] {
  const found: string[] = [];
  visitNames(Buffer.from(text), (name) => found.push(name));
  return found;
}

/** The plain way: every place is looked at. */
function everyWindow(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at + 64 <= text.length; at += 1) {
    const window = text.slice(at, at + 64);
    if (/^[0-9a-f]{64}$/.test(window)) found.push(window);
  }
  return found;
}

const piece = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'f', '0', '9'), maxLength: 200 }),
  fc.integer().map((seed) => nodeHasher.sha256(String(seed))),
  fc.constantFrom('"', 'g', 'A', '\n', ' {"blob":"', '…'),
);

it('every stretch of 64 digits is found, whatever stands around it', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      // Beyond ASCII a character has several bytes: none of them is a digit.
      expect(namesIn(text)).toEqual(everyWindow(text));
    }),
    { seed: 11, numRuns: searchRuns(400) },
  );
});

it('a name across two pieces that are read is found, and one that began before the offset', async () => {
  const disk = new PowerCutDisk();
  await disk.makeFolder('/r');
  const file = await disk.open('/r/log', 'create_new');
  const [first, second] = [nodeHasher.sha256('one'), nodeHasher.sha256('two')];
  const before = ' '.repeat(1024 * 1024 - 10);
  await file.append(Buffer.from(`${before}${first}"${' '.repeat(100)}${second}`));
  const found: string[] = [];
  const { signal } = new AbortController();
  const visit = (name: string): void => void found.push(name);
  const size = await readNames(disk, '/r/log', { from: 0, signal, visit });
  expect(found).toEqual([first, second]);
  found.length = 0;
  await file.append(Buffer.from('.'));
  expect(await readNames(disk, '/r/log', { from: size - 3, signal, visit })).toBe(size + 1);
  expect(found).toEqual([second]);
});
