/**
 * Where a text can be taken apart so that each piece means by itself what it means in the whole. Decided line by
 * line from what came before, never from what comes after: so it makes no difference in what portions a text arrives.
 */

/** What is known of the piece that is being read. */
export interface Region {
  /** Characters so far, with the ends of lines. */
  readonly length: number;
  readonly lastBlank: boolean;
  readonly hasList: boolean;
  /** From which column on a line belongs to the present item of a list; null when that is not certain. */
  readonly itemIndent: number | null;
  /** An element was begun, which lasts until an empty line if it stands where one can. */
  readonly maybeHtml: boolean;
  /** Whether a fence is open cannot be told from here: only length takes the piece apart. */
  readonly isUnclear: boolean;
  /** Nothing but lines of running text. */
  readonly isPlain: boolean;
  /** What ends the HTML that is open: until then empty lines end nothing. */
  readonly htmlEnd: string | null;
}

export const NEW_REGION: Region = {
  length: 0,
  lastBlank: false,
  hasList: false,
  itemIndent: null,
  maybeHtml: false,
  isUnclear: false,
  isPlain: true,
  htmlEnd: null,
};

export interface Fence {
  readonly char: string;
  readonly count: number;
  readonly indent: number;
  readonly info: string;
}

/** From here on, a list is taken apart between its items and running text between its lines. */
const LONG = 3_000;
/** From here on, anything is taken apart. */
const TOO_LONG = 16_384;
export const MAX_LINE = 4_096;

const LIST_MARK = /^[ \t]*(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)/;
const STRUCTURE = /^[ \t]*(?:[*+>|#-]|\d{1,9}[.)]|<|\[)|^(?: {4}|\t)|^ {0,3}[=_~`]|\|/;

export type Verdict =
  | { readonly kind: 'joins'; readonly region: Region }
  /** The line begins a piece of its own. */
  | { readonly kind: 'begins' }
  | { readonly kind: 'fence'; readonly fence: Fence };

/** Pure: what a whole line is to the piece before it. */
export function judge(region: Region, line: string): Verdict {
  if (region.length >= TOO_LONG && !isBlank(line)) return beginning(line);
  if (region.htmlEnd !== null || region.isUnclear) return { kind: 'joins', region: grown(region, line) };
  const fence = fenceStart(line);
  if (fence === null) {
    const begins = region.length > 0 && beginsPiece(region, line);
    return begins ? { kind: 'begins' } : { kind: 'joins', region: grown(region, line) };
  }
  const { hasList, itemIndent, maybeHtml } = region;
  const isTop = fence.indent === 0 || !hasList || (itemIndent !== null && fence.indent < itemIndent);
  if (isTop && !maybeHtml) return { kind: 'fence', fence };
  return { kind: 'joins', region: { ...grown(region, line), isUnclear: maybeHtml || itemIndent === null } };
}

function beginning(line: string): Verdict {
  const fence = fenceStart(line);
  return fence === null ? { kind: 'begins' } : { kind: 'fence', fence };
}

function beginsPiece(region: Region, line: string): boolean {
  if (isBlank(line)) return false;
  const isItem = LIST_MARK.test(line);
  if (
    region.length + line.length >= LONG &&
    (region.isPlain || (region.hasList && isItem && /^\S/.test(line)))
  ) {
    return !isUnderline(line);
  }
  return region.lastBlank && /^\S/.test(line) && !(isItem && region.hasList);
}

/** Would make a heading of the lines before it. */
function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);
}

