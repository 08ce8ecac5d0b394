import { NO_CODE, withLine, type CodeText } from './code-text.ts';
import { labelsIn, lex, type Reference, type References } from './lexing.ts';
import {
  isBlank,
  isFenceEnd,
  judge,
  MAX_LINE,
  NEW_REGION,
  regionOf,
  settled,
  surelyBegins,
  tableHead,
  unindented,
  type Fence,
  type Region,
} from './line-scan.ts';
import type { Block } from './nodes.ts';
import { readBlocks } from './reading.ts';

/**
 * A text that only grows, as pieces. Pieces that are finished stay the same objects, so that nothing of them is
 * drawn again; a portion costs what it is long itself and what the piece is long that it adds to.
 */

export type Piece =
  | { readonly kind: 'prose'; readonly at: number; readonly text: string; readonly blocks: readonly Block[] }
  | { readonly kind: 'code'; readonly at: number; readonly info: string; readonly code: CodeText };

/** How a text, or a part of it, ends: for good, where more may come, where it broke off, or where the rest was left out. */
export type End = 'closed' | 'growing' | 'broken' | 'cut';

/** How many pieces are drawn or left alone together. */
const STRETCH = 32;

type Tail =
  | { readonly kind: 'prose'; readonly at: number; readonly text: string; readonly region: Region }
  | { readonly kind: 'fence'; readonly at: number; readonly fence: Fence; readonly code: CodeText };

export interface Document {
  /** Finished pieces; every stretch but the last is full. */
  readonly stretches: readonly (readonly Piece[])[];
  readonly references: References;
  readonly tail: Tail;
  /** The line that has no end yet. */
  readonly line: string;
  /** Where that line begins. */
  readonly lineAt: number;
  /** The last portion ended in a carriage return, which a line feed may belong to. */
  readonly afterReturn: boolean;
}

const NO_TAIL: Tail = { kind: 'prose', at: 0, text: '', region: NEW_REGION };

export const EMPTY: Document = {
  stretches: [],
  references: new Map(),
  tail: NO_TAIL,
  line: '',
  lineAt: 0,
  afterReturn: false,
};

/** What the present portion defines. It is added to the references, and served to what came before it, once. */
type Fresh = Map<string, Reference>;

/** Pure: the document with a portion more. */
export function extended(document: Document, portion: string): Document {
  if (portion === '') return document;
  const rest = document.afterReturn && portion.startsWith('\n') ? portion.slice(1) : portion;
  const lines = rest.replaceAll(/\r\n?/g, '\n').split('\n');
  const fresh: Fresh = new Map();
  let next: Document = { ...document, afterReturn: portion.endsWith('\r') };
  for (const [index, part] of lines.entries()) {
    next = withoutLongStart({ ...next, line: next.line + part }, fresh);
    if (index < lines.length - 1) next = lineEnded(next, fresh);
  }
  return referring(begunEarly(next, fresh), fresh);
}

/** Pure: the document when nothing more comes. */
export function finished(document: Document): Document {
  const fresh: Fresh = new Map();
  const whole = document.line === '' ? document : lineEnded(document, fresh);
  return referring(closed(whole, whole.lineAt, fresh), fresh);
}

/** What is shown of the piece that is not finished; null when there is none. */
export function openPiece({ tail, line, references }: Document): Piece | null {
  if (tail.kind === 'fence') {
    const shown = couldEnd(tail.fence, line) ? tail.code : withLine(tail.code, unindented(tail.fence, line));
    return { kind: 'code', at: tail.at, info: tail.fence.info, code: shown };
  }
  const text = settled(tail.text + line);
  return isBlank(text.replaceAll('\n', ''))
    ? null
    : prose(tail.at, text, (label) => references.get(label)).piece;
}

/** All stretches as they are drawn, the open piece last: it is where it will be when it is finished. */
export function stretchesWith({ stretches }: Document, open: Piece | null): Document['stretches'] {
  return open === null ? stretches : withPiece(stretches, open);
}

/** Nothing is shown of a line that may become the end of the block. */
function couldEnd({ char }: Fence, line: string): boolean {
  const mark = line.trim();
  return mark === '' || (mark.startsWith(char) && mark === char.repeat(mark.length));
}

function lineEnded(document: Document, fresh: Fresh): Document {
  const { line, lineAt } = document;
  const next = { ...withLineEnd(document, fresh), line: '' };
  return { ...next, lineAt: lineAt + line.length + 1 };
}

