import type { LogEvent } from '../runtime/events.ts';
import type { AppendFailed, StreamScratch } from '../runtime/ports.ts';
import type { SessionState } from '../runtime/session-state.ts';
import { DiskError, openIfThere, type DiskFile } from './disk.ts';
import { leaseHolder, LeaseSight, type LeaseRecord } from './lease-holder.ts';
import type { Lease } from './lease.ts';
import { NO_HEAD, readLogHead, type LogHead } from './log-ends.ts';
import { followLog, type Follower } from './log-follower.ts';
import { FROM_START, scanLog, type Damage, type ScanEnd, type Scanned, type ScanStart } from './log-scan.ts';
import { offsetOfSeq } from './log-seek.ts';
import { readBack, readOn, type LogStretch, type LogWindow } from './log-tail.ts';
import { leaseLost, LogFileWriter } from './log-writer.ts';
import { makeMark, readMark, ResumeFinder, writeMark, type Mark, type Resume } from './mark.ts';
import type { SessionPaths } from './session-paths.ts';
import type { SessionStore } from './session-store.ts';
import { readStream, StreamFile } from './stream-file.ts';
import { setTornTailAside } from './torn-tail.ts';

export interface LoadVisitor {
  /** First, when a mark lets the load begin later in the log. Without this, all of it is read. */
  resume?(from: Resume): void;
  event(event: LogEvent): void;
  /** In the place of a line that is damaged. What comes after it may look as if nothing were missing, such as after a line twice. */
  damaged?(): void;
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
  /** False when reading was called off: nothing is known of the rest. */
  readonly whole: boolean;
}

/** Who may write to a session that was opened. */
type Hold =
  | { readonly kind: 'ours'; readonly lease: Lease }
  | { readonly kind: 'held'; readonly by: LeaseRecord | null }
  | { readonly kind: 'denied' }
  | { readonly kind: 'looked_at' };

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
    private readonly hold: Hold,
  ) {}

  private get lease(): Lease | null {
    return this.hold.kind === 'ours' ? this.hold.lease : null;
  }

  get writable(): boolean {
    return this.hold.kind === 'ours';
  }

  /** The disk lets nobody write here. */
  get denied(): boolean {
    return this.hold.kind === 'denied';
  }

  get held_by(): LeaseRecord | null {
    return this.hold.kind === 'held' ? this.hold.by : null;
  }

  /** For those who only look: whether the one who wrote is gone. */
  async ownerGone(): Promise<boolean> {
    return (await leaseHolder(this.store.ports, this.paths.lease, this.sight)).kind === 'dead';
  }

  async size(): Promise<number> {
    return (await this.store.ports.disk.stat(this.paths.log))?.size ?? 0;
  }

  /** The first prompt's first line and whose child it is, at the cost of the head. */
  async head(): Promise<LogHead> {
    const file = await this.reading();
    return file === null ? NO_HEAD : readLogHead(file);
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
  async load(visitor: LoadVisitor, signal?: AbortSignal): Promise<Loaded> {
    const file = await this.reading();
    const mark = file === null || visitor.resume === undefined ? null : await this.recall(file);
    if (mark !== null) visitor.resume?.(mark.resume);
    const from = mark?.resume ?? FROM_START;
    const damage: Damage[] = [];
    const finder = new ResumeFinder(mark?.resume ?? null);
    const state = this.lease === null ? undefined : visitor.state?.bind(visitor);
    const visit = (scanned: Scanned): void => {
      if (scanned.kind === 'damage') {
        damage.push(scanned.damage);
        visitor.damaged?.();
        return;
      }
      if (state !== undefined) finder.visit(scanned.event, scanned.offset, state);
      visitor.event(scanned.event);
    };
    const end =
      file === null ? { ...from, size: 0 } : await scanLog(file, from, this.store.blobs, visit, signal);
    const base = { damage, torn: null, scratch: null, writer: null };
    if (end === null) return { ...base, end: { ...from, size: from.offset }, whole: false };
    const read = { ...base, end, whole: true };
    if (this.lease === null || damage.length > 0) return read;
    const torn = end.size === end.offset ? null : await this.setAside(end);
    if (file !== null) await this.remember(file, end, mark, finder.resume);
    const scratch = await this.leftBehind();
    const lost = (): void => visitor.lost?.(leaseLost());
    this.lease.whenLost(lost);
    this.writer = this.makeWriter(this.lease, end, lost);
    return { ...read, torn, scratch, writer: this.writer };
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
