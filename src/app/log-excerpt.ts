import { isDiskError, type DiskFile } from '../storage/disk.ts';
import { offsetOfEvent, offsetOfSeq } from '../storage/log-seek.ts';
import { sessionPaths } from '../storage/session-paths.ts';
import { nodeStorePorts } from './node-ports.ts';

/** Some lines of a log that is too large to be shown whole. */
export interface LogExcerpt {
  readonly lines: readonly string[];
  /** Which of them was asked for, or the last one when none was; null when it is not there. */
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
    const offset = await offsetOf(file, place, size);
    const middle = offset ?? (await nearTo(file, place, size));
    const start = Math.max(0, middle - AROUND);
    const bytes = Buffer.from(await file.read(start, Math.min(2 * AROUND, size - start)));
    const from = start === 0 ? 0 : Math.min(bytes.indexOf(NEWLINE) + 1, middle - start);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const goesOn = start + bytes.length < size;
    const isCut = goesOn && end <= middle - start;
    const lines = linesOf(bytes.subarray(from, goesOn && !isCut ? end : bytes.length), isCut);
    const at = bytes
      .subarray(from, middle - start)
      .reduce((sum, byte) => sum + (byte === NEWLINE ? 1 : 0), 0);
    const isThere = offset !== null && at < lines.length;
    const last = place === null && lines.length > 0 ? lines.length - 1 : null;
    return { lines, at: isThere ? at : last, from_offset: start + from, size };
  } finally {
    await file.close();
  }
}

/** Null without a place, and for one that is not there. */
async function offsetOf(file: DiskFile, place: LogPlace, size: number): Promise<number | null> {
  if (place === null) return null;
  return 'seq' in place ? offsetOfEvent(file, place.seq) : offsetOfLine(file, place.line, size);
}

/** What is shown instead of an event that is not there: where it would be. */
async function nearTo(file: DiskFile, place: LogPlace, size: number): Promise<number> {
  return place !== null && 'seq' in place ? offsetOfSeq(file, place.seq) : size;
}

/** Lines have no index: those before it are counted. */
async function offsetOfLine(file: DiskFile, line: number, size: number): Promise<number | null> {
  let left = line - 1;
  for (let at = 0; at < size && left > 0; at += AROUND) {
    const bytes = await file.read(at, AROUND);
    for (let index = bytes.indexOf(NEWLINE); index >= 0; index = bytes.indexOf(NEWLINE, index + 1)) {
      left -= 1;
      if (left === 0) return at + index + 1;
    }
  }
  return left <= 0 ? 0 : null;
}

async function opened(path: string): Promise<DiskFile | null> {
  try {
    return await nodeStorePorts(() => undefined).disk.open(path, 'read');
  } catch (error) {
    if (isDiskError(error, 'missing')) return null;
    throw error;
  }
}

/** With `isCut`, the last one goes on behind these bytes. */
function linesOf(bytes: Buffer, isCut: boolean): readonly string[] {
  const all = bytes.toString('utf8').split('\n');
  const lines = all.at(-1) === '' ? all.slice(0, -1) : all;
  return lines.map((line, index) => shownLine(line, isCut && index === lines.length - 1));
}

/** Editors take a carriage return for the end of a line, and then count others than the log has. */
function shownLine(raw: string, isCut: boolean): string {
  const line = raw.replace(/\r$/, '').replaceAll('\r', '␍');
  if (isCut) return `${line.slice(0, LONGEST_LINE)}… the rest of the line is left out`;
  const left = line.length - LONGEST_LINE;
  return left <= 0 ? line : `${line.slice(0, LONGEST_LINE)}… ${left} characters left out`;
}
