import { describe, expect, test } from 'vitest';
import type { Presenter } from '../../../webview/presenter.ts';
import { AnswerText } from '../../../webview/answer-text.tsx';
import { Markdown } from '../../../webview/markdown/markdown-view.tsx';
import {
  click,
  draw,
  elementsIn,
  shapeOf,
  type SmallDocument,
  type SmallElement,
} from '../../support/small-dom.ts';

const posted: unknown[] = [];
const PRESENTER: Presenter = { post: (message) => posted.push(message), gesture: () => undefined };

function drawn(
  text: string,
  { live = false, onto }: { live?: boolean; onto?: SmallDocument } = {},
): SmallDocument {
  return draw(<Markdown text={text} end={live ? 'growing' : 'closed'} presenter={PRESENTER} />, onto);
}

/** What is drawn inside the frame that every text has. */
function shape(text: string): string {
  const body = drawn(text).body.childNodes[0]?.childNodes[0];
  return (body?.childNodes ?? [])
    .map((node) => shapeOf(node, ['href', 'start', 'role', 'aria-label']))
    .join('\n');
}

function named(document: SmallDocument, name: string): SmallElement {
  const found = elementsIn(document.body).find((one) => one.attributes.get('aria-label') === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
}

describe('Markdown is drawn as', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'paragraphs with all that stands in them',
      'A **b _c_** ~~d~~ `e` [f](https://example.org) \\* &amp;\nnext',
      [
        'p',
        '  "A "',
        '  strong',
        '    "b "',
        '    em',
        '      "c"',
        '  " "',
        '  del',
        '    "d"',
        '  " "',
        '  code',
        '    "e"',
        '  " "',
        '  a href=https://example.org/',
        '    "f"',
        String.raw`  " * &\nnext"`,
      ],
    ],
    [
      'headings below those of the page',
      '# One\n\nTwo\n---\n\n###### Six',
      ['h3', '  "One"', 'h4', '  "Two"', 'h6', '  "Six"'],
    ],
    [
      'lists in lists, numbered from where they begin',
      '3. a\n   - b\n4. c',
      [
        'ol start=3',
        '  li',
        '    div',
        '      "a"',
        '    ul',
        '      li',
        '        div',
        '          "b"',
        '  li',
        '    div',
        '      "c"',
      ],
    ],
    [
      'tables that scroll inside themselves',
      '| a | b |\n|:-:|--:|\n| 1 | **2** |',
      [
        'div role=group aria-label=Table',
        '  table',
        '    thead',
        '      tr',
        '        th',
        '          "a"',
        '        th',
        '          "b"',
        '    tbody',
        '      tr',
        '        td',
        '          "1"',
        '        td',
        '          strong',
        '            "2"',
      ],
    ],
    ['quotes and rules', '> a\n>\n> b\n\n***', ['blockquote', '  p', '    "a"', '  p', '    "b"', 'hr']],
    [
      'the words of an image, and never the image',
      '![words](https://example.org/i.png)',
      ['p', '  a href=https://example.org/i.png', '    "words"'],
    ],
    [
      'places in files, from links, from words and from code',
      '[a](src/a.ts#L2), src/b.ts:3:4 or `src/c.ts`, not and/or 1.2:3 or b.ts',
      [
        'p',
        '  button',
        '    "a"',
        '  ", "',
        '  button',
        '    "src/b.ts:3:4"',
        '  " or "',
        '  button',
        '    code',
        '      "src/c.ts"',
        '  ", not and/or 1.2:3 or b.ts"',
      ],
    ],
  ])('%s', (_, text, lines) => {
    expect(shape(text)).toBe(lines.join('\n'));
  });

  test('tasks that are said aloud and are no inputs', () => {
    const text = shape('- [x] a\n- [ ] b');
    expect(text).toContain('span role=img aria-label=Done');
    expect(text).toContain('span role=img aria-label=Not done');
    expect(text).not.toContain('input');
  });

  test('HTML as the text it is', () => {
    expect(shape('<div onclick="x()">\nhi\n</div>\n\na <b>c</b>')).toBe(
      String.raw`p
  "<div onclick=\"x()\">\nhi\n</div>"
p
  "a <b>c</b>"`,
    );
  });

  test('text in both directions, block by block', () => {
    const blocks = elementsIn(drawn('# a\n\nb\n\n- c\n\n  d\n\n> e').body).filter((one) =>
      ['h3', 'p', 'li', 'ul', 'blockquote'].includes(one.localName),
    );
    // What is in a list or a quote has the side of it: otherwise its marks could not stand where its words begin.
    expect(blocks.map((one) => `${one.localName} ${one.attributes.get('dir') ?? ''}`.trim())).toEqual([
      'h3 auto',
      'p auto',
      'ul auto',
      'li',
      'p',
      'p',
      'blockquote auto',
      'p',
    ]);
  });
});

