import { BlobCollector, KEPT_MS, type Collected } from './blob-collector.ts';
import { DiskError, removeQuietly } from './disk.ts';
import { isSameFile } from './file-moves.ts';
import { Lease } from './lease.ts';
import { sessionMarksIn } from './session-marks.ts';
import { sessionPaths } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';
import { StorageJournal, type Removal, type Removed, type Why } from './storage-journal.ts';
import type { Amount } from './storage-use.ts';
import { idIn, keptSince, Trash, trashFolder, whereaboutsOf } from './trash.ts';

/** Another window is at it. */
export interface Busy {
  readonly kind: 'busy';
}

/** What became of a session that was to be removed for good. */
export type RemovalEnd =
  | { readonly kind: 'removed'; readonly name: string; readonly bytes: number; readonly contents: Amount }
  /** Deleted less than 30 days ago. */
  | { readonly kind: 'kept' }
  /** Somebody has it open, or it is on its way back. */
  | { readonly kind: 'held' }
  | { readonly kind: 'missing' }
  /** Bodies of it were wanted a moment ago. */
  | { readonly kind: 'fresh' }
  | { readonly kind: 'failed'; readonly reason: string }
  | Exclude<Collected, { kind: 'collected' }>;

/** What is done to a storage folder as a whole, by one process at a time. */
export class StorageKeeping {
  readonly journal: StorageJournal;
  private readonly trash: Trash;

  constructor(
    private readonly ports: StorePorts,
    private readonly root: string,
    /** What was typed in a session that is gone for good, and not sent. */
    private readonly forgetDraft: (sessionId: string) => Promise<void> = () => Promise.resolve(),
  ) {
    this.journal = new StorageJournal(ports, root);
    this.trash = new Trash(ports, root);
  }

  /** With the lease of the upkeep; `busy` while another has it. */
  async alone<T>(work: (lease: Lease) => Promise<T>): Promise<T | Busy> {
    await this.ports.disk.makeFolder(this.root);
    const acquired = await Lease.acquire(this.ports, `${this.root}/upkeep.lease`, { take_over: false });
    if (acquired.kind === 'held') return { kind: 'busy' };
    try {
      return await work(acquired.lease);
    } finally {
      await acquired.lease.release();
    }
  }

  collect(why: Why, signal: AbortSignal): Promise<Collected | Busy> {
    return this.alone((lease) => this.collector(lease).collect(why, signal));
  }

  /** Those of them that were deleted 30 days ago or more, each by itself. Their bodies stay until they are collected. */
  removeOld(names: readonly string[], why: Why): Promise<ReadonlyMap<string, RemovalEnd> | Busy> {
    return this.alone(async () => {
      const ends = new Map<string, RemovalEnd>();
      for (const name of names) ends.set(name, await unlessFailed(() => this.removeOne(name, why)));
      await this.forgetWords();
      return ends;
    });
  }

  /** One, however old, with the bodies that nothing else names: a person wants it gone. */
  removeNow(name: string, signal: AbortSignal): Promise<RemovalEnd | Busy> {
    return this.alone((lease) => unlessFailed(() => this.removeWhole(name, lease, signal)));
  }

  /** Removals that were cut off are finished. What is in use again stays. */
  async finish(): Promise<readonly Removed[] | Busy> {
    const open = (await this.journal.read()).removals.filter(({ end }) => end === null);
    if (open.length === 0) return [];
    return this.alone(async (lease) => {
      // Another may have done it while this one waited.
      const left = (await this.journal.read()).removals.filter(({ end }) => end === null);
      const done: Removed[] = [];
      for (const removed of left) {
        const end = await this.unlessRefused(() => this.finishOne(removed.what, lease));
        if (end === null) continue;
        await this.journal.end(removed.id, end);
        done.push({ ...removed, end });
      }
      if (done.length > 0) await this.forgetWords();
      return done;
    });
  }

