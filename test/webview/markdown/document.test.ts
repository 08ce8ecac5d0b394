import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeCode } from '../../../src/presenter/markdown/code-text.ts';
import {
  EMPTY,
  extended,
  finished,
  openPiece,
  type Document,
} from '../../../src/presenter/markdown/document.ts';
import { blocks, blocksAtOnce, blocksIn, blocksOf, markdown, portions } from './markdown-texts.ts';
import { searchRuns } from '../../support/search-runs.ts';

const any = fc.oneof(markdown, blocks, fc.string({ unit: 'binary' }), fc.string());
const cut = any.chain((text) => fc.tuple(fc.constant(text), portions(text)));

const MANY_MS = 60_000;

describe('a text in portions', { timeout: MANY_MS }, () => {
  test('means what it means at once, however it is cut', () => {
    fc.assert(
      fc.property(cut, ([text, parts]) => {
        expect(blocksOf(...parts)).toEqual(blocksOf(text));
      }),
      { numRuns: searchRuns(1000), seed: 20261116 },
    );
  });

  test('means what the lexer makes of the whole', () => {
    fc.assert(
      fc.property(fc.oneof(markdown, blocks), (text) => {
        expect(blocksOf(text)).toEqual(blocksAtOnce(text));
      }),
      { numRuns: searchRuns(1500), seed: 20261117 },
    );
  });
});

function streamed(text: string, size: number): readonly Document[] {
  const steps: Document[] = [];
  let document = EMPTY;
  for (let at = 0; at < text.length; at += size) {
    document = extended(document, text.slice(at, at + size));
    steps.push(document);
  }
  return steps;
}

function longestTail({ tail, line }: Document): number {
  return tail.kind === 'prose' ? tail.text.length + line.length : 0;
}

const PARAGRAPHS = Array.from({ length: 200 }, (_, index) => `Paragraph **${index}** of many.`).join('\n\n');

describe('a growing document', { timeout: MANY_MS }, () => {
  test('keeps its finished pieces as the same objects', () => {
    const steps = streamed(PARAGRAPHS, 7);
    for (const [index, document] of steps.entries()) {
      const before = steps[index - 1]?.stretches ?? [];
      for (const [at, stretch] of before.entries()) {
        for (const [n, piece] of stretch.entries()) expect(document.stretches[at]?.[n]).toBe(piece);
      }
    }
  });

  test('leaves full stretches alone', () => {
    const [middle, last] = [streamed(PARAGRAPHS, 7).at(-100), streamed(PARAGRAPHS, 7).at(-1)];
    expect(middle?.stretches.length).toBeGreaterThan(3);
    expect(last?.stretches.map((one) => one.length).slice(0, 3)).toEqual([32, 32, 32]);
  });

  test.each([
    ['one paragraph', 'word and word '.repeat(8_000)],
    ['one word', 'x'.repeat(100_000)],
    ['one list', '- an item of a list\n'.repeat(5_000)],
    ['one list with an open fence', `1. a\n   ~~~\n${'   line\n\n'.repeat(10_000)}`],
    ['one quote', '> a line of a quote\n'.repeat(5_000)],
    ['one comment', `<!-- ${'a line of a comment\n\n'.repeat(5_000)}`],
    ['one table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(10_000)}`],
    ['lines of text', 'a line of text\n'.repeat(6_000)],
  ])('reads only so much again, also of %s without end', (_, text) => {
    const tails = streamed(text, 503).map(longestTail);
    expect(Math.max(...tails)).toBeLessThan(17_500);
  });

  test('adds to open code without touching what it has', () => {
    const text = `\`\`\`ts\n${'const a = 1;\n'.repeat(5_000)}`;
    const [middle, last] = [streamed(text, 997).at(-10), streamed(text, 997).at(-1)];
    if (middle?.tail.kind !== 'fence' || last?.tail.kind !== 'fence') throw new Error('no open code');
    const known = middle.tail.code.full;
    expect(known.length).toBeGreaterThan(40);
    expect(last.tail.code.full.slice(0, known.length)).toEqual(known);
    expect(last.tail.code.lines).toBe(5_000);
    expect(last.tail.code.open.length).toBeLessThan(5_000);
  });
});

function shownOf(text: string): string {
  const piece = openPiece(extended(EMPTY, text));
  if (piece === null) return '';
  return piece.kind === 'prose' ? JSON.stringify(piece.blocks) : wholeCode(piece.code);
}

describe('the end of a text that still grows', () => {
  test.each(['Steps:\n-', 'Steps:\n=', 'Steps:\n1', 'Steps:\n```', 'Steps:\n#'])(
    'is not taken for what it may not become: %j',
    (text) => {
      expect(shownOf(text)).toBe(shownOf('Steps:\n'));
    },
  );

  test('a table is shown from its second row on', () => {
    expect(shownOf('| a | b |\n|--')).toBe('');
    expect(shownOf('| a | b |\n|---|---|\n')).toContain('"kind":"table"');
  });

  test('a fence that may be closing is not shown as code', () => {
    expect(shownOf('```ts\nconst a = 1;\n``')).toBe('const a = 1;');
    expect(shownOf('```ts\nconst a = 1;\n`x')).toBe('const a = 1;\n`x');
  });
});

describe('a definition', () => {
  test('serves what came before it, and leaves the rest alone', () => {
    const before = extended(EMPTY, 'See [one].\n\nAnd more.\n\nEnd.\n\n');
    const after = extended(before, '[one]: https://example.org/\n\nLast');
    expect(JSON.stringify(before.stretches)).not.toContain('example.org');
    expect(JSON.stringify(after.stretches[0]?.[0])).toContain('"href":"https://example.org/"');
    expect(after.stretches[0]?.[1]).toBe(before.stretches[0]?.[1]);
  });

  test('counts at the very end, too, and the first of two wins', () => {
    const text = 'See [one].\n\n[one]: https://example.org/1\n\n[one]: https://example.org/2';
    expect(JSON.stringify(blocksIn(finished(extended(EMPTY, text))))).toContain('example.org/1');
  });
});
