import type { LogEvent } from '../runtime/events.ts';
import type { Blobs } from './blobs.ts';
import { internalise, namesBody } from './bodies.ts';
import type { DiskFile } from './disk.ts';
import { linesOf, readLine, type Damage } from './log-scan.ts';

const FIRST = 64 * 1024;
const LARGEST = 8 * 1024 * 1024;
const NEWLINE = 10;

/** A window of a log, read backwards from some offset: the last screen, or the one before it. */
export interface LogWindow {
  readonly events: readonly LogEvent[];
  /** Lines that do not parse; their line numbers are unknown until the scan has passed them. */
  readonly damaged: readonly Omit<Damage, 'line'>[];
  /** Where the first line of the window starts; 0 at the start of the log. */
  readonly from_offset: number;
}

/**
 * Reads back from `end` until `enough` events are there, at a cost that does not depend on the log's size.
 * Without blobs, large bodies stay the heads that the lines have of them.
 */
export async function readBack(
  file: DiskFile,
  end: number,
  blobs: Blobs | null,
  enough: (events: readonly LogEvent[]) => boolean,
): Promise<LogWindow> {
  for (let length = FIRST; ; length *= 4) {
    const start = Math.max(0, end - length);
    const bytes = await file.read(start, end - start);
    const from = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const to = bytes.lastIndexOf(NEWLINE) + 1;
    const whole = from === 0 && start > 0 ? new Uint8Array(0) : bytes.subarray(from, Math.max(from, to));
    const window = await parseWindow(whole, start + from, blobs);
    if (start === 0 || length >= LARGEST || enough(window.events)) return window;
  }
}

/** A window that was read forwards. */
export interface LogStretch extends LogWindow {
  /** Nothing follows it. */
  readonly to_end: boolean;
}

/** Reads on from a line's offset until `enough` events are there or the log ends. A line without its end is left. */
export async function readOn(
  file: DiskFile,
  start: number,
  blobs: Blobs | null,
  enough: (events: readonly LogEvent[]) => boolean,
): Promise<LogStretch> {
  const size = await file.size();
  for (let length = FIRST; ; length *= 4) {
    const bytes = await file.read(start, Math.min(length, size - start));
    const window = await parseWindow(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1), start, blobs);
    const to_end = start + length >= size;
    if (to_end || length >= LARGEST || enough(window.events)) return { ...window, to_end };
  }
}

async function parseWindow(bytes: Uint8Array, from_offset: number, blobs: Blobs | null): Promise<LogWindow> {
  const events: LogEvent[] = [];
  const damaged: Omit<Damage, 'line'>[] = [];
  let offset = from_offset;
  for (const { text, bytes: length } of linesOf(bytes)) {
    const read = readLine(text);
    const bodied = blobs !== null && read.ok && namesBody(read.event);
    const parsed = bodied ? await internalise(read.event, blobs) : read;
    if (parsed.ok) events.push(parsed.event);
    else damaged.push({ offset, reason: parsed.reason });
    offset += length;
  }
  return { events, damaged, from_offset };
}
