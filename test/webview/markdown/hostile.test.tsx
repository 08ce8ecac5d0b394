import { describe, expect, test } from 'vitest';
import { HOSTILE } from '../../support/hostile-markdown.ts';
import { draw, elementsIn, type SmallElement } from '../../support/small-dom.ts';
import { Markdown } from '../../../webview/markdown/markdown-view.tsx';
import { linkTarget } from '../../../src/presenter/markdown/link-target.ts';

const PRESENTER = { post: () => undefined, gesture: () => undefined };

/** All that may ever be drawn of a text, with the attributes it may have. Icons are drawn by us. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  blockquote: ['dir'],
  br: [],
  button: ['type', 'class', 'title', 'aria-label'],
  code: [],
  del: [],
  div: ['class', 'dir', 'role', 'aria-label', 'tabIndex', 'tabindex'],
  em: [],
  h3: ['class', 'dir'],
  h4: ['class', 'dir'],
  h5: ['class', 'dir'],
  h6: ['class', 'dir'],
  hr: [],
  li: ['class', 'dir'],
  ol: ['class', 'dir', 'start'],
  p: ['class', 'dir', 'role'],
  path: ['d'],
  pre: ['dir', 'aria-label', 'tabIndex', 'tabindex'],
  rect: ['x', 'y', 'width', 'height', 'rx'],
  span: ['class', 'role', 'aria-label'],
  strong: [],
  svg: ['class', 'viewBox', 'aria-hidden', 'focusable'],
  table: [],
  tbody: [],
  td: ['class', 'dir'],
  th: ['class', 'dir', 'scope'],
  thead: [],
  tr: [],
  ul: ['class', 'dir'],
};

const CLASS =
  /^(?:markdown|stretch|line|raw|heading depth-[1-6]|tight|loose|task|task-mark|table|align-\w+|path-link|icon|code-block|code-head|language|code-path|code-actions|copied|refused|icon-button|chunk|tone-\w+)$/;

function foreign(element: SmallElement): readonly string[] {
  const { localName, attributes } = element;
  const allowed = ALLOWED[localName];
  if (allowed === undefined) return [`<${localName}>`];
  return [...attributes].flatMap(([name, value]) => {
    if (!allowed.includes(name)) return [`${localName} ${name}=${value}`];
    if (name === 'class' && !CLASS.test(value)) return [`class ${value}`];
    if (name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(value)) return [`href ${value}`];
    return [];
  });
}

function drawn(text: string, size: number): readonly string[] {
  const found: string[] = [];
  let document;
  for (let end = size; end < text.length + size; end += size) {
    const view = (
      <Markdown
        text={text.slice(0, end)}
        end={end < text.length ? 'growing' : 'closed'}
        presenter={PRESENTER}
      />
    );
    document = draw(view, document);
    found.push(...elementsIn(document.body).slice(1).flatMap(foreign));
  }
  return found;
}

describe('hostile text', { timeout: 60_000 }, () => {
  test('is plenty', () => {
    expect(HOSTILE.length).toBeGreaterThan(150);
  });

  test.each(HOSTILE.map((text) => [text.slice(0, 80), text]))('draws nothing of its own: %j', (_, text) => {
    expect(drawn(text, Math.max(7, Math.ceil(text.length / 12)))).toEqual([]);
  });

  test('is still there to be read', () => {
    const document = draw(
      <Markdown text={'<script>x()</script>\n\n[go](javascript:x)'} end="closed" presenter={PRESENTER} />,
    );
    expect(document.body.textContent).toBe('<script>x()</script>[go](javascript:x)');
  });

  test('costs little more time than ordinary text, however it is nested', () => {
    const words = 'Some ordinary words of an answer, with `code` and *weight*.\n\n';
    const plain = HOSTILE.map(({ length }) => words.repeat(Math.ceil(length / words.length)));
    const [hostile, ordinary] = [HOSTILE, plain].map((texts) => {
      // The least of a few runs: what else the machine does only ever adds.
      const runs = Array.from({ length: 3 }, () => {
        const began = process.cpuUsage();
        for (const text of texts) drawn(text, 1_000_000);
        const { user, system } = process.cpuUsage(began);
        return user + system;
      });
      return Math.min(...runs);
    });
    expect((hostile ?? 0) / (ordinary ?? 1)).toBeLessThan(5);
  });
});

describe('an address', () => {
  test.each([
    ['https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'],
    ['HTTP://Example.org', 'http://example.org/'],
    ['mailto:a@example.org', 'mailto:a@example.org'],
  ])('%s may be opened', (address, href) => {
    expect(linkTarget(address)).toEqual({ kind: 'web', href });
  });

  test.each([
    ['src/a.ts', { path: 'src/a.ts' }],
    ['src/a.ts:12', { path: 'src/a.ts', line: 12 }],
    ['a.ts:12:3', { path: 'a.ts', line: 12, column: 3 }],
    ['src/a.ts#L12', { path: 'src/a.ts', line: 12 }],
    ['src/a.ts#L12-L20', { path: 'src/a.ts', line: 12 }],
    ['my%20file.ts:2', { path: 'my file.ts', line: 2 }],
    ['./b.md', { path: './b.md' }],
    ['a.ts:0', { path: 'a.ts' }],
  ])('%s is a place in a file', (address, place) => {
    expect(linkTarget(address)).toEqual({ kind: 'file', place });
  });

  test.each([
    '#anchor',
    '?x',
    '',
    'a:b',
    'x%ZZ.ts',
    'c:/x.ts:1',
    'a\u200Bb.ts',
    'javascript:1',
    `a${'b'.repeat(3_000)}`,
  ])('%j does nothing', (address) => {
    expect(linkTarget(address)).toEqual({ kind: 'none' });
  });
});
