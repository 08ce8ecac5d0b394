import { BLOB_NAME, unusedFolder } from './blobs.ts';
import { readNames } from './blob-names.ts';
import { DiskError, readWhole } from './disk.ts';
import { tryLink } from './file-moves.ts';
import type { Lease } from './lease.ts';
import { unnamedAmong, type Unnamed } from './named-blobs.ts';
import { sessionsFolder } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';
import type { StorageJournal, Why } from './storage-journal.ts';
import type { Amount } from './storage-use.ts';

const DAY_MS = 86_400_000;
/** A body is written before the event that names it. Younger than this, it may still be about to be named. */
export const SAFE_AGE_MS = DAY_MS;
/** What was set aside is kept for so long. */
export const KEPT_MS = 30 * DAY_MS;
/** A body of this age may be about to be named by another session: who asks for its removal is told to wait. */
export const FRESH_MS = 5 * 60_000;

const SET_ASIDE = /^(?<name>[0-9a-f]{64})\.(?<at>\d{1,16})$/;

const UNFINISHED = /^(?:[A-Za-z0-9_-]+\.jsonl|[0-9a-f]{64}\.[A-Za-z0-9_-]+)\.tmp$/;

export type Collected =
  | {
      readonly kind: 'collected';
      /** Away from the bodies in use, and kept. */
      readonly set_aside: Amount;
      /** Away for good: set aside long ago, and named by nobody since. */
      readonly removed: Amount;
    }
  | Exclude<Unnamed, { kind: 'known' }>;

export interface Body {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly modified_ms: number;
}

/**
 * Takes bodies away that no file names, in two steps: they are set aside, where whoever wants one still finds it, and
 * removed for good when they were not wanted for long enough. Only this ever takes a name away from a body, and only
 * while it holds the lease of the upkeep; before that the body has another name that is durable.
 */
export class BlobCollector {
  private readonly folder: string;
  private readonly aside: string;

  constructor(
    private readonly ports: StorePorts,
    private readonly root: string,
    private readonly journal: StorageJournal,
    private readonly lease: Pick<Lease, 'isOurs'>,
  ) {
    this.folder = `${root}/blobs`;
    this.aside = unusedFolder(this.folder);
  }

  async collect(why: Why, signal: AbortSignal): Promise<Collected> {
    const now = this.ports.clock.now();
    await this.removeUnfinished(now, why);
    const old = (await this.bodies()).filter(({ modified_ms }) => now - modified_ms >= SAFE_AGE_MS);
    const due = (await this.kept()).filter(({ since }) => now - since >= KEPT_MS);
    const among = new Set([...old, ...due].map(({ name }) => name));
    const found = await unnamedAmong(this.ports, this.root, { among, signal });
    if (found.kind !== 'known') return found;
    const isUnnamed = ({ name }: { readonly name: string }): boolean => found.names.has(name);
    const { moved } = await this.setAside(
      old.filter(isUnnamed),
      (body) => now - body.modified_ms < SAFE_AGE_MS,
    );
    if (moved.length > 0) await this.journal.note({ kind: 'set_aside', ...amountOf(moved) }, why);
    for (const body of due.filter((one) => !isUnnamed(one))) await this.giveBack(body.path, body.name);
    const gone = await this.removeForGood(due.filter(isUnnamed), why);
    // The second name of a body that has its place back.
    for (const body of due.filter((one) => !isUnnamed(one))) await this.dropSecondName(body);
    return { kind: 'collected', set_aside: amountOf(moved), removed: amountOf(gone) };
  }

