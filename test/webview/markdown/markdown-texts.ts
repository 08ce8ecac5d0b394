import * as fc from 'fast-check';
import { wholeCode } from '../../../src/presenter/markdown/code-text.ts';
import { EMPTY, extended, finished, type Document } from '../../../src/presenter/markdown/document.ts';
import { lex } from '../../../src/presenter/markdown/lexing.ts';
import type { Block } from '../../../src/presenter/markdown/nodes.ts';
import { readBlocks } from '../../../src/presenter/markdown/reading.ts';

/** What a text means when it is read piece by piece, in these portions. */
export function blocksOf(...portions: readonly string[]): readonly Block[] {
  return blocksIn(finished(portions.reduce(extended, EMPTY)));
}

export function blocksIn(document: Document): readonly Block[] {
  return document.stretches.flat().flatMap((piece): readonly Block[] => {
    if (piece.kind === 'prose') return piece.blocks;
    return [{ kind: 'code', info: piece.info, text: wholeCode(piece.code) }];
  });
}

/** What it means when it is read as a whole, by the lexer alone. */
export function blocksAtOnce(text: string): readonly Block[] {
  // Read in pieces, the last line has an end as all others.
  return readBlocks(lex(text.endsWith('\n') ? text : `${text}\n`, () => undefined).tokens);
}

const INLINE = [
  'plain words',
  '**strong** and *soft*',
  '`code` here',
  'see [one] and [two][one]',
  '[a link](https://example.org/x)',
  '[a file](src/a.ts:12)',
  'src/b.ts:3:4 is wrong',
  '~~gone~~',
  'an &amp; and a \\* star',
  '<b>html</b>',
  '![alt](https://example.org/i.png)',
  'https://example.org/auto',
  'unclosed **strong',
  'unclosed `code',
  'a | b',
];

const LINES = [
  '',
  '',
  '  ',
  '# Heading',
  'Setext',
  '===',
  '---',
  '- item',
  '- [x] done',
  '- [ ] open',
  '* star',
  '+ plus',
  '1. first',
  '2. second',
  '10) tenth',
  '  - nested',
  '    deep',
  '   three',
  '  continued',
  '> quote',
  '> - quoted item',
  '>',
  '```ts',
  '```',
  '````',
  '~~~',
  '  ```',
  '   ```js',
  '    indented code',
  '\ttabbed',
  '| a | b |',
  '|---|:-:|',
  '| 1 | 2 |',
  '<div>',
  '</div>',
  '<!-- comment',
  '-->',
  '<pre>',
  '</pre>',
  '<script>',
  '</script>',
  '<?php',
  '?>',
  '<br/>',
  '***',
  '[one]: https://example.org/one',
  '[Two Words]: src/two.ts',
  '[two words]',
  '-',
  '1.',
  '#',
  '\\',
];

const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...LINES) },
  { weight: 1, arbitrary: fc.constantFrom(...INLINE) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('', '- ', '  ', '> ', '1. ', '## '), fc.constantFrom(...INLINE))
      .map(([mark, words]) => mark + words),
  },
);

/** Texts of all that Markdown has, in any order. */
export const markdown: fc.Arbitrary<string> = fc
  .array(line, { maxLength: 24 })
  .map((lines) => lines.join('\n'));

/** Texts that are more often well-formed: blocks with empty lines between them. */
export const blocks: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      line,
      fc.constantFrom(
        '- a\n- b\n  - c\n\n  more of b\n- d',
        '1. a\n\n   ```ts\n   const x = 1;\n\n   const y = 2;\n   ```\n2. b',
        '| a | b |\n|---|---|\n| 1 | `2` |',
        '```ts src/a.ts\nconst a = 1;\n\n- not a list\n```',
        '> quote\nlazy\n> more\n\n> another',
        '<div>\ntext\n\n</div>',
        '<!-- a\n\nb -->',
        'Title\n-----\ntext',
        '    code\n\n    more code',
        '[one]: https://example.org/1 "title"',
        '- [ ] open\n- [x] done',
        'a\n- b\n\nc\n1. d\n\n2. e',
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join('\n\n'));

/** Any way to cut a text into portions. */
export function portions(text: string): fc.Arbitrary<readonly string[]> {
  return fc
    .array(fc.nat({ max: text.length }), { maxLength: 20 })
    .map((cuts) => [0, ...cuts.toSorted((a, b) => a - b), text.length])
    .map((cuts) => cuts.slice(1).map((end, index) => text.slice(cuts[index], end)));
}
