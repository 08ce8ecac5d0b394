import { DiskError, type Disk } from './disk.ts';
import { isSameFile, moveFile } from './file-moves.ts';
import { STALE_MS, type LeaseRecord } from './lease-holder.ts';
import { Lease } from './lease.ts';
import { NO_HEAD, readLogHead, type LogHead } from './log-ends.ts';
import { isSessionId, sessionPaths, sessionsFolder } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';

/** A session in the trash. All of its files have this name before their ending. */
export interface Trashed extends LogHead {
  readonly session_id: string;
  readonly name: string;
  /** The same for sessions that were deleted together. */
  readonly deleted_at: string;
  /** From when its days are counted, in ms; null where the time of its deletion cannot be right. */
  readonly kept_since: number | null;
  readonly size: number;
  /** Why it cannot be read now; null where it can. */
  readonly problem: string | null;
}

export type Moved =
  | { readonly kind: 'moved'; readonly name: string }
  /** A live process has it open; null where its lease cannot be read. */
  | { readonly kind: 'held'; readonly by: LeaseRecord | null }
  | { readonly kind: 'missing' }
  /** There is a session of that id. */
  | { readonly kind: 'exists' };

const NAME = /^(?<name>(?<id>[A-Za-z0-9_-]+)\.(?<at>[0-9]{1,16}))\.(?<rest>.+)$/;

/**
 * Deleted sessions, kept whole in `<storage>/trash`; nothing here ever removes the last copy of anything.
 * A session is there for others as long as its log is in its place. So deleting takes the log away first and
 * restoring puts it back last: cut off anywhere, either can be done again, and what lies beside the log is
 * in one of the two folders. Bodies stay where they are, because sessions share them.
 */
export class Trash {
  constructor(
    private readonly ports: StorePorts,
    private readonly root: string,
  ) {}

  private get folder(): string {
    return trashFolder(this.root);
  }

  /** With the time of a deletion that others are part of. */
  async put(sessionId: string, at = this.ports.clock.now()): Promise<Moved> {
    return this.withLease(sessionId, async () => {
      const { disk } = this.ports;
      const { log } = sessionPaths(this.root, sessionId);
      if ((await disk.stat(log)) === null) return { kind: 'missing' };
      await disk.makeFolder(this.folder);
      const name = await this.freeName(sessionId, at);
      await moveFile(disk, log, `${this.folder}/${name}.jsonl`);
      for (const rest of await this.beside(sessionId))
        await moveFile(
          disk,
          `${sessionsFolder(this.root)}/${sessionId}.${rest}`,
          `${this.folder}/${name}.${rest}`,
        );
      return { kind: 'moved', name };
    });
  }

  async restore(name: string): Promise<Moved> {
    const id = idIn(name);
    if (id === null) return { kind: 'missing' };
    return this.withLease(id, async () => {
      const { disk } = this.ports;
      const { log } = sessionPaths(this.root, id);
      const kept = `${this.folder}/${name}.jsonl`;
      if ((await disk.stat(log)) !== null) return { kind: 'exists' };
      if ((await disk.stat(kept)) === null) return { kind: 'missing' };
      for (const file of await disk.list(this.folder)) {
        const rest = file.startsWith(`${name}.`) ? file.slice(name.length + 1) : '';
        // Leases of dead processes bind nobody; in the trash they are in nobody's way.
        if (rest === '' || rest === 'jsonl' || rest.startsWith('lease')) continue;
        const from = `${this.folder}/${file}`;
        const to = await this.freePlace(from, `${sessionsFolder(this.root)}/${id}`, rest);
        if (to !== null) await moveFile(disk, from, to);
      }
      await moveFile(disk, kept, log);
      return { kind: 'moved', name };
    });
  }

  /**
   * Away for good: the log first, so that what is left of a removal that was cut off is no session any more, and can be
   * removed by doing it again.
   */
  async remove(name: string): Promise<Moved> {
    const id = idIn(name);
    if (id === null) return { kind: 'missing' };
    return this.withLease(id, async () => {
      const { disk } = this.ports;
      const files = await this.filesOf(name);
      if (files.length === 0) return { kind: 'missing' };
      const log = `${name}.jsonl`;
      for (const file of [log, ...files.filter((one) => one !== log)]) {
        await disk.remove(`${this.folder}/${file}`);
        if (file === log) await disk.syncFolder(this.folder);
      }
      await disk.syncFolder(this.folder);
      return { kind: 'moved', name };
    });
  }

  /** The names of all files of one that is in the trash. */
  async filesOf(name: string): Promise<readonly string[]> {
    return (await this.ports.disk.list(this.folder)).filter((file) => file.startsWith(`${name}.`));
  }

  /** The last deleted first. */
  async list(): Promise<readonly Trashed[]> {
    const found: Trashed[] = [];
    for (const file of await this.ports.disk.list(this.folder)) {
      const { name, id, at, rest } = NAME.exec(file)?.groups ?? {};
      if (name === undefined || id === undefined || rest !== 'jsonl') continue;
      const when = new Date(Number(at));
      // Not one of ours.
      if (Number.isNaN(when.getTime())) continue;
      const facts = await this.factsOf(id, `${this.folder}/${file}`);
      if (facts === null) continue;
      const kept_since = keptSince(when.getTime(), facts.modified_ms);
      const { head, size, problem } = facts;
      found.push({
        session_id: id,
        name,
        deleted_at: when.toISOString(),
        kept_since,
        size,
        problem,
        ...head,
      });
    }
    return found.sort((a, b) => (a.deleted_at < b.deleted_at ? 1 : -1));
  }

