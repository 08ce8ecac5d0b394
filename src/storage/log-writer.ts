import { SCHEMA_VERSION, type Draft, type KnownEvent } from '../runtime/events.ts';
import {
  AppendFailed,
  type AppendFailureKind,
  type Clock,
  type Ids,
  type LogWriter,
  type StreamScratch,
} from '../runtime/ports.ts';
import type { Blobs } from './blobs.ts';
import { lineOf } from './bodies.ts';
import { folderOf, isDiskError, type Disk, type DiskFile } from './disk.ts';
import type { Lease } from './lease.ts';
import type { StreamFile } from './stream-file.ts';

interface Waiting {
  readonly drafts: readonly Draft[];
  readonly resolve: (events: readonly KnownEvent[]) => void;
  readonly reject: (error: AppendFailed) => void;
}

export interface LogEnd {
  readonly next_seq: number;
  readonly size: number;
}

export interface LogFileWriterOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly blobs: Blobs;
  readonly lease: Pick<Lease, 'isOurs'>;
  readonly stream: StreamFile;
  readonly path: string;
  readonly session_id: string;
  readonly end: LogEnd;
}

/**
 * The one writer of a log file. Appends that arrive while the disk is busy go out together with the next
 * write and share its sync; none is acknowledged before it is durable. The first failure is the last thing
 * this writer says: what may be half on disk is judged by whoever opens the log next.
 */
export class LogFileWriter implements LogWriter {
  private file: DiskFile | null = null;
  private waiting: Waiting[] = [];
  private flushing: Promise<void> | null = null;
  private failure: AppendFailed | null = null;
  private identity: string | null = null;
  private nextSeq: number;
  private size: number;

  constructor(private readonly options: LogFileWriterOptions) {
    this.nextSeq = options.end.next_seq;
    this.size = options.end.size;
  }

  append(drafts: readonly Draft[]): Promise<readonly KnownEvent[]> {
    if (this.failure !== null) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.waiting.push({ drafts, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  saveStream(scratch: StreamScratch): void {
    this.options.stream.save(scratch);
  }

  clearStream(): Promise<void> {
    return this.options.stream.clear();
  }

  /** After the last append has been answered. What streamed in and was not recorded stays beside the log. */
  async close(): Promise<void> {
    await this.flushing;
    this.failure ??= new AppendFailed('closed', 'The session is closed.');
    await this.options.stream.close();
    await this.file?.close();
    this.file = null;
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        const written = await this.write(batch);
        batch.forEach((entry, index) => entry.resolve(written[index] ?? []));
      } catch (error) {
        this.failure = asFailure(error);
        for (const entry of [...batch, ...this.waiting]) entry.reject(this.failure);
        this.waiting = [];
      }
    }
    this.flushing = null;
  }

  private async write(batch: readonly Waiting[]): Promise<readonly (readonly KnownEvent[])[]> {
    const { lease } = this.options;
    const events = batch.map(({ drafts }) => drafts.map((entry) => this.seal(entry)));
    const bytes = await this.encode(events.flat());
    await this.mustBeOurs(lease);
    const file = await this.opened();
    await this.mustBeUnchanged();
    await file.append(bytes);
    await syncOrFail(file);
    this.size += bytes.length;
    // Taken over while we wrote: the new owner has not seen it, so it is not acknowledged.
    await this.mustBeOurs(lease);
    return events;
  }

  private seal(entry: Draft): KnownEvent {
    const { clock, ids, session_id } = this.options;
    const seq = this.nextSeq;
    this.nextSeq += 1;
    const ts = new Date(clock.now()).toISOString();
    return { v: SCHEMA_VERSION, id: ids.next('event'), session_id, seq, ts, ...entry };
  }

  private async encode(events: readonly KnownEvent[]): Promise<Uint8Array> {
    let text = '';
    for (const event of events) text += await lineOf(event, this.options.blobs);
    return Buffer.from(text, 'utf8');
  }

  private async mustBeOurs(lease: Pick<Lease, 'isOurs'>): Promise<void> {
    if (await lease.isOurs()) return;
    throw leaseLost();
  }

  /** The file that the name stands for is the one that is open, and nobody else wrote to it. */
  private async mustBeUnchanged(): Promise<void> {
    const stat = await this.options.disk.stat(this.options.path);
    if (stat?.size === this.size && (this.identity === null || this.identity === stat.identity)) {
      this.identity = stat.identity;
      return;
    }
    throw new AppendFailed('log_conflict', 'The log changed on disk behind this session. Open it again.');
  }

  private async opened(): Promise<DiskFile> {
    if (this.file !== null) return this.file;
    const { disk, path } = this.options;
    // Opening makes a file, and a log that is gone must not be begun anew.
    if (this.size > 0) await this.mustBeUnchanged();
    this.file = await disk.open(path, 'append');
    // Also when it was there before: who made it may have died before its name was durable.
    await disk.syncFolder(folderOf(path));
    return this.file;
  }
}

export function leaseLost(): AppendFailed {
  return new AppendFailed('lease_lost', 'Another window has taken this session over.');
}

async function syncOrFail(file: DiskFile): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    throw new AppendFailed('sync_failed', `The log could not be made durable: ${describe(error)}`, {
      cause: error,
    });
  }
}

function asFailure(error: unknown): AppendFailed {
  if (error instanceof AppendFailed) return error;
  const kind: AppendFailureKind = isDiskError(error, 'full') ? 'disk_full' : 'write_failed';
  const what = kind === 'disk_full' ? 'The disk is full' : 'The log could not be written';
  return new AppendFailed(kind, `${what}: ${describe(error)}`, { cause: error });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
