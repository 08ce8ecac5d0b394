import { isDiskError, type DiskFile } from '../storage/disk.ts';
import { offsetOfSeq } from '../storage/log-seek.ts';
import { sessionPaths } from '../storage/session-paths.ts';
import { nodeStorePorts } from './node-ports.ts';

/** Some lines of a log that is too large to be shown whole. */
export interface LogExcerpt {
  readonly lines: readonly string[];
  /** Which of them was asked for; null when it is not there. */
  readonly at: number | null;
  readonly from_offset: number;
  readonly size: number;
}

const AROUND = 256 * 1024;
const LONGEST_LINE = 20_000;
const NEWLINE = 10;

export type LogPlace = { readonly seq: number } | { readonly line: number } | null;

/** The lines around a place, read without the rest; without a place, the last ones. */
export async function logExcerpt(
  storage: string,
  sessionId: string,
  place: LogPlace,
): Promise<LogExcerpt | null> {
  const file = await opened(sessionPaths(storage, sessionId).log);
  if (file === null) return null;
  try {
    const size = await file.size();
    const middle = await offsetOf(file, place, size);
    const start = Math.max(0, middle - AROUND);
    const bytes = Buffer.from(await file.read(start, Math.min(2 * AROUND, size - start)));
    const from = start === 0 ? 0 : Math.min(bytes.indexOf(NEWLINE) + 1, middle - start);
    const end = bytes.lastIndexOf(NEWLINE);
    const to = start + bytes.length >= size || end < middle - start ? bytes.length : end;
    const before = bytes.subarray(from, middle - start);
    const lines = linesOf(bytes.subarray(from, to));
    const at = before.reduce((count, byte) => count + (byte === NEWLINE ? 1 : 0), 0);
    return { lines, at: place !== null && at < lines.length ? at : null, from_offset: start + from, size };
  } finally {
    await file.close();
  }
}

async function offsetOf(file: DiskFile, place: LogPlace, size: number): Promise<number> {
  if (place === null) return size;
  return 'seq' in place ? offsetOfSeq(file, place.seq) : offsetOfLine(file, place.line, size);
}

/** Lines have no index: those before it are counted. */
async function offsetOfLine(file: DiskFile, line: number, size: number): Promise<number> {
  let left = line - 1;
  for (let at = 0; at < size && left > 0; at += AROUND) {
    const bytes = await file.read(at, AROUND);
    for (let index = bytes.indexOf(NEWLINE); index >= 0; index = bytes.indexOf(NEWLINE, index + 1)) {
      left -= 1;
      if (left === 0) return at + index + 1;
    }
  }
  return left <= 0 ? 0 : size;
}

async function opened(path: string): Promise<DiskFile | null> {
  try {
    return await nodeStorePorts(() => undefined).disk.open(path, 'read');
  } catch (error) {
    if (isDiskError(error, 'missing')) return null;
    throw error;
  }
}

function linesOf(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('utf8').split('\n').map(shortened);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function shortened(line: string): string {
  const left = line.length - LONGEST_LINE;
  return left <= 0 ? line : `${line.slice(0, LONGEST_LINE)}… ${left} characters left out`;
}
