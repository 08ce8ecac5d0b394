import { DiskError, folderOf, type Disk, type DiskFile, type FileStat } from '../../src/storage/disk.ts';

/** A file's bytes now, and those that would survive. */
interface Node {
  readonly identity: string;
  now: Buffer;
  durable: Buffer;
  modified_ms: number;
}

/**
 * A disk in memory that keeps after a power cut only what was synced: bytes of files by `sync`, names by
 * `syncFolder`, each for itself, as the most forgetful real one would.
 */
export class PowerCutDisk implements Disk {
  syncs = 0;
  /** What its files say of when they were written. */
  now = 0;
  private made = 0;
  private names = new Map<string, Node>();
  private durableNames = new Map<string, Node>();
  private folders = new Set<string>();

  /** How long the disk is at work with a sync; others come in between. */
  constructor(private readonly work: () => Promise<unknown> = () => new Promise(setImmediate)) {}

  /** The same disk after the power came back. */
  cutPower(): PowerCutDisk {
    const after = new PowerCutDisk();
    after.folders = new Set(this.folders);
    after.now = this.now;
    after.made = this.made;
    for (const [path, node] of this.durableNames) {
      const kept = { ...node, now: node.durable };
      after.names.set(path, kept);
      after.durableNames.set(path, kept);
    }
    return after;
  }

  async open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile> {
    const known = this.names.get(path);
    if (how === 'read' && known === undefined) throw new DiskError('missing', path);
    if (how === 'create_new' && known !== undefined) throw new DiskError('exists', path);
    if (!this.folders.has(folderOf(path))) throw new DiskError('missing', folderOf(path));
    const node = known ?? this.create(path);
    return new PowerCutFile(node, () => {
      this.syncs += 1;
      return this.work();
    });
  }

  async stat(path: string): Promise<FileStat | null> {
    const node = this.names.get(path);
    if (node === undefined) return null;
    return { size: node.now.length, modified_ms: node.modified_ms, identity: node.identity };
  }

  async list(folder: string): Promise<readonly string[]> {
    return [...this.names.keys()].flatMap((path) =>
      folderOf(path) === folder ? [path.slice(folder.length + 1)] : [],
    );
  }

  async makeFolder(path: string): Promise<void> {
    this.folders.add(path);
  }

  async rename(from: string, to: string): Promise<void> {
    this.names.set(to, this.at(from));
    this.names.delete(from);
  }

  async link(from: string, to: string): Promise<void> {
    if (this.names.has(to)) throw new DiskError('exists', to);
    this.names.set(to, this.at(from));
  }

  async remove(path: string): Promise<void> {
    this.names.delete(path);
  }

  async touch(path: string): Promise<void> {
    this.at(path).modified_ms = this.now;
  }

  async syncFolder(folder: string): Promise<void> {
    for (const path of this.durableNames.keys()) {
      if (folderOf(path) === folder && !this.names.has(path)) this.durableNames.delete(path);
    }
    for (const [path, node] of this.names) if (folderOf(path) === folder) this.durableNames.set(path, node);
  }

  private at(path: string): Node {
    const node = this.names.get(path);
    if (node === undefined) throw new DiskError('missing', path);
    return node;
  }

  private create(path: string): Node {
    this.made += 1;
    const empty = Buffer.alloc(0);
    const node = { identity: String(this.made), now: empty, durable: empty, modified_ms: this.now };
    this.names.set(path, node);
    return node;
  }
}

class PowerCutFile implements DiskFile {
  constructor(
    private readonly node: Node,
    private readonly onSync: () => Promise<unknown>,
  ) {}

  async append(bytes: Uint8Array): Promise<void> {
    this.node.now = Buffer.concat([this.node.now, bytes]);
  }

  async overwrite(bytes: Uint8Array): Promise<void> {
    this.node.now = Buffer.concat([bytes, this.node.now.subarray(bytes.length)]);
  }

  async sync(): Promise<void> {
    // What arrives while the disk is at work waits for the next sync.
    const { now } = this.node;
    await this.onSync();
    this.node.durable = now;
  }

  async size(): Promise<number> {
    return this.node.now.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return this.node.now.subarray(offset, offset + length);
  }

  async truncate(size: number): Promise<void> {
    this.node.now = this.node.now.subarray(0, size);
  }

  async close(): Promise<void> {}
}
