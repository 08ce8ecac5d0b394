import type { KnownEvent, LogEvent } from '../runtime/events.ts';
import type { DiskFile } from './disk.ts';
import { linesOf, readLine, wholeLines } from './log-scan.ts';

const NEWLINE = 10;
/** Inside of a text its quotes would be escaped, so what has it names the type, or a field, or is a value alone. */
const PROMPT = Buffer.from('"user_message"');
/** Short enough to be looked for, backward, by its last byte, which is rarer than the others. */
const PROMPT_BEGINS = Buffer.from('"user_');

export type Prompt = KnownEvent<'user_message'>;

/** A prompt in bytes that are whole lines. */
export interface PromptAt {
  readonly at: number;
  /** Its bodies not in place. */
  readonly prompt: Prompt;
}

/** The last prompt that begins before an offset. */
export function lastPrompt(bytes: Buffer, before: number): PromptAt | null {
  for (let end = before; end > 0;) {
    const found = end < PROMPT.length ? -1 : bytes.lastIndexOf(PROMPT_BEGINS, end - PROMPT.length);
    if (found === -1) return null;
    if (!bytes.subarray(found, found + PROMPT.length).equals(PROMPT)) {
      end = found + PROMPT.length - 1;
      continue;
    }
    const at = found === 0 ? 0 : bytes.lastIndexOf(NEWLINE, found) + 1;
    const prompt = promptOn(bytes, at);
    if (prompt !== null) return { at, prompt };
    end = at;
  }
  return null;
}

function firstPrompt(bytes: Buffer): number {
  for (let found = bytes.indexOf(PROMPT); found !== -1;) {
    const at = bytes.lastIndexOf(NEWLINE, found) + 1;
    if (promptOn(bytes, at) !== null) return at;
    found = bytes.indexOf(PROMPT, bytes.indexOf(NEWLINE, found));
  }
  return -1;
}

function promptOn(bytes: Buffer, at: number): Prompt | null {
  const event = eventOn(bytes.subarray(at, bytes.indexOf(NEWLINE, at) + 1));
  return event?.type === 'user_message' ? event : null;
}

/** One line as an event, its bodies not in place; null for one that is damaged. */
export function eventOn(line: Buffer): LogEvent | null {
  const [first] = linesOf(line);
  const read = readLine(first?.text ?? null);
  return read.ok ? read.event : null;
}

/** What a log has from one prompt up to the next: a turn, and what was written while it was the present one. */
export interface Stretch {
  /** Null for what is before the first prompt. */
  readonly prompt: Prompt | null;
  /** No prompt follows. */
  readonly last: boolean;
  /** Where its lines may have one of the terms, if it is one piece and that was looked up already. */
  readonly places?: readonly number[];
  /** Whole lines, in order; as often as one likes. Ends early when it is called off. */
  pieces(signal: AbortSignal): AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** One that is in memory whole. */
export function stretchOf(bytes: Buffer, known: Omit<Stretch, 'pieces'>): Stretch {
  return { ...known, pieces: () => [bytes] };
}

/** One that begins in one piece and ends in another that is in memory, too; null where its end is not. */
export function stretchOver([first, ...rest]: readonly Buffer[], prompt: Prompt): Stretch | null {
  if (first === undefined) return null;
  const parts = [first];
  for (const piece of rest) {
    const end = firstPrompt(piece);
    if (end !== 0) parts.push(end === -1 ? piece : piece.subarray(0, end));
    if (end !== -1) return { prompt, last: false, pieces: () => parts };
  }
  return null;
}

export interface StretchPlace {
  readonly from: number;
  readonly prompt: Prompt | null;
  /** Where the lines of the log end, and where those do that can be read from here on. */
  readonly end: { readonly whole: number; readonly readable: number };
}

/** One of which only the beginning is known: where it ends is looked up, and it is read again by whoever asks. */
export async function stretchFrom(
  file: DiskFile,
  place: StretchPlace,
  signal: AbortSignal,
): Promise<Stretch> {
  const { from, prompt, end } = place;
  const to = await nextPrompt(file, place, signal);
  return {
    prompt,
    last: to === end.whole,
    async *pieces(until) {
      for await (const bytes of wholeLines(file, from, to)) {
        if (until.aborted) return;
        yield bytes;
      }
    },
  };
}

async function nextPrompt(
  file: DiskFile,
  { from, prompt, end }: StretchPlace,
  signal: AbortSignal,
): Promise<number> {
  let offset = from;
  let isOwn = prompt !== null;
  for await (const bytes of wholeLines(file, from, end.readable)) {
    if (signal.aborted) break;
    // The first line is the prompt that it begins with.
    const skipped = isOwn ? bytes.indexOf(NEWLINE) + 1 : 0;
    isOwn = false;
    const found = firstPrompt(bytes.subarray(skipped));
    if (found !== -1) return offset + skipped + found;
    offset += bytes.length;
  }
  return end.readable;
}

const NAMED =
  /^\{"v":1,"id":"[^"\\]*","session_id":"[^"\\]*","seq":\d+,"ts":"[^"\\]*","type":"(\w+)","data":\{/;
const NAMED_WITHIN = 400;

/** So much of a line as says what it is, where this program wrote it. */
export function headOf(line: Buffer): string {
  return line.toString('latin1', 0, NAMED_WITHIN);
}

/** The type of a line as this program writes it, without parsing; null where that cannot be told. */
export function typeIn(line: string): string | null {
  return NAMED.exec(line)?.[1] ?? null;
}

/** The lines around some places, in order, each once. */
export function* linesAround(bytes: Buffer, places: readonly number[]): Generator<Buffer> {
  let done = 0;
  for (const place of places) {
    if (place < done) continue;
    const start = place === 0 ? 0 : bytes.lastIndexOf(NEWLINE, place - 1) + 1;
    done = bytes.indexOf(NEWLINE, place) + 1;
    yield bytes.subarray(start, done);
  }
}
