import { isAscii } from 'node:buffer';
import { BODY_FIELD } from './bodies.ts';

export interface SearchExcerpt {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

const AROUND = 60;
const NEWLINE = 10;

/** What is looked for. Cases are told apart by nobody; everything else counts as it is. */
export class Needle {
  private readonly lower: string;
  /** As it stands in a line of JSON, and in JSON that is a string of such a line. */
  private readonly raw: readonly string[];
  private readonly encoding: 'latin1' | 'utf8';

  constructor(text: string) {
    this.lower = text.toLowerCase();
    this.raw = [...new Set([escaped(this.lower), escaped(escaped(this.lower))])];
    // In UTF-8 no part of another character looks like ASCII, so then bytes can be compared as they are.
    this.encoding = isAscii(Buffer.from(text)) ? 'latin1' : 'utf8';
  }

  /** The lines that may have it: most of a log is never parsed. */
  *candidates(whole: Buffer): Generator<Buffer> {
    const bodied = whole.includes(BODY_FIELD);
    const text = whole.toString(this.encoding).toLowerCase();
    if (!bodied && !this.raw.some((one) => text.includes(one))) return;
    if (bodied || this.encoding === 'utf8') {
      // Offsets in the text are not those in the bytes, or a line's text is not all there is to it.
      yield* this.linesWith(whole);
      return;
    }
    for (let from = 0; from < text.length;) {
      const at = this.next(text, from);
      if (at === -1) return;
      const start = whole.lastIndexOf(NEWLINE, at) + 1;
      const end = whole.indexOf(NEWLINE, at) + 1;
      yield whole.subarray(start, end);
      from = end;
    }
  }

  excerpt(text: string): SearchExcerpt | null {
    const lower = text.toLowerCase();
    const found = lower.indexOf(this.lower);
    if (found === -1) return null;
    const { start: at } = characterAt(text, lower, found);
    const { end } = characterAt(text, lower, found + this.lower.length - 1);
    const start = Math.max(0, at - AROUND);
    return {
      before: oneLine(`${start > 0 ? '…' : ''}${text.slice(start, at).toWellFormed()}`),
      match: oneLine(text.slice(at, end)),
      after: oneLine(text.slice(end, end + 2 * AROUND).toWellFormed()),
    };
  }

  private next(text: string, from: number): number {
    const found = this.raw.map((one) => text.indexOf(one, from)).filter((at) => at !== -1);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  private *linesWith(whole: Buffer): Generator<Buffer> {
    for (let from = 0; from < whole.length;) {
      const end = whole.indexOf(NEWLINE, from) + 1;
      const line = whole.subarray(from, end);
      const text = line.toString(this.encoding).toLowerCase();
      if (line.includes(BODY_FIELD) || this.raw.some((one) => text.includes(one))) yield line;
      from = end;
    }
  }
}

/** Where the character is whose lower case has an offset: that of some characters is longer than they are. */
function characterAt(text: string, lower: string, offset: number): { start: number; end: number } {
  if (lower.length === text.length) return { start: offset, end: offset + 1 };
  let start = 0;
  let passed = 0;
  for (const character of text) {
    const end = start + character.length;
    passed += character.toLowerCase().length;
    if (passed > offset) return { start, end };
    start = end;
  }
  return { start, end: start };
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}