/** The first letter of a line that surely begins a piece, whatever else the line will have. */
export function surelyBegins(region: Region, start: string): boolean {
  const { length, htmlEnd, isUnclear, lastBlank } = region;
  return length > 0 && htmlEnd === null && !isUnclear && lastBlank && /^[^\s\d*+\-`~]/.test(start);
}

const ROW = /\|/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const LONGEST_HEAD = 2_000;

/** The head of a table that goes on with this line though its piece is full; empty when there is none. */
export function tableHead(region: Region, text: string, line: string): string {
  if (region.length < TOO_LONG || !ROW.test(line)) return '';
  const [head = '', delimiters = ''] = text
    .slice(text.lastIndexOf('\n\n') + 1)
    .trimStart()
    .split('\n', 2);
  const isTable = ROW.test(head) && ROW.test(delimiters) && DELIMITERS.test(delimiters);
  return isTable && head.length + delimiters.length < LONGEST_HEAD ? `${head}\n${delimiters}\n` : '';
}

/** A piece that begins with this text, which has whole lines. */
export function regionOf(text: string): Region {
  return text.split('\n').slice(0, -1).reduce(grown, NEW_REGION);
}

function grown(region: Region, line: string): Region {
  const blank = isBlank(line);
  return {
    length: region.length + line.length + 1,
    lastBlank: blank,
    hasList: region.hasList || LIST_MARK.test(line),
    itemIndent: blank ? region.itemIndent : itemIndentAfter(region, line),
    maybeHtml: !blank && (region.maybeHtml || /^ {0,3}<\/?[a-z]/i.test(line)),
    isUnclear: region.isUnclear,
    isPlain: region.isPlain && !blank && !STRUCTURE.test(line),
    htmlEnd: htmlEndAfter(region.htmlEnd, line),
  };
}

const ITEM = /^( {0,3}(?:[*+-]|\d{1,9}[.)]))(?:( {1,4})(?=[^ \t])|( {5,})(?=[^ \t]))/;

function itemIndentAfter(region: Region, line: string): number | null {
  const { hasList, itemIndent, length, lastBlank } = region;
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  if (itemIndent !== null && indent >= itemIndent) return itemIndent;
  // Right after running text or an element, a mark may be part of that.
  const isCertain = itemIndent !== null || (!hasList && (length === 0 || lastBlank));
  const item = isCertain ? ITEM.exec(line) : null;
  return item === null ? null : (item[1] ?? '').length + (item[2] ?? ' ').length;
}

export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}

const HTML_STARTS: readonly (readonly [RegExp, string])[] = [
  [/^ {0,3}<script(?=[\s>]|$)/i, '</script>'],
  [/^ {0,3}<pre(?=[\s>]|$)/i, '</pre>'],
  [/^ {0,3}<style(?=[\s>]|$)/i, '</style>'],
  [/^ {0,3}<textarea(?=[\s>]|$)/i, '</textarea>'],
  [/^ {0,3}<!--/, '-->'],
  [/^ {0,3}<\?/, '?>'],
  [/^ {0,3}<!\[CDATA\[/, ']]>'],
  [/^ {0,3}<![a-z]/i, '>'],
];

function htmlEndAfter(open: string | null, line: string): string | null {
  const small = line.toLowerCase();
  if (open !== null) return small.includes(open.toLowerCase()) ? null : open;
  for (const [start, end] of HTML_STARTS) {
    const match = start.exec(line);
    if (match === null) continue;
    // `<!-->` is a whole comment.
    const from = end === '-->' ? match[0].length - 2 : match[0].length;
    return small.includes(end.toLowerCase(), from) ? null : end;
  }
  return null;
}

const FENCE_START = /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$/;

function fenceStart(line: string): Fence | null {
  const match = FENCE_START.exec(line);
  if (match === null) return null;
  const mark = match[2] ?? match[4] ?? '';
  return {
    char: mark.charAt(0),
    count: mark.length,
    indent: match[1]?.length ?? 0,
    info: (match[3] ?? match[5] ?? '').trim(),
  };
}

export function isFenceEnd({ char, count }: Fence, line: string): boolean {
  const mark = line.replace(/^ {0,3}/, '').replace(/ +$/, '');
  return mark.length >= count && mark === char.repeat(mark.length);
}

/** A line of fenced code, without the indentation that its fence has. */
export function unindented({ indent }: Fence, line: string): string {
  const spaces = /^\s*/.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(spaces, indent));
}

/**
 * What of an unfinished piece is shown: not the first characters of a last line that may still become anything, as
 * `-` under a line of text would make a heading of it for a moment.
 */
export function settled(text: string): string {
  const lineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineStart);
  if (/^[ \t]*(?:[-=*+_#>]+|\d{1,9}[.)]?|<)[ \t]*$/.test(line) || mayBeFence(line))
    return text.slice(0, lineStart);
  // The first row of a table looks like text until the second is there.
  const rows = /(?:^|\n\n)\|[^\n]*(?:\n[-:| \t]*)?$/.exec(text);
  return rows === null ? text : text.slice(0, rows.index);
}

/** Begins with the marks of a fence, and has none of them in what follows. */
function mayBeFence(line: string): boolean {
  const [marks = ''] = /^[ \t]*[`~]*/.exec(line) ?? [];
  return marks.trim() !== '' && !line.includes('`', marks.length);
}
