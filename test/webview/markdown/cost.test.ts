import { describe, expect, test } from 'vitest';
import { EMPTY, extended, finished, openPiece } from '../../../src/presenter/markdown/document.ts';
import { highlighted } from '../../../webview/markdown/highlighting.ts';

/** How many times as much as ordinary text of that length a text may cost: what is not linear costs more at these lengths. */
const MOST = 10;

const PROSE =
  'Some ordinary words of an answer, with `code`, *weight* and [a link](https://example.org).\n\n';
const CODE = 'public static int now(Clock clock) {\n  return clock.now() + 1; // later\n}\n\n';

function ordinary(sample: string, length: number): string {
  return sample.repeat(Math.ceil(length / sample.length));
}

function read(text: string): void {
  finished(extended(EMPTY, text));
}

function colour(code: string): void {
  const [piece] = finished(extended(EMPTY, `\`\`\`java\n${code}\n\`\`\``)).stretches.flat();
  if (piece?.kind !== 'code') throw new Error('no block of code');
  for (const chunk of [...piece.code.full, piece.code.open]) highlighted(chunk, 'java');
}

/** As it is while it streams in: the open piece is read with every portion. */
function stream(text: string): void {
  let document = extended(EMPTY, text.slice(0, -FRAMES));
  for (const letter of text.slice(-FRAMES)) {
    document = extended(document, letter);
    openPiece(document);
  }
}

const FRAMES = 20;

/** The least of a few runs: what else the machine does only ever adds. */
function cost(work: (text: string) => void, text: string): number {
  const runs = Array.from({ length: 3 }, () => {
    const began = process.cpuUsage();
    work(text);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

function numbered(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n\n');
}

const LINE = 3_900;

describe(
  'hostile text costs what ordinary text of its length costs, a few times over',
  { timeout: 60_000 },
  () => {
    test.each([
      ['definitions', numbered(1000, (n) => `[label ${n}]: https://example.org/a/long/path/to/page/${n}`)],
      [
        'definitions after their use',
        numbered(1000, (n) => `[label ${n}]\n\n[label ${n}]: https://example.org/${n}`),
      ],
      ['names without an address', `${'a.'.repeat(LINE / 2)}@\n`.repeat(100)],
      ['names of an address and more', `${'a.'.repeat(LINE / 2)}@b\n`.repeat(100)],
    ])('%s', (_, text) => {
      expect(cost(read, text) / cost(read, ordinary(PROSE, text.length))).toBeLessThan(MOST);
    });

    test.each([
      ['code of one letter', `${'$'.repeat(990)}\n`.repeat(62)],
      ['code of one letter in shorter lines', `${'$'.repeat(290)}\n`.repeat(200)],
    ])('%s', (_, text) => {
      expect(cost(colour, text) / cost(colour, ordinary(CODE, text.length))).toBeLessThan(MOST);
    });

    test.each([
      ['a line that may become a fence', `${'~'.repeat(LINE)}x\`${'x'.repeat(FRAMES)}`],
      ['a line that may become a row', `x\n\n|a\n${' '.repeat(LINE)}x${'-'.repeat(FRAMES)}`],
    ])('%s, while it streams in', (_, text) => {
      const line = ordinary('ordinary words ', LINE);
      expect(cost(stream, text) / cost(stream, line)).toBeLessThan(MOST);
    });
  },
);
