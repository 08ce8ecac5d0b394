import type { DiskFile } from './disk.ts';

const CHUNK = 512 * 1024;
const NEWLINE = 10;
/** A longer line is no event that anybody wrote. It is left out: memory does not grow with what is in a log. */
export const LONGEST_LINE = 32 * 1024 * 1024;

export type BackPiece =
  /** Whole lines, the first of which begins at the offset. */
  | { readonly kind: 'lines'; readonly offset: number; readonly bytes: Buffer }
  /** What is behind the last newline of the log: always the first that is given. */
  | { readonly kind: 'torn'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly offset: number; readonly length: number };

export interface BackOptions {
  readonly signal: AbortSignal;
  /** Told after each read how many bytes it gave. */
  readonly progress?: (bytes: number) => void;
  readonly chunk?: number;
  readonly longest?: number;
}

/**
 * Reads a log from its end to its beginning, a piece at a time, the next one while the last is looked at. Its memory is
 * used again: while a piece that was read whole is looked at, the one before it is still there, and none that was given earlier.
 */
export async function* piecesBack(
  file: DiskFile,
  size: number,
  options: BackOptions,
): AsyncGenerator<BackPiece> {
  const { signal, progress, chunk = CHUNK, longest = LONGEST_LINE } = options;
  /** The end of a line whose beginning has not been read: parts of it, the last one first. */
  const carry = new Carry(longest);
  const memory = new PieceMemory(Math.min(chunk, size));
  const readBefore = (end: number): Promise<[PromiseSettledResult<Read>]> =>
    Promise.allSettled([readInto(file, Math.max(0, end - chunk), end, memory)]);
  let torn = true;
  let ahead = readBefore(size);
  try {
    for (let end = size; end > 0 && !signal.aborted;) {
      const [read] = await ahead;
      if (read.status === 'rejected') throw read.reason;
      const { bytes, memory: used } = read.value;
      const start = Math.max(0, end - chunk);
      progress?.(end - start);
      ahead = readBefore(start);
      end = start;
      // A file that was cut in the meantime gives less.
      const last = bytes.lastIndexOf(NEWLINE) + 1;
      if (last === 0 && start > 0) {
        carry.add(bytes);
        memory.free(used);
        continue;
      }
      const crossing = carry.with(bytes.subarray(last), start + last);
      if (crossing !== null)
        yield torn && crossing.kind === 'lines' ? { ...crossing, kind: 'torn' } : crossing;
      torn = false;
      const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      if (first > 0) carry.add(bytes.subarray(0, first));
      if (last <= first) memory.free(used);
      else {
        memory.give(used);
        yield { kind: 'lines', offset: start + first, bytes: bytes.subarray(first, last) };
      }
    }
  } finally {
    // Whoever goes away closes the file, which must not happen under a read.
    await ahead;
  }
}

/** The part of a line that is known so far, up to what a line may have. */
class Carry {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly longest: number) {}

  add(bytes: Buffer): void {
    this.length += bytes.length;
    if (this.length > this.longest) this.parts = [];
    else this.parts.unshift(Buffer.from(bytes));
  }

  /** The line, with its beginning; null where there is nothing. Begins anew. */
  with(beginning: Buffer, offset: number): BackPiece | null {
    const { parts } = this;
    const length = this.length + beginning.length;
    this.parts = [];
    this.length = 0;
    if (length === 0) return null;
    if (length > this.longest) return { kind: 'too_long', offset, length };
    return { kind: 'lines', offset, bytes: Buffer.concat([beginning, ...parts]) };
  }
}

/** Large memory begins a few bytes behind the start of a page. Alone, a read to just there took three times as long. */
const PAST = 48;

/** Where pieces are read to. Fresh memory for each costs more than to read it. */
class PieceMemory {
  private readonly spare: Buffer[] = [];
  private given: Buffer | null = null;

  constructor(private readonly length: number) {}

  take(): Buffer {
    return this.spare.pop() ?? Buffer.allocUnsafeSlow(PAST + this.length).subarray(PAST);
  }

  free(memory: Buffer): void {
    this.spare.push(memory);
  }

  /** What was given before can be read to by whoever asks after this one. */
  give(memory: Buffer): void {
    if (this.given !== null) this.free(this.given);
    this.given = memory;
  }
}

interface Read {
  readonly bytes: Buffer;
  /** What the bytes are in. */
  readonly memory: Buffer;
}

async function readInto(file: DiskFile, start: number, end: number, spare: PieceMemory): Promise<Read> {
  if (end === 0) return { bytes: Buffer.alloc(0), memory: Buffer.alloc(0) };
  const memory = spare.take();
  const bytes = await file.read(start, end - start, memory);
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), memory };
}
