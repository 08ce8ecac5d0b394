import { DiskError, type Disk, type DiskFile, type FileStat } from '../../src/storage/disk.ts';
import type { Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { Inode, SimFiles } from './sim-files.ts';

export interface SimDiskParts {
  readonly files: SimFiles;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly owner: Owner;
}

/** One process's way to the files: every operation takes its time, may fail, and may be cut off. */
export class SimDisk implements Disk {
  constructor(private readonly parts: SimDiskParts) {}

  open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile> {
    const { files, scheduler } = this.parts;
    return this.operation('open', `${how} ${short(path)}`, () => {
      return new SimFile(files.open(path, how, scheduler.now), path, this.parts);
    });
  }

  stat(path: string): Promise<FileStat | null> {
    return this.operation('look', `stat ${short(path)}`, () => this.parts.files.stat(path));
  }

  list(folder: string): Promise<readonly string[]> {
    const inside = `${folder}/`;
    return this.operation('look', `list ${short(folder)}`, () =>
      this.parts.files
        .paths()
        .filter((path) => path.startsWith(inside))
        .map((path) => path.slice(inside.length)),
    );
  }

  makeFolder(path: string): Promise<void> {
    return this.operation('rename', `folder ${short(path)}`, () => this.parts.files.makeFolder(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.operation('rename', `rename ${short(to)}`, () => this.parts.files.move(from, to));
  }

  link(from: string, to: string): Promise<void> {
    return this.operation('rename', `link ${short(to)}`, () => this.parts.files.link(from, to));
  }

  remove(path: string): Promise<void> {
    return this.operation('rename', `remove ${short(path)}`, () => this.parts.files.remove(path));
  }

  touch(path: string): Promise<void> {
    const { files, scheduler } = this.parts;
    return this.operation('rename', `touch ${short(path)}`, () => files.touch(path, scheduler.now));
  }

  syncFolder(path: string): Promise<void> {
    return this.operation('sync', `sync ${short(path)}`, () => this.parts.files.syncFolder(path));
  }

  private operation<T>(kind: 'open' | 'look' | 'rename' | 'sync', label: string, act: () => T): Promise<T> {
    const { scheduler, owner, faults } = this.parts;
    return scheduler.perform(
      owner,
      label,
      () => {
        faults.strike(kind);
        return act();
      },
      () => perhaps(this.parts.random, act),
    );
  }
}

class SimFile implements DiskFile {
  constructor(
    private readonly inode: Inode,
    private readonly path: string,
    private readonly parts: SimDiskParts,
  ) {}

  append(bytes: Uint8Array): Promise<void> {
    const { scheduler, owner, faults, random } = this.parts;
    const copy = Uint8Array.from(bytes);
    const part = (): void => this.write(copy.subarray(0, random.between(0, copy.length)));
    return scheduler.perform(
      owner,
      `append ${short(this.path)} ${copy.length}`,
      () => {
        faults.strike('write', part);
        this.write(copy);
      },
      part,
    );
  }

  overwrite(bytes: Uint8Array): Promise<void> {
    const copy = Uint8Array.from(bytes);
    return this.operation('write', 'overwrite', () =>
      this.inode.change({ kind: 'overwrite', bytes: copy }, this.parts.scheduler.now),
    );
  }

  sync(): Promise<void> {
    return this.operation('sync', 'sync', () => this.inode.sync());
  }

  size(): Promise<number> {
    return this.operation('look', 'size', () => this.inode.content.length);
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.operation('look', 'read', () =>
      Uint8Array.from(this.inode.content.subarray(offset, offset + length)),
    );
  }

  truncate(size: number): Promise<void> {
    return this.operation('write', 'truncate', () =>
      this.inode.change({ kind: 'truncate', size }, this.parts.scheduler.now),
    );
  }

  close(): Promise<void> {
    return this.operation('close', 'close', () => undefined);
  }

  private write(bytes: Uint8Array): void {
    this.inode.change({ kind: 'append', bytes }, this.parts.scheduler.now);
  }

  private operation<T>(kind: Parameters<Faults['strike']>[0], name: string, act: () => T): Promise<T> {
    const { scheduler, owner, faults, random } = this.parts;
    return scheduler.perform(
      owner,
      `${name} ${short(this.path)}`,
      () => {
        // A failed sync says nothing about what reached the disk.
        faults.strike(kind, kind === 'sync' ? () => perhaps(random, act) : undefined);
        return act();
      },
      () => perhaps(random, act),
    );
  }
}

/** Begun and not answered: it may have happened or not. */
function perhaps(random: Random, act: () => unknown): void {
  if (!random.chance(0.5)) return;
  try {
    act();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
}

function short(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/[0-9a-f]{58}$/, '');
}
