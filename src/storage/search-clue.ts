import { isAscii } from 'node:buffer';
import { BODY_FIELD } from './bodies.ts';

const NEWLINE = 10;
/** With this bit, capitals of ASCII are what their small letters are. */
const CASE_BIT = 0x20;
const CASE_BITS = 0x2020202020202020n;
const WORD = 8;
const ESCAPED = '\\u';
const ZERO = 0x30;
const ONE = 0x31;
/** Scratch that is kept from one piece to the next. */
const KEPT = 1024 * 1024 + WORD;

/** Two characters whose small letters have ASCII in them. */
const INTO_ASCII: Readonly<Record<string, Buffer>> = { k: Buffer.from('\u212a'), i: Buffer.from('\u0130') };

/**
 * Says where in a log something may be, from its bytes alone, so that most of a log is never parsed. It may be wrong
 * about what it points at, never about what it leaves out.
 */
export interface Clue {
  /** At most one place a line, in order. The bytes are whole lines. */
  places(bytes: Buffer): readonly number[];
}

/** Bytes as they stand in a line, such as the name of a type in its quotes. */
export function markerClue(markers: readonly string[]): Clue {
  const sought = markers.map((one) => new RareFirst(Buffer.from(one)));
  return { places: (bytes) => inOrder(sought.map((one) => one.linesIn(bytes, bytes))) };
}

/** So much is looked for by its first byte alone, which is fast where that is rare. */
const SHORT = 7;
/** A shorter part is in too many other words. */
const SHORTEST = 4;
/** One character that is no ASCII is seldom, where it is in no script of its own. */
const SHORTEST_FOREIGN = 2;
/** What logs have most of, the most first; with the bit of the case, which makes another sign of the underscore. */
const COMMON = ' etaoinsr"lducmph\u007f_:,gfbywv.-0123456789k';

function isForeign(byte = 0): boolean {
  return byte > 0x7f;
}

/** Bytes that are looked for by a part of them that begins with a rare one. */
class RareFirst {
  private readonly part: Buffer;
  private readonly before: number;

  constructor(private readonly whole: Buffer) {
    const starts = [...whole.keys()].filter(
      (at) => at === 0 || at <= whole.length - (isForeign(whole[at]) ? SHORTEST_FOREIGN : SHORTEST),
    );
    const rarity = (at: number): number => {
      const common = COMMON.indexOf(String.fromCodePoint(whole[at] ?? 0).toLowerCase());
      return common === -1 ? COMMON.length : common;
    };
    this.before = starts.reduce((best, at) => (rarity(at) > rarity(best) ? at : best), 0);
    this.part = whole.subarray(this.before, this.before + SHORT);
  }

  /** One place of each line that has the bytes. */
  linesIn(where: Buffer, lines: Buffer): readonly number[] {
    const { whole, part, before } = this;
    const places = linesWith(where, part, lines);
    if (part.length === whole.length) return places;
    return places.flatMap((at) => {
      const end = lines.indexOf(NEWLINE, at);
      const from = Math.max(0, at - before);
      const found = where.subarray(from, end === -1 ? where.length : end).indexOf(whole);
      return found === -1 ? [] : [from + found];
    });
  }
}

const BODIES = new RareFirst(Buffer.from(BODY_FIELD));

/** Any of these texts, whatever their case, as they are or as they stand in JSON, or in JSON in a string of JSON. */
export class TextClue implements Clue {
  private readonly anchors: readonly RareFirst[];
  /** One of the texts has nothing that is the same bytes however it is written. */
  private readonly everywhere: boolean;
  private readonly special: readonly Buffer[];
  private readonly slash: boolean;
  private scratch = Buffer.alloc(0);

  constructor(texts: readonly string[]) {
    const lower = texts.map((text) => text.toLowerCase());
    const anchors = lower.map(anchorOf);
    this.anchors = anchors.filter((one) => one.length > 0).map((one) => new RareFirst(one));
    this.everywhere = this.anchors.length < texts.length;
    this.special = Object.entries(INTO_ASCII).flatMap(([letter, bytes]) =>
      lower.some((text) => text.includes(letter)) ? [bytes] : [],
    );
    this.slash = lower.some((text) => text.includes('/'));
  }

