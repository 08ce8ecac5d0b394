import type { LogEvent } from '../runtime/events.ts';
import type { Clock } from '../runtime/ports.ts';
import type { Blobs } from './blobs.ts';
import type { DiskFile } from './disk.ts';
import { scanLog, type ScanStart } from './log-scan.ts';

export const FOLLOW_EVERY_MS = 400;

/** Reads on as another process writes, until aborted. For those who only look. */
export async function followLog(
  /** Null while there is no log yet. */
  open: () => Promise<DiskFile | null>,
  start: ScanStart,
  ports: { readonly clock: Clock; readonly blobs: Blobs },
  onEvents: (events: readonly LogEvent[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let from = start;
  while (!signal.aborted) {
    await ports.clock.sleep(FOLLOW_EVERY_MS, signal);
    if (signal.aborted) return;
    const file = await open();
    if (file === null || (await file.size()) <= from.offset) continue;
    const events: LogEvent[] = [];
    from = await scanLog(file, from, ports.blobs, (scanned) => {
      if (scanned.kind === 'event') events.push(scanned.event);
    });
    if (events.length > 0) onEvents(events);
  }
}
