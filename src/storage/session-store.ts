import { draft, type LogEvent } from '../runtime/events.ts';
import type { AppendFailed, Clock, Ids, StreamScratch } from '../runtime/ports.ts';
import type { SessionState } from '../runtime/session-state.ts';
import { Blobs, type BytesHasher } from './blobs.ts';
import { folderOf, DiskError, isDiskError, type Disk, type DiskFile } from './disk.ts';
import { leaseHolder, LeaseSight, type LeaseRecord, type Processes } from './lease-holder.ts';
import { Lease, type AcquireOptions } from './lease.ts';
import { FROM_START, scanLog, type Damage, type ScanEnd, type ScanStart } from './log-scan.ts';
import { readTitle } from './log-ends.ts';
import { followLog, type Follower } from './log-follower.ts';
import { offsetOfSeq } from './log-seek.ts';
import { readBack, readOn, type LogStretch, type LogWindow } from './log-tail.ts';
import { leaseLost, LogFileWriter } from './log-writer.ts';
import { makeMark, readMark, ResumeFinder, writeMark, type Mark, type Resume } from './mark.ts';
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
  /** First, when a mark lets the load begin later in the log. Without this, all of it is read. */
  resume?(from: Resume): void;
  event(event: LogEvent): void;
  /** Later: another has taken the session over, and what streams in here can no longer be kept. */
  lost?(failure: AppendFailed): void;
  /** The fold of the events so far, where there is one: what the next mark is made of. */
  state?(): SessionState;
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
  async open(sessionId: string, options: AcquireOptions): Promise<StoredSession> {
    const { disk } = this.ports;
    const paths = sessionPaths(this.root, sessionId);
    await disk.makeFolder(sessionsFolder(this.root));
    const acquired = await Lease.acquire(this.ports, paths.lease, options);
    if (acquired.kind === 'held') return new StoredSession(this, sessionId, paths, null, acquired.by);
    try {
      await this.settle(paths.log);
    } catch (error) {
      await acquired.lease.release();
      throw error;
    }
    return new StoredSession(this, sessionId, paths, acquired.lease, null);
  }

  /** Lines that a killed process left in the cache are no facts before they are on disk. */
  private async settle(log: string): Promise<void> {
    const { disk } = this.ports;
    if ((await disk.stat(log)) === null) return;
    const file = await disk.open(log, 'append');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.syncFolder(folderOf(log));
  }

  /** Opens for looking only: takes no lease and changes nothing. */
  inspect(sessionId: string): StoredSession {
    return new StoredSession(this, sessionId, sessionPaths(this.root, sessionId), null, null);
  }
}

/** One session's files, opened. */
export class StoredSession {
  private file: Promise<DiskFile | null> | null = null;
  private writer: LogFileWriter | null = null;
  private readonly unreadable = new Set<string>();
  private readonly sight = new LeaseSight();

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

  /** For those who only look: whether the one who wrote is gone. */
  async ownerGone(): Promise<boolean> {
    return (await leaseHolder(this.store.ports, this.paths.lease, this.sight)).kind === 'dead';
  }

  async size(): Promise<number> {
    return (await this.store.ports.disk.stat(this.paths.log))?.size ?? 0;
  }

  /** The first prompt's first line, at the cost of the head. */
  async title(): Promise<string> {
    const file = await this.reading();
    return file === null ? '' : readTitle(file);
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

  /** What comes after a seq: at the cost of what is asked for. */
  async windowAfter(seq: number, enough: (events: readonly LogEvent[]) => boolean): Promise<LogStretch> {
    const file = await this.reading();
    if (file === null) return { events: [], damaged: [], from_offset: 0, to_end: true };
    return readOn(file, await offsetOfSeq(file, seq + 1), this.store.blobs, enough);
  }

  /** Hands out what another process appends, until aborted. */
  follow(from: ScanStart, follower: Follower, signal: AbortSignal): Promise<void> {
    const { blobs, ports } = this.store;
    const read = { log: () => this.reading(), stream: () => this.leftBehind() };
    return followLog(from, { clock: ports.clock, blobs, ...read }, follower, signal);
  }

  /** Reads and checks all of it (or what is new since the mark) and, with the lease, makes it ready to append. */
  async load(visitor: LoadVisitor): Promise<Loaded> {
    const file = await this.reading();
    const mark = file === null || visitor.resume === undefined ? null : await this.recall(file);
    if (mark !== null) visitor.resume?.(mark.resume);
    const damage: Damage[] = [];
    const finder = new ResumeFinder(mark?.resume ?? null);
    const state = this.lease === null ? undefined : visitor.state?.bind(visitor);
    const end: ScanEnd =
      file === null
        ? { ...FROM_START, size: 0 }
        : await scanLog(file, mark?.resume ?? FROM_START, this.store.blobs, (scanned) => {
            if (scanned.kind === 'damage') {
              damage.push(scanned.damage);
              return;
            }
            if (state !== undefined) finder.visit(scanned.event, scanned.offset, state);
            visitor.event(scanned.event);
          });
    const base = { damage, end, torn: null, scratch: null, writer: null };
    if (this.lease === null || damage.length > 0) return base;
    const torn = end.size === end.offset ? null : await this.setAside(end);
    if (file !== null) await this.remember(file, end, mark, finder.resume);
    const scratch = await this.leftBehind();
    const lost = (): void => visitor.lost?.(leaseLost());
    this.lease.whenLost(lost);
    this.writer = this.makeWriter(this.lease, end, lost);
    return { ...base, torn, scratch, writer: this.writer };
  }

  async close(): Promise<void> {
    try {
      await this.writer?.close();
      await (await this.file)?.close();
      this.file = null;
    } finally {
      await this.lease?.release();
    }
  }

  /** Opened once, whoever asks first; null while there is no log yet. */
  private async reading(): Promise<DiskFile | null> {
    this.file ??= openIfThere(this.store.ports.disk, this.paths.log);
    try {
      const file = await this.file;
      if (file === null) this.file = null;
      return file;
    } catch (error) {
      this.file = null;
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

  private makeWriter(lease: Lease, end: ScanEnd, onLost: () => void): LogFileWriter {
    const { disk, clock, ids, warn } = this.store.ports;
    const stream = new StreamFile(disk, clock, this.paths.stream, {
      isOurs: () => lease.isOurs(),
      onLost,
      onError: (error) => warn(`text that is streaming in cannot be kept: ${String(error)}`),
    });
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

  private recall(file: DiskFile): Promise<Mark | null> {
    const { disk, hasher } = this.store.ports;
    return this.unlessUnreadable('the mark of what was verified', () =>
      readMark(disk, this.paths.mark, file, hasher),
    );
  }

  private leftBehind(): Promise<StreamScratch | null> {
    const { disk } = this.store.ports;
    return this.unlessUnreadable('text that had streamed in', () => readStream(disk, this.paths.stream));
  }

  /** What lies beside the log never keeps it from opening. */
  private async unlessUnreadable<T>(what: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      // Once: what is followed is read again and again.
      if (!this.unreadable.has(what)) this.store.ports.warn(`${what} could not be read: ${error.message}`);
      this.unreadable.add(what);
      return null;
    }
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
      await writeMark(disk, this.paths.mark, await makeMark(file, end.offset, resume, hasher));
    } catch (error) {
      warn(`the mark of what was verified could not be kept: ${String(error)}`);
    }
  }
}

async function openIfThere(disk: Disk, path: string): Promise<DiskFile | null> {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (isDiskError(error, 'missing')) return null;
    throw error;
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
