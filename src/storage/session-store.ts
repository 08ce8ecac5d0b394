import { draft, type LogEvent } from '../runtime/events.ts';
import type { Clock, Ids, StreamScratch } from '../runtime/ports.ts';
import { Blobs, type BytesHasher } from './blobs.ts';
import { isDiskError, type Disk, type DiskFile } from './disk.ts';
import { Lease, type LeaseRecord, type Processes } from './lease.ts';
import { FROM_START, scanLog, type Damage, type ScanEnd } from './log-scan.ts';
import { followLog } from './log-follower.ts';
import { offsetOfSeq } from './log-seek.ts';
import { readBack, type LogWindow } from './log-tail.ts';
import { LogFileWriter } from './log-writer.ts';
import { markCheck, readMark, ResumeFinder, writeMark, type Mark, type Resume } from './mark.ts';
import { sessionPaths, sessionsFolder, type SessionPaths } from './session-paths.ts';
import { readStream, StreamFile } from './stream-file.ts';
import { setTornTailAside } from './torn-tail.ts';

export interface StorePorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: BytesHasher;
  readonly processes: Processes;
  /** For what is worth knowing but harms nothing, such as a cache that could not be written. */
  readonly warn: (message: string) => void;
}

export interface LoadVisitor {
  /** First, when a mark lets the load begin later in the log. */
  resume(from: Resume): void;
  event(event: LogEvent): void;
}

export interface Loaded {
  readonly damage: readonly Damage[];
  readonly torn: { readonly path: string; readonly bytes: number } | null;
  readonly scratch: StreamScratch | null;
  /** Null for those who only look, and for a damaged log. */
  readonly writer: LogFileWriter | null;
  readonly end: ScanEnd;
}

/** The sessions of one storage folder. */
export class SessionStore {
  readonly blobs: Blobs;

  constructor(
    readonly ports: StorePorts,
    readonly root: string,
  ) {
    this.blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  }

  /** Opens for writing; where a live process has it, only for looking, with who it is. */
  async open(sessionId: string, options: { readonly take_over: boolean }): Promise<StoredSession> {
    const { disk } = this.ports;
    const paths = sessionPaths(this.root, sessionId);
    await disk.makeFolder(sessionsFolder(this.root));
    const acquired = await Lease.acquire(this.ports, paths.lease, options);
    if (acquired.kind === 'acquired') return new StoredSession(this, sessionId, paths, acquired.lease, null);
    return new StoredSession(this, sessionId, paths, null, acquired.by);
  }

  /** Opens for looking only: takes no lease and changes nothing. */
  inspect(sessionId: string): StoredSession {
    return new StoredSession(this, sessionId, sessionPaths(this.root, sessionId), null, null);
  }
}

/** One session's files, opened. */
export class StoredSession {
  private file: DiskFile | null = null;
  private writer: LogFileWriter | null = null;

  constructor(
    private readonly store: SessionStore,
    readonly id: string,
    readonly paths: SessionPaths,
    private readonly lease: Lease | null,
    readonly held_by: LeaseRecord | null,
  ) {}

  get writable(): boolean {
    return this.lease !== null;
  }

  async size(): Promise<number> {
    return (await this.store.ports.disk.stat(this.paths.log))?.size ?? 0;
  }

  /** The last screen, or the one before a seq: at the cost of a screen. */
  async window(
    before_seq: number | null,
    enough: (events: readonly LogEvent[]) => boolean,
  ): Promise<LogWindow> {
    const file = await this.reading();
    if (file === null) return { events: [], damaged: [], from_offset: 0 };
    const end = before_seq === null ? await file.size() : await offsetOfSeq(file, before_seq);
    return readBack(file, end, this.store.blobs, enough);
  }

