import type { MarkedToken, Token, Tokens } from 'marked';
import { withoutEntities } from './entities.ts';
import { linkTarget } from './link-target.ts';
import { realHost } from './link-words.ts';
import { pathInCode, pathsInText } from './paths-in-text.ts';
import type { Block, Cell, Inline, Item } from './nodes.ts';

/** Tokens become nodes here, and only the kinds that are named here: all others are shown as they are written. */

export function readBlocks(tokens: readonly Token[]): readonly Block[] {
  return tokens.flatMap((token) => readBlock(token));
}

function readBlock(token: Token): readonly Block[] {
  if (!isKnown(token)) return [{ kind: 'raw', text: token.raw }];
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'paragraph':
      return [{ kind: 'paragraph', children: readInlines(token.tokens) }];
    case 'text':
      return [{ kind: 'line', children: readInlines(token.tokens ?? [token]) }];
    case 'heading':
      return [{ kind: 'heading', depth: token.depth, children: readInlines(token.tokens) }];
    case 'list':
      return [readList(token)];
    case 'blockquote':
      return [{ kind: 'quote', children: readBlocks(token.tokens) }];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'code':
      return [readCode(token)];
    case 'table':
      return [{ kind: 'table', head: readCells(token.header), rows: token.rows.map(readCells) }];
    case 'html':
      return [{ kind: 'raw', text: token.raw.replace(/\n+$/, '') }];
    case 'br':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'image':
    case 'link':
    case 'strong':
      return [{ kind: 'line', children: readInlines([token]) }];
    case 'list_item':
      return readBlocks(token.tokens);
  }
}

function readCode({ codeBlockStyle, lang, text }: Tokens.Code): Block {
  const isIndented = codeBlockStyle === 'indented';
  return { kind: 'code', info: lang ?? '', text: isIndented ? text.replace(/\n+$/, '') : text };
}

function readList(token: Tokens.List): Block {
  return {
    kind: 'list',
    start: token.ordered ? Number(token.start) : null,
    loose: token.loose,
    items: token.items.map(readItem),
  };
}

function readItem(item: Tokens.ListItem): Item {
  const done = item.checked === true ? 'done' : 'open';
  return { task: item.task ? done : 'none', children: readBlocks(item.tokens) };
}

function readCells(cells: readonly Tokens.TableCell[]): readonly Cell[] {
  return cells.map(({ align, tokens }) => ({ align, children: readInlines(tokens) }));
}

/** With what was written before them in their line. */
function readInlines(tokens: readonly Token[], before = ''): readonly Inline[] {
  return joined(tokens.flatMap((token, index) => readInline(token, tokens[index - 1]?.raw ?? before)));
}

function readInline(token: Token, before: string): readonly Inline[] {
  if (!isKnown(token)) return [words(token.raw)];
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? readText(token.text, before) : readInlines(token.tokens, before);
    case 'escape':
      return [words(withoutEntities(token.text))];
    case 'strong':
      return [{ kind: 'strong', children: readInlines(token.tokens, before) }];
    case 'em':
      return [{ kind: 'emphasis', children: readInlines(token.tokens, before) }];
    case 'del':
      return [{ kind: 'deleted', children: readInlines(token.tokens, before) }];
    case 'codespan':
      return [{ kind: 'code', text: token.text, place: pathInCode(token.text) }];
    case 'br':
      return [{ kind: 'break' }];
    case 'link':
      return [readLink(token)];
    case 'image':
      return [readImage(token)];
    case 'checkbox':
      return [];
    case 'html':
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return [words(token.raw)];
  }
}

/** A link that may not be opened is shown with its address: so it cannot pass for what its words say. */
function readLink(token: Tokens.Link): Inline {
  const target = linkTarget(withoutEntities(token.href));
  switch (target.kind) {
    case 'web':
      return readWebLink(target.href, withoutLinks(readInlines(token.tokens)));
    case 'file':
      return { kind: 'place', place: target.place, children: withoutLinks(readInlines(token.tokens)) };
    case 'none':
      return words(token.raw);
  }
}

/** Words that look like another address are followed by the one that counts. */
function readWebLink(href: string, children: readonly Inline[]): Inline {
  const host = realHost(href, plainText(children));
  return {
    kind: 'link',
    href,
    children: host === null ? children : joined([...children, words(` (${host})`)]),
  };
}

function plainText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'break') return ' ';
      return 'children' in node ? plainText(node.children) : node.text;
    })
    .join('');
}

/** Never loaded: its words lead to its address. */
function readImage(token: Tokens.Image): Inline {
  const target = linkTarget(withoutEntities(token.href));
  if (target.kind === 'none') return words(token.raw);
  const text = withoutEntities(token.text.trim());
  const children = [words(text === '' ? token.href : text)];
  return target.kind === 'web'
    ? readWebLink(target.href, children)
    : { kind: 'place', place: target.place, children };
}

/** In a link, nothing is a link of its own. */
function withoutLinks(nodes: readonly Inline[]): readonly Inline[] {
  return joined(
    nodes.flatMap((node): readonly Inline[] => {
      switch (node.kind) {
        case 'link':
        case 'place':
          return withoutLinks(node.children);
        case 'code':
          return [{ ...node, place: null }];
        case 'strong':
        case 'emphasis':
        case 'deleted':
          return [{ ...node, children: withoutLinks(node.children) }];
        case 'text':
        case 'break':
          return [node];
      }
    }),
  );
}

function readText(text: string, before: string): readonly Inline[] {
  return pathsInText(withoutEntities(text), before).map((part): Inline => {
    if (typeof part === 'string') return words(part);
    return { kind: 'place', place: part.place, children: [words(part.words)] };
  });
}

function words(text: string): Inline {
  return { kind: 'text', text };
}

function joined(nodes: readonly Inline[]): readonly Inline[] {
  const result: Inline[] = [];
  for (const node of nodes) {
    const last = result.at(-1);
    if (node.kind === 'text' && last?.kind === 'text')
      result[result.length - 1] = words(last.text + node.text);
    else result.push(node);
  }
  return result;
}

const KNOWN: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'blockquote',
  'br',
  'checkbox',
  'code',
  'codespan',
  'def',
  'del',
  'em',
  'escape',
  'heading',
  'hr',
  'html',
  'image',
  'link',
  'list',
  'list_item',
  'paragraph',
  'space',
  'strong',
  'table',
  'text',
]);

function isKnown(token: Token): token is MarkedToken {
  return KNOWN.has(token.type);
}