  places(bytes: Buffer): readonly number[] {
    if (this.everywhere) return linesWith(bytes, Buffer.from('\n'), bytes);
    const folded = this.folded(bytes);
    const found = this.anchors.map((anchor) => anchor.linesIn(folded, bytes));
    found.push(BODIES.linesIn(bytes, bytes), escapes(bytes));
    if (this.slash) found.push(linesWith(bytes, Buffer.from(String.raw`\/`), bytes));
    if (this.special.length > 0 && !isAscii(bytes))
      found.push(...this.special.map((one) => linesWith(bytes, one, bytes)));
    return inOrder(found);
  }

  /** Eight bytes at a time, from where the memory begins that they are in: that costs half of a copy. */
  private folded(bytes: Buffer): Buffer {
    const before = bytes.byteOffset % WORD;
    const end = before + bytes.length;
    const scratch = end <= this.scratch.length ? this.scratch : Buffer.from(new ArrayBuffer(end + WORD));
    if (scratch.length <= KEPT) this.scratch = scratch;
    const count = Math.floor(end / WORD);
    const from = new BigUint64Array(bytes.buffer, bytes.byteOffset - before, count);
    const to = new BigUint64Array(scratch.buffer, scratch.byteOffset, count);
    for (let at = 0; at < count; at += 1) to[at] = (from[at] ?? 0n) | CASE_BITS;
    for (let at = Math.max(count * WORD, before); at < end; at += 1)
      scratch[at] = (bytes[at - before] ?? 0) | CASE_BIT;
    return scratch.subarray(before, end);
  }
}

/** One place of each line that has the bytes. */
function linesWith(where: Buffer, sought: Buffer, lines: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = where.indexOf(sought); at !== -1;) {
    places.push(at);
    const end = lines.indexOf(NEWLINE, at);
    if (end === -1) break;
    at = where.indexOf(sought, end + 1);
  }
  return places;
}

/** Lines with a character that is escaped though it need not be: other programs, and models, write such. */
function escapes(bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(ESCAPED); at !== -1;) {
    const [a, b, c] = [bytes[at + 2], bytes[at + 3], bytes[at + 4]];
    const isControl = a === ZERO && b === ZERO && (c === ZERO || c === ONE);
    const end = isControl ? at + ESCAPED.length - 1 : bytes.indexOf(NEWLINE, at);
    if (!isControl) places.push(at);
    if (end === -1) break;
    at = bytes.indexOf(ESCAPED, end + 1);
  }
  return places;
}

function inOrder(found: readonly (readonly number[])[]): readonly number[] {
  const some = found.filter((one) => one.length > 0);
  return some.length <= 1 ? (some[0] ?? []) : some.flat().sort((a, b) => a - b);
}

/** The longest part of a text in small letters whose bytes are the same in every case and at every depth of JSON. */
function anchorOf(lower: string): Buffer {
  const runs = [''];
  for (const character of lower) {
    if (isEven(character)) runs.push(`${runs.pop() ?? ''}${character}`);
    else runs.push('');
  }
  const [longest = Buffer.alloc(0)] = runs.map((run) => Buffer.from(run)).sort((a, b) => b.length - a.length);
  return Buffer.from(longest.map((byte) => byte | CASE_BIT));
}

/** What is escaped in lines, and small letters that have a capital of other bytes than that which they are given. */
const UNEVEN: ReadonlySet<string> = new Set(['\u007f', '\u2028', '\u2029', 'ς', 'å', 'θ', '\u0307']);

/** Whether its capitals are the same bytes but for the bit. */
export function isEven(character: string): boolean {
  if (character === '"' || character === '\\' || character < ' ') return false;
  if (character <= '~') return true;
  return !UNEVEN.has(character) && sameButCase(character, character.toUpperCase());
}

function sameButCase(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && a.every((byte, at) => (byte | CASE_BIT) === ((b[at] ?? 0) | CASE_BIT));
}