/** In time that the processor spent on one; half of them cost no more, so that what else it does now and then is left out. */
function costOf(text: string, portions: number): number {
  const document = drawn(text, { live: true });
  const costs = Array.from({ length: portions }, (_, n) => {
    const before = process.cpuUsage();
    drawn(text + 'x'.repeat(n + 1), { live: true, onto: document });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return costs.toSorted((a, b) => a - b)[Math.floor(portions / 2)] ?? Infinity;
}

describe('while a text grows', { timeout: 60_000 }, () => {
  const text = `${Array.from({ length: 80 }, (_, n) => `Paragraph ${n} with **words**.`).join('\n\n')}\n\n- a\n- b\n`;

  test('nothing that is finished is touched', () => {
    const document = drawn(text, { live: true });
    const before = new Set(document.body.all);
    document.touched.clear();
    drawn(`${text}- c`, { live: true, onto: document });
    expect([...document.touched].filter((node) => before.has(node))).toEqual([]);
    expect(document.touched.size).toBeLessThan(10);
  });

  test('and when it ends, it stays in place', () => {
    const document = drawn(text, { live: true });
    const before = document.body.all;
    document.touched.clear();
    drawn(text, { live: false, onto: document });
    expect(document.body.all).toEqual(before);
    expect(document.touched.size).toBe(0);
  });

  test.each([
    ['code', `\`\`\`ts\n${'const a = compute(1, "text");\n'.repeat(5_000)}`],
    ['text', 'A paragraph with **words** and `code`.\n\n'.repeat(3_000)],
    ['a list', '- an item with **words**\n'.repeat(4_000)],
  ])('a portion more costs little, however long the %s is', (_, long) => {
    expect(costOf(long, 20)).toBeLessThan(15);
  });

  test('a line more of open code touches the end of it only', () => {
    const code = `\`\`\`ts\n${'const a = 1;\n'.repeat(2_000)}`;
    const document = drawn(`${code}con`, { live: true });
    document.touched.clear();
    drawn(`${code}const b`, { live: true, onto: document });
    expect([...document.touched].map((node) => node.textContent.length < 5_000)).toEqual([true]);
  });
});

function tones(document: SmallDocument): readonly (string | undefined)[] {
  return elementsIn(document.body)
    .map((one) => one.attributes.get('class'))
    .filter((name) => name?.startsWith('tone-'));
}

const REFUSED = 'Only a part of this code is shown, so nothing was done; the log has all of it.';

/** An answer of which only this beginning is here. */
function drawnCut(text: string): SmallDocument {
  return draw(<AnswerText seq={1} text={text} partial={false} cut live={false} presenter={PRESENTER} />);
}

/** What live regions say. */
function statusIn(document: SmallDocument): string {
  return elementsIn(document.body)
    .filter((one) => one.attributes.get('role') === 'status')
    .map((one) => one.textContent)
    .join('');
}

describe('a block of code', () => {
  test('is coloured by its language when it is closed', () => {
    const document = drawn('```ts\nconst a = 1;', { live: true });
    expect(tones(document)).toEqual([]);
    drawn('```ts\nconst a = 1;\n```\n', { live: true, onto: document });
    expect(tones(document)).toEqual(['tone-keyword', 'tone-number']);
  });

  test('tells the host what it is and what to do with it', () => {
    const document = drawn('```ts src/a.ts\nconst a = 1;\n\nconst b = 2;\n```');
    posted.length = 0;
    for (const name of ['Copy code', 'Insert at cursor', 'Apply to file']) click(named(document, name));
    const code = { type: 'code', text: 'const a = 1;\n\nconst b = 2;', language: 'ts', path: 'src/a.ts' };
    expect(posted).toEqual(['copy', 'insert', 'apply'].map((action) => ({ ...code, action })));
  });

  test.each([
    ['```bash\nnpm test\n```', false],
    ['```powershell\nGet-Item x\n```', false],
    ['```bash scripts/run.sh\nnpm test\n```', true],
    ['```bash\n# run.sh\nnpm test\n```', true],
    ['```ts\nconst a = 1;\n```', true],
  ])('%j is offered for a file: %s', (text, isOffered) => {
    const names = elementsIn(drawn(text).body).map((one) => one.attributes.get('aria-label'));
    expect(names.includes('Apply to file')).toBe(isOffered);
    expect(names).toContain('Insert at cursor');
  });

  test('a name in a comment is only a guess, which the host looks up', () => {
    const document = drawn('```js\n// node.js\nrun();\n```');
    posted.length = 0;
    click(named(document, 'Apply to file'));
    expect(posted).toEqual([
      { type: 'code', action: 'apply', text: '// node.js\nrun();', language: 'js', guess: 'node.js' },
    ]);
  });

  test.each(['Copy code', 'Insert at cursor', 'Apply to file'])(
    'that was cut off is nothing to take a part of, and says so: %s',
    async (name) => {
      posted.length = 0;
      for (const text of ['```ts src/a.ts\nconst a = 1;…', '- so:\n  ```ts\n  const a = 1;…']) {
        const document = drawnCut(text);
        expect(statusIn(document)).toBe('');
        click(named(document, name));
        await expect.poll(() => statusIn(document)).toBe(REFUSED);
      }
      expect(posted).toEqual([]);
    },
  );

  test.each([
    { live: true, partial: false, why: 'This code is still being written. Apply it when it is complete.' },
    {
      live: false,
      partial: true,
      why: 'The answer broke off here, so this code may not be whole. It was not applied.',
    },
  ])('that is not whole can be copied and not applied: $why', async ({ live, partial, why }) => {
    const answer = { seq: 1, text: '```ts a.ts\nconst a', cut: false, presenter: PRESENTER };
    const document = draw(<AnswerText {...answer} live={live} partial={partial} />);
    posted.length = 0;
    click(named(document, 'Apply to file'));
    await expect.poll(() => statusIn(document)).toBe(why);
    expect(posted).toEqual([]);
    click(named(document, 'Copy code'));
    expect(posted).toMatchObject([{ action: 'copy', text: 'const a' }]);
  });

  test('that ended before its text was cut off is whole', () => {
    const document = drawnCut('```ts\nconst a = 1;\n```\nAnd th…');
    posted.length = 0;
    click(named(document, 'Copy code'));
    expect(posted).toEqual([{ type: 'code', action: 'copy', text: 'const a = 1;', language: 'ts' }]);
  });

  test('a path asks the host to open it', () => {
    const document = drawn('See src/a.ts:12:3.');
    posted.length = 0;
    const button = elementsIn(document.body).find((one) => one.localName === 'button');
    if (button === undefined) throw new Error('no button');
    click(button);
    expect(posted).toEqual([{ type: 'open', path: 'src/a.ts', line: 12, column: 3 }]);
  });
});

describe('a table that is taken apart', () => {
  test('has its head in each of its parts', () => {
    const rows = Array.from({ length: 900 }, (_, n) => `| row ${n} | what happened in row ${n} |`);
    const elements = elementsIn(drawn(['| a | b |', '|---|:-:|', ...rows, '', 'after'].join('\n')).body);
    const heads = elements.filter(({ localName }) => localName === 'thead').map((one) => one.textContent);
    expect(heads.length).toBeGreaterThan(1);
    expect(new Set(heads)).toEqual(new Set(['ab']));
    expect(elements.filter(({ localName }) => localName === 'tr').length).toBe(900 + heads.length);
    expect(elements.filter(({ localName }) => localName === 'p').map((one) => one.textContent)).toEqual([
      'after',
    ]);
  });
});

describe('words that look like another place', () => {
  test.each([
    ['[https://github.com/login](https://evil.example/login?x=1)', 'https://github.com/login (evil.example)'],
    ['[github.com](https://evil.example/)', 'github.com (evil.example)'],
    ['[**www.github.com** now](https://evil.example/)', 'www.github.com now (evil.example)'],
    ['![https://github.com](https://evil.example/a.png)', 'https://github.com (evil.example)'],
    ['[github.com](mailto:a@evil.example)', 'github.com (a@evil.example)'],
    ['[https://github.com/a](https://www.github.com/b)', 'https://github.com/a'],
    ['[README.md](https://github.com/x/README.md)', 'README.md'],
    ['[the docs](https://example.org/)', 'the docs'],
    ['https://example.org/a', 'https://example.org/a'],
  ])('%s', (text, words) => {
    expect(drawn(text).body.textContent).toBe(words);
  });

  test('a name before the host is no host', () => {
    const text = '[x](https://github.com\u2215login@hostile.invalid/) <https://a:b@example.org/>';
    expect(elementsIn(drawn(text).body).filter(({ localName }) => localName === 'a')).toEqual([]);
  });

  test('what turns the direction of code is seen, and copied as it is', () => {
    posted.length = 0;
    const document = drawn('```js\nif (a\u202E // b\n```');
    expect(document.body.textContent).toContain('if (a\\u202e // b');
    click(named(document, 'Copy code'));
    expect(posted).toMatchObject([{ text: 'if (a\u202E // b' }]);
  });
});