  /**
   * Pure in effect: the bodies that only some files name, which are about to go, with what these bodies alone name.
   * `fresh`: some of them were wanted a moment ago, and who wanted them may not have named them yet.
   */
  async onlyNamedBy(
    files: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<
    | { readonly kind: 'known'; readonly bodies: readonly Body[]; readonly fresh: boolean }
    | Exclude<Unnamed, { kind: 'known' }>
  > {
    const there = new Map((await this.bodies()).map((body) => [body.name, body]));
    const among = new Set<string>();
    const visit = (name: string): void => void (there.has(name) && among.add(name));
    try {
      for (const path of files)
        await readNames(this.ports.disk, `${this.root}/${path}`, { from: 0, signal, visit });
      // It grows while it is gone through.
      for (const name of among)
        await readNames(this.ports.disk, `${this.folder}/${name}`, { from: 0, signal, visit });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return { kind: 'unreadable', path: '', reason: error.message };
    }
    const found = await unnamedAmong(this.ports, this.root, {
      among,
      signal,
      except: (path) => files.has(path),
    });
    if (found.kind !== 'known') return found;
    const bodies = [...found.names].flatMap((name) => there.get(name) ?? []);
    const now = this.ports.clock.now();
    return { kind: 'known', bodies, fresh: bodies.some(({ modified_ms }) => now - modified_ms < FRESH_MS) };
  }

  /**
   * Gives each a name aside, durably, and then takes its own. One that was wanted meanwhile gets it back: whoever puts a
   * body that is there says so in its time, or finds it gone and writes it.
   */
  async setAside(
    bodies: readonly Body[],
    isWanted: (body: Body) => boolean,
  ): Promise<{ readonly moved: readonly Body[]; readonly files: readonly string[] }> {
    if (bodies.length === 0) return { moved: [], files: [] };
    const { disk, clock } = this.ports;
    await disk.makeFolder(this.aside);
    const at = clock.now();
    const placed: { readonly body: Body; readonly file: string; readonly linked: boolean }[] = [];
    for (const body of bodies) {
      if (!(await this.lease.isOurs())) break;
      const file = `${body.name}.${at}`;
      const linked = await tryLink(disk, body.path, `${this.aside}/${file}`);
      if (!linked) await disk.rename(body.path, `${this.aside}/${file}`);
      placed.push({ body, file, linked });
    }
    await disk.syncFolder(this.aside);
    for (const { body, linked } of placed)
      if (linked && (await this.lease.isOurs())) await disk.remove(body.path);
    await disk.syncFolder(this.folder);
    const moved: Body[] = [];
    const files: string[] = [];
    for (const { body, file } of placed) {
      const stat = await disk.stat(`${this.aside}/${file}`);
      if (stat !== null && !isWanted({ ...body, modified_ms: stat.modified_ms })) {
        moved.push(body);
        files.push(file);
      } else await this.giveBack(`${this.aside}/${file}`, body.name);
    }
    return { moved, files };
  }

  /** Null where that cannot be said. */
  async unnamed(
    among: ReadonlySet<string>,
    signal = new AbortController().signal,
  ): Promise<ReadonlySet<string> | null> {
    const found = await unnamedAmong(this.ports, this.root, { among, signal });
    return found.kind === 'known' ? found.names : null;
  }

  /** Away for good, by their names aside. Those that are not there are gone already. */
  async removeFiles(files: readonly string[]): Promise<void> {
    const { disk } = this.ports;
    if (files.length === 0) return;
    for (const file of files) if (SET_ASIDE.test(file)) await disk.remove(`${this.aside}/${file}`);
    await disk.syncFolder(this.aside);
  }

  private async removeForGood(gone: readonly Body[], why: Why): Promise<readonly Body[]> {
    if (gone.length === 0 || !(await this.lease.isOurs())) return [];
    const files = gone.map(({ path }) => path.slice(this.aside.length + 1));
    const id = await this.journal.begin({ kind: 'contents', bytes: amountOf(gone).bytes, files }, why);
    await this.removeFiles(files);
    await this.journal.end(id, 'finished');
    return gone;
  }

  private async giveBack(from: string, name: string): Promise<void> {
    const { disk } = this.ports;
    const to = `${this.folder}/${name}`;
    if ((await disk.stat(to)) !== null) return;
    if (!(await tryLink(disk, from, to))) await disk.rename(from, to);
    await disk.syncFolder(this.folder);
  }

  private async dropSecondName({ path, name }: Body): Promise<void> {
    const { disk, hasher } = this.ports;
    const bytes = await readWhole(disk, `${this.folder}/${name}`);
    if (bytes !== null && hasher.sha256(bytes) === name && (await this.lease.isOurs()))
      await disk.remove(path);
  }

  /** What somebody who died was writing, and what had no name yet: the log of a fork, which would go on naming bodies, or a body. */
  private async removeUnfinished(now: number, why: Why): Promise<void> {
    const { disk } = this.ports;
    const found: { readonly name: string; readonly path: string }[] = [];
    for (const folder of [sessionsFolder(this.root), this.folder])
      for (const name of await disk.list(folder))
        if (UNFINISHED.test(name)) found.push({ name, path: `${folder}/${name}` });
    const old = (await this.looked(found)).filter(({ modified_ms }) => now - modified_ms >= SAFE_AGE_MS);
    if (old.length === 0 || !(await this.lease.isOurs())) return;
    await this.journal.note({ kind: 'unfinished', ...amountOf(old) }, why);
    for (const { path } of old) await disk.remove(path);
  }

  private async bodies(): Promise<readonly Body[]> {
    const names = (await this.ports.disk.list(this.folder)).filter((name) => BLOB_NAME.test(name));
    return this.looked(names.map((name) => ({ name, path: `${this.folder}/${name}` })));
  }

  private async kept(): Promise<readonly (Body & { readonly since: number })[]> {
    const found = (await this.ports.disk.list(this.aside)).flatMap((file) => {
      const { name, at } = SET_ASIDE.exec(file)?.groups ?? {};
      return name === undefined ? [] : [{ name, path: `${this.aside}/${file}`, since: Number(at) }];
    });
    return this.looked(found);
  }

  private async looked<T extends { readonly path: string }>(
    found: readonly T[],
  ): Promise<readonly (T & { readonly size: number; readonly modified_ms: number })[]> {
    const all: (T & { readonly size: number; readonly modified_ms: number })[] = [];
    for (const one of found) {
      const stat = await this.ports.disk.stat(one.path);
      if (stat !== null) all.push({ ...one, size: stat.size, modified_ms: stat.modified_ms });
    }
    return all;
  }
}

function amountOf(bodies: readonly { readonly size: number }[]): Amount {
  return { count: bodies.length, bytes: bodies.reduce((sum, { size }) => sum + size, 0) };
}
