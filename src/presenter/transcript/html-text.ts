import { EMPTY, extended, finished, type Piece } from '../markdown/document.ts';
import { wholeCode } from '../markdown/code-text.ts';
import { linkTarget } from '../markdown/link-target.ts';
import type { Align, Block, Cell, Inline, Item } from '../markdown/nodes.ts';
import { visible } from './transcript-nodes.ts';

/** Pure: words of others as HTML. Text only ever becomes text, and what they may be is the closed set of the chat. */

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"'`]/gu, (sign) => SIGNS[sign] ?? '');
}

export function preformatted(text: string): string {
  // The first line end after the tag would be taken for none of it.
  return `<pre tabindex="0">\n${escaped(visible(text))}</pre>`;
}

/** Markdown of a model or a person. */
export function markdownHtml(text: string): string {
  const { stretches } = finished(extended(EMPTY, visible(text)));
  return `<div class="markdown">${stretches.flat().map(piece).join('\n')}</div>`;
}

function piece(one: Piece): string {
  return one.kind === 'code' ? preformatted(wholeCode(one.code)) : blocks(one.blocks);
}

function blocks(all: readonly Block[]): string {
  return all.map(block).join('\n');
}

function block(one: Block): string {
  switch (one.kind) {
    case 'paragraph':
      return `<p>${inlines(one.children)}</p>`;
    case 'line':
      return `<div>${inlines(one.children)}</div>`;
    case 'heading':
      // The headings of the document are its own: those of others are strong words.
      return `<p class="title">${inlines(one.children)}</p>`;
    case 'list': {
      const items = one.items.map(item).join('');
      const start = one.start ?? 0;
      return one.start === null
        ? `<ul>${items}</ul>`
        : `<ol start="${Number.isSafeInteger(start) ? start : 1}">${items}</ol>`;
    }
    case 'quote':
      return `<blockquote>${blocks(one.children)}</blockquote>`;
    case 'rule':
      return '<hr>';
    case 'code':
      return preformatted(one.text);
    case 'table':
      return `<div class="table" tabindex="0"><table><thead>${row(one.head, 'th')}</thead><tbody>${one.rows
        .map((cells) => row(cells, 'td'))
        .join('')}</tbody></table></div>`;
    case 'raw':
      return `<p class="raw">${escaped(one.text)}</p>`;
  }
}

function item({ task, children }: Item): string {
  const mark = task === 'none' ? '' : task === 'done' ? '[x] ' : '[ ] ';
  return `<li>${mark}${blocks(children)}</li>`;
}

function row(cells: readonly Cell[], tag: 'th' | 'td'): string {
  return `<tr>${cells.map(({ align, children }) => `<${tag}${alignOf(align)}>${inlines(children)}</${tag}>`).join('')}</tr>`;
}

function alignOf(align: Align): string {
  return align === null ? '' : ` class="${align}"`;
}

function inlines(nodes: readonly Inline[]): string {
  return nodes.map(inline).join('');
}

function inline(node: Inline): string {
  switch (node.kind) {
    case 'text':
      return escaped(node.text);
    case 'strong':
      return `<strong>${inlines(node.children)}</strong>`;
    case 'emphasis':
      return `<em>${inlines(node.children)}</em>`;
    case 'deleted':
      return `<del>${inlines(node.children)}</del>`;
    case 'code':
      return `<code>${escaped(node.text)}</code>`;
    case 'link':
      return link(node.href, inlines(node.children));
    case 'place':
      // A file is elsewhere for whoever opens the document.
      return inlines(node.children);
    case 'break':
      return '<br>';
  }
}

/** Judged again: the document is opened by a browser, which follows whatever stands there. */
function link(href: string, words: string): string {
  const target = linkTarget(href);
  if (target.kind !== 'web') return words;
  return `<a href="${escaped(target.href)}" title="${escaped(target.href)}" rel="noopener noreferrer nofollow" target="_blank">${words}</a>`;
}
