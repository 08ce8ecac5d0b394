import type { LogEvent } from '../runtime/events.ts';
import type { Clock } from '../runtime/ports.ts';
import type { Blobs } from './blobs.ts';
import type { DiskFile } from './disk.ts';
import { scanLog, type ScanStart } from './log-scan.ts';

const EVERY_MS = 400;

/** Reads on as another process writes, until aborted. For those who only look. */
export async function followLog(
  file: DiskFile,
  start: ScanStart,
  ports: { readonly clock: Clock; readonly blobs: Blobs },
  onEvents: (events: readonly LogEvent[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let from = start;
  while (!signal.aborted) {
    await ports.clock.sleep(EVERY_MS, signal);
    if (signal.aborted || (await file.size()) <= from.offset) continue;
    const events: LogEvent[] = [];
    const end = await scanLog(file, from, ports.blobs, (scanned) => {
      if (scanned.kind === 'event') events.push(scanned.event);
    });
    from = { offset: end.offset, next_seq: end.next_seq, line: end.line };
    if (events.length > 0) onEvents(events);
  }
}
