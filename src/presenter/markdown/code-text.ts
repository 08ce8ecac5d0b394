/**
 * The text of a block of code, in pieces that never change once they are full: what is added later costs what it
 * is long itself, and each piece is coloured once. Where a piece ends depends on the text alone.
 */
export interface CodeText {
  readonly full: readonly string[];
  /** Not full yet. */
  readonly open: string;
  readonly openLines: number;
  readonly lines: number;
}

export const NO_CODE: CodeText = { full: [], open: '', openLines: 0, lines: 0 };

const GOOD_LINES = 24;
const MAX_LINES = 48;
const MAX_CHARS = 2_048;

export function codeText(text: string): CodeText {
  return text === '' ? NO_CODE : text.split('\n').reduce(withLine, NO_CODE);
}

export function wholeCode(code: CodeText): string {
  return code.full.join('') + code.open;
}

export function withLine(code: CodeText, line: string): CodeText {
  let next = startLine(code, line);
  for (let at = 0; at < line.length; at += MAX_CHARS) {
    next = added(next, line.slice(at, at + MAX_CHARS));
  }
  return next;
}

function startLine(code: CodeText, line: string): CodeText {
  if (code.lines === 0) return { ...code, lines: 1, openLines: 1 };
  const ended = { ...code, open: `${code.open}\n`, lines: code.lines + 1 };
  return isFull(code, line)
    ? { ...ended, full: [...code.full, ended.open], open: '', openLines: 1 }
    : { ...ended, openLines: code.openLines + 1 };
}

function added(code: CodeText, part: string): CodeText {
  return code.open.length + part.length > MAX_CHARS && code.open !== ''
    ? { ...code, full: [...code.full, code.open], open: part, openLines: 1 }
    : { ...code, open: code.open + part };
}

/** An empty line before one that is not indented is where a new thing begins: there, colours rarely depend on before. */
function isFull({ open, openLines }: CodeText, next: string): boolean {
  if (openLines >= MAX_LINES || open.length >= MAX_CHARS) return true;
  return openLines >= GOOD_LINES && open.endsWith('\n') && /^[^\s)\]}]/.test(next);
}
