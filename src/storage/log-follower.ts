import type { LogEvent } from '../runtime/events.ts';
import type { Clock, StreamScratch } from '../runtime/ports.ts';
import type { Blobs } from './blobs.ts';
import type { DiskFile } from './disk.ts';
import { scanLog, type Scanned, type ScanStart } from './log-scan.ts';

export const FOLLOW_EVERY_MS = 400;

export interface FollowPorts {
  readonly clock: Clock;
  readonly blobs: Blobs;
  /** Null while there is no log yet. */
  readonly log: () => Promise<DiskFile | null>;
  /** Text that is streaming in; null while there is none. */
  readonly stream: () => Promise<StreamScratch | null>;
}

export interface Follower {
  events(events: readonly LogEvent[]): void;
  /** All of the text so far. What it came to is in an event that follows. */
  stream(scratch: StreamScratch): void;
}

/** Reads on as another process writes, until aborted. For those who only look. */
export async function followLog(
  start: ScanStart,
  ports: FollowPorts,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  let from = start;
  while (!signal.aborted) {
    await ports.clock.sleep(FOLLOW_EVERY_MS, signal);
    if (signal.aborted) return;
    // Before the log: text that is read here and is in the log by now is settled by what is read next.
    const scratch = await ports.stream();
    if (signal.aborted) return;
    if (scratch !== null) follower.stream(scratch);
    const file = await ports.log();
    if (file === null || (await file.size()) <= from.offset) continue;
    const events: LogEvent[] = [];
    const visit = (scanned: Scanned): void => {
      if (scanned.kind === 'event') events.push(scanned.event);
    };
    const end = await scanLog(file, from, ports.blobs, visit, signal);
    if (end === null || signal.aborted) return;
    from = end;
    if (events.length > 0) follower.events(events);
  }
}
