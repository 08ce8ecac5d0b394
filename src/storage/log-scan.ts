import { parseLine } from '../runtime/event-line.ts';
import type { LogEvent } from '../runtime/events.ts';
import type { Blobs } from './blobs.ts';
import { internalise, namesBody } from './bodies.ts';
import type { DiskFile } from './disk.ts';

const CHUNK = 1024 * 1024;
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
 * whole lines end.
 */
export async function scanLog(
  file: DiskFile,
  start: ScanStart,
  blobs: Blobs,
  visit: (scanned: Scanned) => void,
): Promise<ScanEnd> {
  const size = await file.size();
  let { offset, next_seq: expected, line } = start;
  let carry: Uint8Array = new Uint8Array(0);
  for (let at = offset; at < size;) {
    const fresh = await file.read(at, Math.min(CHUNK, size - at));
    if (fresh.length === 0) break;
    at += fresh.length;
    const bytes = carry.length === 0 ? fresh : Buffer.concat([carry, fresh]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    carry = bytes.subarray(end);
    for (const text of linesOf(bytes.subarray(0, end))) {
      const scanned = await judge(text, { line, offset, expected }, blobs);
      visit(scanned);
      expected = scanned.kind === 'event' ? scanned.event.seq + 1 : expected + 1;
      line += 1;
      offset += text.bytes;
    }
  }
  return { offset, size, next_seq: expected, line };
}

interface Line {
  /** Null when the bytes are not UTF-8. */
  readonly text: string | null;
  /** With the newline. */
  readonly bytes: number;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a chunk of whole lines at once; line by line only where it is not plain ASCII or not UTF-8. */
export function* linesOf(bytes: Uint8Array): Generator<Line> {
  if (bytes.length === 0) return;
  const text = decode(bytes);
  if (text?.length === bytes.length) {
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

async function judge(
  { text }: Line,
  at: { readonly line: number; readonly offset: number; readonly expected: number },
  blobs: Blobs,
): Promise<Scanned> {
  const { line, offset, expected } = at;
  const damaged = (reason: string): Scanned => ({ kind: 'damage', damage: { line, offset, reason } });
  if (text === null) return damaged('not valid UTF-8');
  let parsed = parseLine(text);
  if (parsed.ok && namesBody(parsed.event)) parsed = await internalise(parsed.event, blobs);
  if (!parsed.ok) return damaged(parsed.reason);
  const { event } = parsed;
  if (event.seq !== expected) return damaged(`seq ${event.seq} where ${expected} was expected`);
  return { kind: 'event', event, offset };
}