  /** Hands out what another process appends, until aborted. */
  async follow(
    from: ScanEnd,
    onEvents: (events: readonly LogEvent[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const file = await this.reading();
    if (file === null) return;
    await followLog(file, from, { clock: this.store.ports.clock, blobs: this.store.blobs }, onEvents, signal);
  }

  /** Reads and checks all of it (or what is new since the mark) and, with the lease, makes it ready to append. */
  async load(visitor: LoadVisitor): Promise<Loaded> {
    const { disk, hasher } = this.store.ports;
    const file = await this.reading();
    const mark = file === null ? null : await readMark(disk, this.paths.mark, file, hasher);
    if (mark !== null) visitor.resume(mark.resume);
    const damage: Damage[] = [];
    const finder = new ResumeFinder(this.id, mark?.resume ?? null);
    const end: ScanEnd =
      file === null
        ? { ...FROM_START, size: 0 }
        : await scanLog(file, mark?.resume ?? FROM_START, this.store.blobs, (scanned) => {
            if (scanned.kind === 'damage') {
              damage.push(scanned.damage);
              return;
            }
            finder.visit(scanned.event, scanned.offset);
            visitor.event(scanned.event);
          });
    const base = { damage, end, torn: null, scratch: null, writer: null };
    if (this.lease === null || damage.length > 0) return base;
    const torn = file === null || end.size === end.offset ? null : await this.setAside(end);
    if (file !== null) await this.remember(file, end, mark, finder.resume);
    const scratch = await readStream(disk, this.paths.stream);
    this.writer = this.makeWriter(this.lease, end);
    return { ...base, torn, scratch, writer: this.writer };
  }

  async close(): Promise<void> {
    await this.writer?.close();
    await this.file?.close();
    this.file = null;
    await this.lease?.release();
  }

  private async reading(): Promise<DiskFile | null> {
    try {
      this.file ??= await this.store.ports.disk.open(this.paths.log, 'read');
      return this.file;
    } catch (error) {
      if (isDiskError(error, 'missing')) return null;
      throw error;
    }
  }

  private async setAside(end: ScanEnd): Promise<Loaded['torn']> {
    const { disk } = this.store.ports;
    const file = await disk.open(this.paths.log, 'append');
    try {
      const path = await setTornTailAside(disk, { file, path: this.paths.log }, end.offset, end.size);
      return { path, bytes: end.size - end.offset };
    } finally {
      await file.close();
    }
  }

  private makeWriter(lease: Lease, end: ScanEnd): LogFileWriter {
    const { disk, clock, ids, warn } = this.store.ports;
    const stream = new StreamFile(disk, clock, this.paths.stream, (error) =>
      warn(`text that is streaming in cannot be kept: ${String(error)}`),
    );
    return new LogFileWriter({
      disk,
      clock,
      ids,
      blobs: this.store.blobs,
      lease,
      stream,
      path: this.paths.log,
      session_id: this.id,
      end: { next_seq: end.next_seq, size: end.offset },
    });
  }

  private async remember(
    file: DiskFile,
    end: ScanEnd,
    old: Mark | null,
    resume: Resume | null,
  ): Promise<void> {
    const { disk, hasher, warn } = this.store.ports;
    if (resume === null || old?.bytes === end.offset) return;
    try {
      const check = await markCheck(file, end.offset, hasher);
      await writeMark(disk, this.paths.mark, { v: 1, bytes: end.offset, check, resume });
    } catch (error) {
      warn(`the mark of what was verified could not be kept: ${String(error)}`);
    }
  }
}

/** What the log says of a torn tail that was set aside. */
export function tornDiagnostic(torn: {
  readonly path: string;
  readonly bytes: number;
}): ReturnType<typeof draft> {
  const name = torn.path.slice(torn.path.lastIndexOf('/') + 1);
  return draft('diagnostic', {
    code: 'torn_tail',
    message: `The last write was cut off. Its ${torn.bytes} bytes were set aside in ${name}.`,
    details: { file: name, bytes: torn.bytes },
    next_actions: [],
  });
}