  /** Nobody can open the session while its files are on their way. */
  private async withLease(sessionId: string, work: () => Promise<Moved>): Promise<Moved> {
    await this.ports.disk.makeFolder(sessionsFolder(this.root));
    const { lease: path } = sessionPaths(this.root, sessionId);
    const acquired = await Lease.acquire(this.ports, path, { take_over: false });
    if (acquired.kind === 'held') return { kind: 'held', by: acquired.by };
    try {
      return await work();
    } finally {
      await acquired.lease.release();
    }
  }

  private async beside(sessionId: string): Promise<readonly string[]> {
    const { disk, clock } = this.ports;
    const folder = sessionsFolder(this.root);
    const found: string[] = [];
    for (const file of await disk.list(folder)) {
      if (!file.startsWith(`${sessionId}.`)) continue;
      const rest = file.slice(sessionId.length + 1);
      if (rest === 'jsonl' || rest === 'lease') continue;
      const stat = await disk.stat(`${folder}/${file}`);
      // A process that asks for the lease just now still needs what it has put there.
      const isBusy = rest.startsWith('lease.') && clock.now() - (stat?.modified_ms ?? 0) < STALE_MS;
      if (stat !== null && !isBusy) found.push(rest);
    }
    return found;
  }

  /** The one of a deletion that was cut off before it counted, or a new one. */
  private async freeName(sessionId: string, when: number): Promise<string> {
    const { disk } = this.ports;
    const { log } = sessionPaths(this.root, sessionId);
    const taken = new Set(await disk.list(this.folder));
    for (const file of taken) {
      const { name, id, rest } = NAME.exec(file)?.groups ?? {};
      if (name === undefined || id !== sessionId || rest !== 'jsonl') continue;
      if (await isSameFile(disk, log, `${this.folder}/${file}`)) return name;
    }
    for (let at = when; ; at += 1) {
      const name = `${sessionId}.${at}`;
      if (!taken.has(`${name}.jsonl`)) return name;
    }
  }

  /** Null for what has been replaced since: it stays in the trash. A torn tail gets the next number. */
  private async freePlace(from: string, base: string, rest: string): Promise<string | null> {
    const { disk } = this.ports;
    const fits = async (path: string): Promise<boolean> =>
      (await disk.stat(path)) === null || (await isSameFile(disk, from, path));
    if (await fits(`${base}.${rest}`)) return `${base}.${rest}`;
    if (!/^torn-\d+$/.test(rest)) return null;
    for (let n = 1; ; n += 1) if (await fits(`${base}.torn-${n}`)) return `${base}.torn-${n}`;
  }

  /** Null for what is not deleted. One that the disk does not give keeps nobody from the others. */
  private async factsOf(id: string, path: string): Promise<Facts | null> {
    const { disk } = this.ports;
    let [size, modified_ms] = [0, 0];
    try {
      const stat = await disk.stat(path);
      // Deleting was cut off before it counted: the session is still in its place.
      if (stat === null || (await isSameFile(disk, path, sessionPaths(this.root, id).log))) return null;
      ({ size, modified_ms } = stat);
      return { head: await this.headOf(path), size, modified_ms, problem: null };
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return { head: NO_HEAD, size, modified_ms, problem: `The log cannot be read: ${error.message}` };
    }
  }

  private async headOf(path: string): Promise<LogHead> {
    const file = await this.ports.disk.open(path, 'read');
    try {
      return await readLogHead(file);
    } finally {
      await file.close();
    }
  }
}

interface Facts extends Pick<Trashed, 'size' | 'problem'> {
  readonly head: LogHead;
  readonly modified_ms: number;
}

const DAY_MS = 86_400_000;
/** There was nothing to delete before there was this program. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);

/**
 * Pure: from when the days of one in the trash are counted. The time of its deletion is that of a clock that may have been
 * wrong by decades: nothing is deleted before it was last written to. Then nobody knows how old it is, and it is not old.
 */
export function keptSince(deleted_ms: number, modified_ms: number): number | null {
  if (deleted_ms < EARLIEST_MS || modified_ms - deleted_ms > DAY_MS) return null;
  return Math.max(deleted_ms, modified_ms);
}

export type Whereabouts = 'in_place' | 'trash' | 'nowhere';

/** Where the log of a session is now. */
export async function whereaboutsOf(disk: Disk, root: string, sessionId: string): Promise<Whereabouts> {
  if ((await disk.stat(sessionPaths(root, sessionId).log)) !== null) return 'in_place';
  const files = await disk.list(trashFolder(root));
  const isKept = files.some((file) => {
    const { id, rest } = NAME.exec(file)?.groups ?? {};
    return id === sessionId && rest === 'jsonl';
  });
  return isKept ? 'trash' : 'nowhere';
}

/** The session that a name in the trash is of; null for what is no such name. */
export function idIn(name: string): string | null {
  const id = NAME.exec(`${name}.jsonl`)?.groups?.['id'];
  return id === undefined || !isSessionId(id) ? null : id;
}

export function trashFolder(root: string): string {
  return `${root}/trash`;
}
