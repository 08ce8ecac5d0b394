import type { Clock, StreamScratch } from '../runtime/ports.ts';
import { readWhole, replaceFile, type Disk } from './disk.ts';

export const STREAM_EVERY_MS = 250;

export interface StreamWatch {
  /** Whether this process may still write: after a take-over the scratch is another's. */
  isOurs(): Promise<boolean>;
  onLost(): void;
  /** Told once when the scratch cannot be kept: the answer itself is not in danger. */
  onError(error: unknown): void;
}

/**
 * Text that is streaming in, kept beside the log so that a crash does not lose what people saw. Rewritten at
 * most every 250 ms; not part of the log and not synced, because a killed process loses no written bytes.
 */
export class StreamFile {
  private latest: StreamScratch | null = null;
  private saving: Promise<void> | null = null;
  private rest = new AbortController();
  /** A former writer may have left one. */
  private present = true;
  private complained = false;

  private lost = false;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly path: string,
    private readonly watch: StreamWatch,
  ) {}

  save(scratch: StreamScratch): void {
    if (this.lost) return;
    this.latest = scratch;
    this.saving ??= this.keepSaving(this.rest.signal);
  }

  /** What streamed in is in the log now. */
  async clear(): Promise<void> {
    this.latest = null;
    await this.close();
    if (!this.present) return;
    try {
      if (await this.mayWrite()) await this.disk.remove(this.path);
      this.present = false;
    } catch (error) {
      this.complain(error);
    }
  }

  /** Writes what is left to write, and rests. */
  async close(): Promise<void> {
    if (this.saving === null) return;
    this.rest.abort();
    await this.saving;
    this.rest = new AbortController();
  }

  private async keepSaving(rest: AbortSignal): Promise<void> {
    while (this.latest !== null) {
      await this.write(this.latest);
      await this.clock.sleep(STREAM_EVERY_MS, rest);
    }
    this.saving = null;
  }

  private async write(scratch: StreamScratch): Promise<void> {
    this.latest = null;
    this.present = true;
    const bytes = new TextEncoder().encode(JSON.stringify(scratch));
    const temporary = `${this.path}.tmp`;
    try {
      if (!(await this.mayWrite())) return;
      await replaceFile(this.disk, this.path, bytes, { temporary, durable: false });
    } catch (error) {
      this.complain(error);
    }
  }

  private async mayWrite(): Promise<boolean> {
    if (this.lost) return false;
    if (await this.watch.isOurs()) return true;
    this.lost = true;
    this.watch.onLost();
    return false;
  }

  private complain(error: unknown): void {
    if (!this.complained) this.watch.onError(error);
    this.complained = true;
  }
}

/** What a crashed writer left; null when there is nothing readable. */
export async function readStream(disk: Disk, path: string): Promise<StreamScratch | null> {
  const bytes = await readWhole(disk, path);
  if (bytes === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isScratch(value) ? value : null;
}

function isScratch(value: unknown): value is StreamScratch {
  if (typeof value !== 'object' || value === null) return false;
  if (!('turn_id' in value && 'stream_run_id' in value && 'text' in value)) return false;
  return (
    typeof value.turn_id === 'string' &&
    typeof value.stream_run_id === 'string' &&
    typeof value.text === 'string'
  );
}
