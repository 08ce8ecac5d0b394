import {
  DiskError,
  type Disk,
  type DiskErrorKind,
  type DiskFile,
  type FileStat,
} from '../../src/storage/disk.ts';

export type CallKind = Exclude<keyof Disk, 'stat' | 'list'> | Exclude<keyof DiskFile, 'size' | 'close'>;

export interface DiskCall {
  readonly kind: CallKind;
  readonly path: string;
  /** How much is asked for or given, for reads and writes. */
  readonly bytes: number;
}

/** What becomes of a call: nothing unusual, or a failure, of a write after some of its bytes. */
export type Fate = { readonly fail: DiskErrorKind; readonly written?: number } | undefined;

/** The calls by which a file gets its whole content, and its name, so that a power cut takes neither. */
export const WRITTEN_FOR_GOOD: readonly CallKind[] = ['open', 'append', 'sync', 'rename', 'syncFolder'];

/** A disk that tells of every call before it does it, and fails those it is told to. */
export class WatchedDisk implements Disk {
  /** Files that are open now. */
  readonly held = new Set<DiskFile>();

  constructor(
    private readonly disk: Disk,
    private readonly fateOf: (call: DiskCall) => Fate | Promise<Fate>,
  ) {}

  async open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile> {
    await this.meet({ kind: 'open', path, bytes: 0 });
    const file = new WatchedFile(await this.disk.open(path, how), path, this.held, (call) =>
      this.fateOf(call),
    );
    this.held.add(file);
    return file;
  }

  stat(path: string): Promise<FileStat | null> {
    return this.disk.stat(path);
  }

  list(folder: string): Promise<readonly string[]> {
    return this.disk.list(folder);
  }

  async makeFolder(path: string): Promise<void> {
    await this.meet({ kind: 'makeFolder', path, bytes: 0 });
    return this.disk.makeFolder(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.meet({ kind: 'rename', path: to, bytes: 0 });
    return this.disk.rename(from, to);
  }

  async link(from: string, to: string): Promise<void> {
    await this.meet({ kind: 'link', path: to, bytes: 0 });
    return this.disk.link(from, to);
  }

  async remove(path: string): Promise<void> {
    await this.meet({ kind: 'remove', path, bytes: 0 });
    return this.disk.remove(path);
  }

  async touch(path: string): Promise<void> {
    await this.meet({ kind: 'touch', path, bytes: 0 });
    return this.disk.touch(path);
  }

  async syncFolder(path: string): Promise<void> {
    await this.meet({ kind: 'syncFolder', path, bytes: 0 });
    return this.disk.syncFolder(path);
  }

  private async meet(call: DiskCall): Promise<void> {
    failIf(call, await this.fateOf(call));
  }
}

class WatchedFile implements DiskFile {
  constructor(
    private readonly file: DiskFile,
    private readonly path: string,
    private readonly held: Set<DiskFile>,
    private readonly fateOf: (call: DiskCall) => Fate | Promise<Fate>,
  ) {}

  async append(bytes: Uint8Array): Promise<void> {
    const call: DiskCall = { kind: 'append', path: this.path, bytes: bytes.length };
    const fate = await this.fateOf(call);
    if (fate?.written !== undefined) await this.file.append(bytes.subarray(0, fate.written));
    failIf(call, fate);
    return this.file.append(bytes);
  }

  async overwrite(bytes: Uint8Array): Promise<void> {
    await this.meet('overwrite', bytes.length);
    return this.file.overwrite(bytes);
  }

  async sync(): Promise<void> {
    await this.meet('sync', 0);
    return this.file.sync();
  }

  size(): Promise<number> {
    return this.file.size();
  }

  async read(offset: number, length: number, into?: Buffer): Promise<Uint8Array> {
    await this.meet('read', length);
    return this.file.read(offset, length, into);
  }

  async truncate(size: number): Promise<void> {
    await this.meet('truncate', 0);
    return this.file.truncate(size);
  }

  close(): Promise<void> {
    this.held.delete(this);
    return this.file.close();
  }

  private async meet(kind: CallKind, bytes: number): Promise<void> {
    const call: DiskCall = { kind, path: this.path, bytes };
    failIf(call, await this.fateOf(call));
  }
}

function failIf(call: DiskCall, fate: Fate): void {
  if (fate !== undefined) throw new DiskError(fate.fail, `${call.kind} of ${call.path} fails on purpose`);
}
