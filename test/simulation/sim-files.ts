import { DiskError, folderOf, type FileStat } from '../../src/storage/disk.ts';
import type { Random } from './random.ts';

type Change =
  | { readonly kind: 'append'; readonly bytes: Uint8Array }
  | { readonly kind: 'overwrite'; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** One file, whatever its names: what processes see of it, and what a power cut would leave. */
export class Inode {
  content: Buffer = Buffer.alloc(0);
  durable: Buffer = Buffer.alloc(0);
  modified_ms = 0;
  private unsynced: Change[] = [];

  constructor(readonly identity: string) {}

  change(change: Change, now: number): void {
    this.content = changed(this.content, change);
    this.unsynced.push(change);
    this.modified_ms = now;
  }

  sync(): void {
    this.durable = this.content;
    this.unsynced = [];
  }

  /** Of what was not synced, the earlier part may be there; the last of it may be torn. */
  powerCut(random: Random): void {
    const kept = random.pick([0, this.unsynced.length, random.between(0, this.unsynced.length)]);
    let content = this.durable;
    for (const change of this.unsynced.slice(0, kept)) content = changed(content, change);
    const torn = this.unsynced[kept];
    if (torn?.kind === 'append') {
      const bytes = torn.bytes.subarray(0, random.between(0, torn.bytes.length));
      content = changed(content, { kind: 'append', bytes });
    }
    this.content = content;
    this.sync();
  }
}

function changed(content: Buffer, change: Change): Buffer {
  switch (change.kind) {
    case 'append':
      return Buffer.concat([content, change.bytes]);
    case 'overwrite':
      return Buffer.concat([change.bytes, content.subarray(change.bytes.length)]);
    case 'truncate':
      return content.subarray(0, change.size);
  }
}

/** A change of names in one folder, whole or not at all. */
interface NameChange {
  readonly folder: string;
  readonly set: readonly [path: string, inode: Inode] | null;
  readonly remove: string | null;
}

/** The file system outside all processes. Names and bytes become durable apart from each other. */
export class SimFiles {
  private names = new Map<string, Inode>();
  private durableNames = new Map<string, Inode>();
  private unsynced: NameChange[] = [];
  private made = 0;

  constructor(root: string) {
    const inode = this.newInode();
    this.names.set(root, inode);
    this.durableNames.set(root, inode);
  }

  /** What a power cut now would surely leave of a file; null when that may be nothing. */
  durable(path: string): Buffer | null {
    if (!this.durableNames.has(folderOf(path))) return null;
    return this.durableNames.get(path)?.durable ?? null;
  }

  /** What processes see. */
  content(path: string): Buffer | null {
    return this.names.get(path)?.content ?? null;
  }

  paths(): readonly string[] {
    return [...this.names.keys()].sort();
  }

  stat(path: string): FileStat | null {
    const inode = this.names.get(path);
    if (inode === undefined) return null;
    return { size: inode.content.length, modified_ms: inode.modified_ms, identity: inode.identity };
  }

  open(path: string, how: 'read' | 'append' | 'create_new', now: number): Inode {
    const found = this.names.get(path);
    if (found !== undefined && how === 'create_new') throw new DiskError('exists', `${path} exists`);
    if (found !== undefined) return found;
    if (how === 'read') throw new DiskError('missing', `${path} is missing`);
    const inode = this.newInode();
    inode.modified_ms = now;
    this.rename(path, inode, null);
    return inode;
  }

  /** Durable at once: whoever makes a folder has to see to that, there is no other moment for it. */
  makeFolder(path: string): void {
    if (this.names.has(path)) return;
    this.rename(path, this.newInode(), null);
    this.syncFolder(folderOf(path));
  }

  move(from: string, to: string): void {
    this.rename(to, this.existing(from), from);
  }

  link(from: string, to: string): void {
    const inode = this.existing(from);
    if (this.names.has(to)) throw new DiskError('exists', `${to} exists`);
    this.rename(to, inode, null);
  }

  remove(path: string): void {
    if (!this.names.has(path)) return;
    this.record({ folder: folderOf(path), set: null, remove: path });
  }

  touch(path: string, now: number): void {
    this.existing(path).modified_ms = now;
  }

  syncFolder(folder: string): void {
    this.existing(folder);
    for (const change of this.unsynced) if (change.folder === folder) apply(this.durableNames, change);
    this.unsynced = this.unsynced.filter((change) => change.folder !== folder);
  }

  /** Names are kept in the order they were changed, up to some point; each file has its own point. */
  powerCut(random: Random): void {
    const kept = random.pick([0, this.unsynced.length, random.between(0, this.unsynced.length)]);
    for (const change of this.unsynced.slice(0, kept)) apply(this.durableNames, change);
    this.unsynced = [];
    for (const path of [...this.durableNames.keys()].sort()) {
      const inFolder = folderOf(path) === '' || this.durableNames.has(folderOf(path));
      if (!inFolder) this.durableNames.delete(path);
    }
    this.names = new Map(this.durableNames);
    for (const inode of new Set(this.names.values())) inode.powerCut(random);
  }

  private newInode(): Inode {
    this.made += 1;
    return new Inode(`inode-${this.made}`);
  }

  private existing(path: string): Inode {
    const inode = this.names.get(path);
    if (inode === undefined) throw new DiskError('missing', `${path} is missing`);
    return inode;
  }

  private rename(to: string, inode: Inode, from: string | null): void {
    this.existing(folderOf(to));
    this.record({ folder: folderOf(to), set: [to, inode], remove: from });
  }

  private record(change: NameChange): void {
    apply(this.names, change);
    this.unsynced.push(change);
  }
}

function apply(names: Map<string, Inode>, { set, remove }: NameChange): void {
  if (remove !== null) names.delete(remove);
  if (set !== null) names.set(set[0], set[1]);
}
