import { parseLine } from '../runtime/event-line.ts';
import type { DiskFile } from './disk.ts';

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