  /** One that the disk refuses is tried again another time, and keeps nobody from the others. */
  private async unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.ports.warn(`a removal could not be finished: ${error.message}`);
      return null;
    }
  }

  private collector(lease: Lease): BlobCollector {
    return new BlobCollector(this.ports, this.root, this.journal, lease);
  }

  private async removeOne(name: string, why: Why): Promise<RemovalEnd> {
    const facts = await this.factsOf(name);
    if (facts === null) return { kind: 'missing' };
    const { since, what } = facts;
    if (since === null || !(this.ports.clock.now() - since >= KEPT_MS)) return { kind: 'kept' };
    return this.carryOut(what, why, { count: 0, bytes: 0 });
  }

  private async removeWhole(name: string, lease: Lease, signal: AbortSignal): Promise<RemovalEnd> {
    const facts = await this.factsOf(name);
    if (facts === null) return { kind: 'missing' };
    const collector = this.collector(lease);
    const only = await collector.onlyNamedBy(new Set(facts.paths), signal);
    if (only.kind !== 'known') return only;
    if (only.fresh) return { kind: 'fresh' };
    const known = new Map(only.bodies.map((body) => [body.name, body.modified_ms]));
    const { moved, files } = await collector.setAside(
      only.bodies,
      (body) => body.modified_ms > (known.get(body.name) ?? 0),
    );
    const bytes = moved.reduce((sum, { size }) => sum + size, 0);
    const what = { ...facts.what, bytes: facts.what.bytes + bytes, files };
    const end = await this.carryOut(what, 'person', { count: moved.length, bytes });
    if (end.kind !== 'removed') return end;
    await this.forgetWords();
    return end;
  }

  /** On record, then away, then on record as gone. Bodies last: as long as the log is there, it can come back whole. */
  private async carryOut(
    what: Extract<Removal, { kind: 'session' }>,
    why: Why,
    contents: Amount,
  ): Promise<RemovalEnd> {
    const id = await this.journal.begin(what, why);
    const moved = await this.trash.remove(what.name);
    if (moved.kind !== 'moved') {
      await this.journal.end(id, 'called_off');
      return { kind: moved.kind === 'missing' ? 'missing' : 'held' };
    }
    await this.removeFiles(what.files);
    await this.forget(what.session_id);
    await this.journal.end(id, 'finished');
    return { kind: 'removed', name: what.name, bytes: what.bytes, contents };
  }

  private async removeFiles(files: readonly string[]): Promise<void> {
    const always = { isOurs: () => Promise.resolve(true) };
    await new BlobCollector(this.ports, this.root, this.journal, always).removeFiles(files);
  }

  /** Null while it has to wait. */
  private async finishOne(what: Removal, lease: Lease): Promise<'finished' | 'called_off' | null> {
    if (what.kind === 'contents') return this.finishContents(what.files, lease);
    const id = idIn(what.name);
    if (id === null) return 'called_off';
    const { disk } = this.ports;
    const isBack = (await disk.stat(sessionPaths(this.root, id).log)) !== null;
    const isKept = (await disk.stat(`${trashFolder(this.root)}/${what.name}.jsonl`)) !== null;
    if (isBack && !isKept) return 'called_off';
    const moved = await this.trash.remove(what.name);
    if (moved.kind === 'held') return null;
    const end = await this.finishContents(what.files, lease);
    if (end !== null) await this.forget(id);
    return end;
  }

  /** Some of them may have been named since: those stay, and are collected anew when nothing names them any more. */
  private async finishContents(files: readonly string[], lease: Lease): Promise<'finished' | null> {
    const names = new Set(files.map((file) => file.slice(0, file.indexOf('.'))));
    const unnamed = await this.collector(lease).unnamed(names);
    if (unnamed === null) return null;
    await this.removeFiles(files.filter((file) => unnamed.has(file.slice(0, file.indexOf('.')))));
    return 'finished';
  }

  /** What people said about it, and to it, goes with the last that there is of it. */
  private async forget(sessionId: string): Promise<void> {
    if ((await whereaboutsOf(this.ports.disk, this.root, sessionId)) !== 'nowhere') return;
    await sessionMarksIn(this.ports, this.root).forget(sessionId);
    await this.forgetDraft(sessionId);
  }

  /** Caches have titles of sessions, which are words of theirs. Both are made again. */
  private async forgetWords(): Promise<void> {
    for (const cache of ['session-list.json', 'storage-use.json'])
      await removeQuietly(this.ports.disk, `${this.root}/${cache}`);
  }

  private async factsOf(name: string): Promise<{
    readonly what: Extract<Removal, { kind: 'session' }>;
    readonly paths: readonly string[];
    readonly since: number | null;
  } | null> {
    const session_id = idIn(name);
    const deleted_ms = Number(name.slice(name.lastIndexOf('.') + 1));
    const when = new Date(deleted_ms);
    if (session_id === null || Number.isNaN(when.getTime())) return null;
    const paths = (await this.trash.filesOf(name)).map((file) => `trash/${file}`);
    const log = `${trashFolder(this.root)}/${name}.jsonl`;
    // Where deleting was cut off before it counted, the session is still in its place.
    const isInPlace = await isSameFile(this.ports.disk, log, sessionPaths(this.root, session_id).log);
    if (isInPlace || !paths.includes(`trash/${name}.jsonl`)) return null;
    let bytes = 0;
    for (const path of paths) bytes += (await this.ports.disk.stat(`${this.root}/${path}`))?.size ?? 0;
    const since = keptSince(deleted_ms, (await this.ports.disk.stat(log))?.modified_ms ?? Infinity);
    const deleted_at = when.toISOString();
    const what = { kind: 'session', session_id, name, deleted_at, bytes, files: [] } as const;
    return { what, paths, since };
  }
}

async function unlessFailed(work: () => Promise<RemovalEnd>): Promise<RemovalEnd> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}
