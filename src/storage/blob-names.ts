import type { Disk } from './disk.ts';

/** The digits of a name. */
const LENGTH = 64;
const CHUNK = 1024 * 1024;

const IS_DIGIT = new Uint8Array(256);
for (const digit of '0123456789abcdef') IS_DIGIT[digit.charCodeAt(0)] = 1;

/**
 * Pure: every stretch of 64 digits in these bytes, whatever stands around it: a damaged line names a body as well as a
 * whole one does. Looks at one byte of 64 where there is none.
 */
export function visitNames(bytes: Uint8Array, visit: (name: string) => void): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let last = LENGTH - 1; last < bytes.length;) {
    let first = last;
    while (first > last - LENGTH + 1 && IS_DIGIT[bytes[first] ?? 0] === 1) first -= 1;
    if (IS_DIGIT[bytes[first] ?? 0] !== 1) {
      // None of those that hold this byte is one.
      last = first + LENGTH;
      continue;
    }
    visit(text.toString('latin1', first, last + 1));
    for (last += 1; last < bytes.length && IS_DIGIT[bytes[last] ?? 0] === 1; last += 1)
      visit(text.toString('latin1', last - LENGTH + 1, last + 1));
    last += LENGTH;
  }
}

/**
 * Reads a file from an offset to its end as it is now, a piece at a time, for the names in it. Also those that began
 * before the offset. Answers where it stopped; throws what the disk throws.
 */
export async function readNames(
  disk: Disk,
  path: string,
  options: { readonly from: number; readonly signal: AbortSignal; readonly visit: (name: string) => void },
): Promise<number> {
  const file = await disk.open(path, 'read');
  try {
    const size = await file.size();
    for (let at = options.from; at < size; at += CHUNK) {
      options.signal.throwIfAborted();
      const before = Math.max(0, at - (LENGTH - 1));
      visitNames(await file.read(before, Math.min(CHUNK, size - at) + at - before), options.visit);
    }
    return size;
  } finally {
    await file.close();
  }
}