function withLineEnd(document: Document, fresh: Fresh): Document {
  const { tail, line, lineAt } = document;
  if (tail.kind === 'fence') {
    if (isFenceEnd(tail.fence, line)) return closed(document, lineAt + line.length + 1, fresh);
    return { ...document, tail: { ...tail, code: withLine(tail.code, unindented(tail.fence, line)) } };
  }
  if (tail.text === '' && isBlank(line)) {
    return { ...document, tail: { ...tail, at: lineAt + line.length + 1 } };
  }
  const verdict = judge(tail.region, line);
  switch (verdict.kind) {
    case 'joins':
      return { ...document, tail: { ...tail, text: `${tail.text}${line}\n`, region: verdict.region } };
    case 'begins': {
      const next = closed(document, lineAt, fresh);
      // A table that is taken apart has its head in each part.
      const text = tableHead(tail.region, tail.text, line);
      return text === ''
        ? withLineEnd(next, fresh)
        : withLineEnd({ ...next, tail: { kind: 'prose', at: lineAt, text, region: regionOf(text) } }, fresh);
    }
    case 'fence':
      return {
        ...closed(document, lineAt, fresh),
        tail: { kind: 'fence', at: lineAt, fence: verdict.fence, code: NO_CODE },
      };
  }
}

/** A line without end is taken apart, too: between words where there are any. */
function withoutLongStart(document: Document, fresh: Fresh): Document {
  let next = document;
  while (next.tail.kind === 'prose' && next.line.length > MAX_LINE) {
    const { line, lineAt, tail } = next;
    const space = line.lastIndexOf(' ', MAX_LINE - 1) + 1;
    const cut = space > 0 ? space : MAX_LINE - (isHighSurrogate(line.charCodeAt(MAX_LINE - 1)) ? 1 : 0);
    const text = tail.text + line.slice(0, cut);
    const head = closed({ ...next, tail: { ...tail, text } }, lineAt + cut, fresh);
    next = { ...head, line: line.slice(cut), lineAt: lineAt + cut };
  }
  return next;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd8_00 && code <= 0xdb_ff;
}

/** The line that is being written already leaves the piece before it in peace. */
function begunEarly(document: Document, fresh: Fresh): Document {
  const { tail, line, lineAt } = document;
  return tail.kind === 'prose' && surelyBegins(tail.region, line)
    ? closed(document, lineAt, fresh)
    : document;
}

/** The tail becomes a piece, and the next begins at that place. */
function closed(document: Document, next: number, fresh: Fresh): Document {
  const { tail, references } = document;
  const tailAfter: Tail = { ...NO_TAIL, at: next };
  if (tail.kind === 'fence') {
    const piece: Piece = { kind: 'code', at: tail.at, info: tail.fence.info, code: tail.code };
    return { ...document, stretches: withPiece(document.stretches, piece), tail: tailAfter };
  }
  if (tail.text === '') return { ...document, tail: tailAfter };
  const known = (label: string): Reference | undefined => references.get(label) ?? fresh.get(label);
  const { piece, defined } = prose(tail.at, tail.text, known);
  for (const [label, reference] of defined) fresh.set(label, reference);
  return { ...document, stretches: withPiece(document.stretches, piece), tail: tailAfter };
}

function prose(
  at: number,
  text: string,
  known: (label: string) => Reference | undefined,
): { piece: Piece; defined: References } {
  const { tokens, defined } = lex(text, known);
  return { piece: { kind: 'prose', at, text, blocks: readBlocks(tokens) }, defined };
}

function withPiece(stretches: Document['stretches'], piece: Piece): Document['stretches'] {
  const last = stretches.at(-1);
  return last === undefined || last.length >= STRETCH
    ? [...stretches, [piece]]
    : stretches.with(stretches.length - 1, [...last, piece]);
}

/** A definition also serves what came before it: pieces that name it are read again. */
function referring(document: Document, fresh: Fresh): Document {
  if (fresh.size === 0) return document;
  const references: References = new Map([...document.references, ...fresh]);
  const known = (label: string): Reference | undefined => references.get(label);
  const read = (piece: Piece): Piece =>
    piece.kind === 'prose' && [...labelsIn(piece.text)].some((label) => fresh.has(label))
      ? prose(piece.at, piece.text, known).piece
      : piece;
  const stretches = document.stretches.map((stretch) => {
    const pieces = stretch.map(read);
    return pieces.every((piece, index) => piece === stretch[index]) ? stretch : pieces;
  });
  return { ...document, references, stretches };
}
