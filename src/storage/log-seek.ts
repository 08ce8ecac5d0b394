import { parseLine } from '../runtime/event-line.ts';
import type { DiskFile } from './disk.ts';
import { wholeLines } from './log-scan.ts';

const BLOCK = 8 * 1024;
const NEWLINE = 10;

/**
 * Where the line with a seq begins, found by halving: `seq` grows along the file. Lands on the nearest line
 * at or after it; the end of the file when there is none.
 */
export async function offsetOfSeq(file: DiskFile, seq: number): Promise<number> {
  let low = 0;
  let high = await file.size();
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await firstLineFrom(file, middle, high);
    if (line === null) high = middle;
    else if (line.seq < seq) low = line.end;
    else if (line.start <= low) return line.start;
    else high = middle;
  }
  return low;
}

/**
 * Where the line of an event begins; null when no line holds it. Where something is damaged or out of order,
 * halving can miss it: then all lines are looked at.
 */
export async function offsetOfEvent(file: DiskFile, seq: number): Promise<number | null> {
  const size = await file.size();
  const near = await firstLineFrom(file, await offsetOfSeq(file, seq), size);
  if (near?.seq === seq) return near.start;
  let before = 0;
  for await (const whole of wholeLines(file, 0, size)) {
    const found = lineWith(whole, seq);
    if (found !== null) return before + found;
    before += whole.length;
  }
  return null;
}

function lineWith(whole: Buffer, seq: number): number | null {
  const field = `"seq":${seq}`;
  for (let at = whole.indexOf(field); at >= 0; at = whole.indexOf(field, at + 1)) {
    const start = whole.lastIndexOf(NEWLINE, at) + 1;
    if (seqIn(whole.toString('utf8', start, whole.indexOf(NEWLINE, at))) === seq) return start;
  }
  return null;
}

/** Also of a line that is no event for another reason. */
function seqIn(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'seq' in value ? value.seq : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The first whole, readable line that starts at or after an offset and before a limit. */
async function firstLineFrom(
  file: DiskFile,
  from: number,
  limit: number,
): Promise<{ readonly seq: number; readonly start: number; readonly end: number } | null> {
  let at = from === 0 ? 0 : await afterNewline(file, from - 1, limit);
  while (at !== null && at < limit) {
    const end = await afterNewline(file, at, await file.size());
    if (end === null) return null;
    const parsed = parseLine(Buffer.from(await file.read(at, end - 1 - at)).toString('utf8'));
    if (parsed.ok) return { seq: parsed.event.seq, start: at, end };
    at = end;
  }
  return null;
}

async function afterNewline(file: DiskFile, from: number, limit: number): Promise<number | null> {
  for (let at = from; at < limit; at += BLOCK) {
    const index = (await file.read(at, BLOCK)).indexOf(NEWLINE);
    if (index >= 0) return at + index + 1;
  }
  return null;
}
