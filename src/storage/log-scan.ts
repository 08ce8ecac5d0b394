import { isAscii } from 'node:buffer';
import { parseLine, type ParsedLine } from '../runtime/event-line.ts';
import type { LogEvent } from '../runtime/events.ts';
import type { Blobs } from './blobs.ts';
import { BODY_FIELD, internalise, namesBody } from './bodies.ts';
import type { DiskFile } from './disk.ts';

const CHUNK = 512 * 1024;
const NEWLINE = 10;

/** A whole line that is not the event it should be. Nothing after it is hidden, but nothing is sent. */
export interface Damage {
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly offset: number;
  readonly reason: string;
}

export type Scanned =
  | { readonly kind: 'event'; readonly event: LogEvent; readonly offset: number }
  | { readonly kind: 'damage'; readonly damage: Damage };

export interface ScanStart {
  readonly offset: number;
  readonly next_seq: number;
  readonly line: number;
}

export const FROM_START: ScanStart = { offset: 0, next_seq: 0, line: 1 };

/** Where whole lines end; bytes behind that are a torn tail. */
export interface ScanEnd {
  readonly offset: number;
  readonly size: number;
  readonly next_seq: number;
  readonly line: number;
}

/**
 * Reads a log forward, in one pass and bounded memory, and hands out each line in order. Returns where the
 * whole lines end; null when it was called off before that.
 */
export async function scanLog(
  file: DiskFile,
  start: ScanStart,
  blobs: Blobs,
  visit: (scanned: Scanned) => void,
  signal?: AbortSignal,
): Promise<ScanEnd | null> {
  const size = await file.size();
  const order = new SeqOrder(start.next_seq);
  let { offset, line } = start;
  for await (const whole of wholeLines(file, offset, size)) {
    if (signal?.aborted === true) return null;
    // Asked once for many lines, and waited only where there is something to wait for.
    const bodied = whole.includes(BODY_FIELD);
    for (const { text, bytes } of linesOf(whole)) {
      let read = readLine(text);
      if (bodied && read.ok && namesBody(read.event)) read = await internalise(read.event, blobs);
      const wrong = order.next(read);
      visit(
        read.ok && wrong === null
          ? { kind: 'event', event: read.event, offset }
          : { kind: 'damage', damage: { line, offset, reason: wrong ?? reasonOf(read) } },
      );
      line += 1;
      offset += bytes;
    }
  }
  return { offset, size, next_seq: order.expected, line };
}

/** The bytes from an offset on, in pieces that end with a newline; what is behind the last one is left out. */
export async function* wholeLines(file: DiskFile, from: number, size: number): AsyncGenerator<Buffer> {
  /** The start of a line whose end has not been read. */
  let carry: Uint8Array[] = [];
  for (let at = from; at < size;) {
    const read = await file.read(at, Math.min(CHUNK, size - at));
    const fresh = Buffer.from(read.buffer, read.byteOffset, read.length);
    if (fresh.length === 0) return;
    at += fresh.length;
    const end = fresh.lastIndexOf(NEWLINE) + 1;
    // Only the line that was cut in two is put together: the rest is not copied.
    const first = end === 0 || carry.length === 0 ? 0 : fresh.indexOf(NEWLINE) + 1;
    if (first > 0) yield Buffer.concat([...carry, fresh.subarray(0, first)]);
    if (end > first) yield fresh.subarray(first, end);
    if (end > 0) carry = [];
    if (end < fresh.length) carry.push(fresh.subarray(end));
  }
}

/** Whether each line has the seq it should, so that one wrong line does not condemn all after it. */
class SeqOrder {
  /** After a wrong seq: what comes next if that was a jump and not a slip. */
  private afterJump: number | null = null;

  constructor(public expected: number) {}

  /** What is wrong with the seq of a line; null when nothing is, or when there is none to judge. */
  next(read: ParsedLine): string | null {
    const { expected, afterJump } = this;
    this.expected = expected + 1;
    this.afterJump = null;
    if (!read.ok) return null;
    const { seq } = read.event;
    if (seq === expected) return null;
    if (seq === afterJump) {
      this.expected = seq + 1;
      return null;
    }
    this.afterJump = seq + 1;
    return `seq ${seq} where ${expected} was expected`;
  }
}

/** A line as an event, its bodies not yet in place. */
export function readLine(text: string | null): ParsedLine {
  return text === null ? { ok: false, reason: 'not valid UTF-8' } : parseLine(text);
}

function reasonOf(read: ParsedLine): string {
  return read.ok ? '' : read.reason;
}

interface Line {
  /** Null when the bytes are not UTF-8. */
  readonly text: string | null;
  /** With the newline. */
  readonly bytes: number;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a piece of whole lines at once where it is plain ASCII, as most are; else line by line. */
export function* linesOf(bytes: Uint8Array): Generator<Line> {
  if (isAscii(bytes)) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    for (let from = 0; from < text.length;) {
      const to = text.indexOf('\n', from);
      yield { text: text.slice(from, to), bytes: to + 1 - from };
      from = to + 1;
    }
    return;
  }
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(NEWLINE, from);
    yield { text: decode(bytes.subarray(from, to)), bytes: to + 1 - from };
    from = to + 1;
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
