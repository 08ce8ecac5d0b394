import { constants, fstatSync, statSync } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { DiskError, type Disk, type DiskErrorKind, type DiskFile, type FileStat } from './disk.ts';

const KINDS: Readonly<Record<string, DiskErrorKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EEXIST: 'exists',
  ENOENT: 'missing',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
};

const FLAGS = {
  read: constants.O_RDONLY,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  create_new: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
} as const;

/** The file system of Node. Files are for their owner alone: logs hold what people wrote and ran. */
export class NodeDisk implements Disk {
  open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile> {
    return attempt(async () => new NodeFile(await open(path, FLAGS[how], 0o600)));
  }

  /** Synchronous on purpose: it is asked at every append, and a thread hop costs more than the call. */
  async stat(path: string): Promise<FileStat | null> {
    return attempt(async () => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined
        ? null
        : { size: stat.size, modified_ms: stat.mtimeMs, identity: `${stat.dev}:${stat.ino}` };
    });
  }

  list(folder: string): Promise<readonly string[]> {
    return attempt(() => readdir(folder));
  }

  async makeFolder(path: string): Promise<void> {
    await attempt(() => mkdir(path, { recursive: true, mode: 0o700 }));
  }

  rename(from: string, to: string): Promise<void> {
    return attempt(() => rename(from, to));
  }

  link(from: string, to: string): Promise<void> {
    return attempt(() => link(from, to));
  }

  remove(path: string): Promise<void> {
    return attempt(() => rm(path, { force: true }));
  }

  async syncFolder(path: string): Promise<void> {
    // Windows has no handle of a folder to sync: NTFS journals its names by itself.
    if (process.platform === 'win32') return;
    await attempt(async () => {
      const handle = await open(path, constants.O_RDONLY);
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  }
}

class NodeFile implements DiskFile {
  constructor(private readonly handle: FileHandle) {}

  async append(bytes: Uint8Array): Promise<void> {
    await attempt(async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done, null);
        done += bytesWritten;
      }
    });
  }

  async overwrite(bytes: Uint8Array): Promise<void> {
    await attempt(() => this.handle.write(bytes, 0, bytes.length, 0));
  }

  sync(): Promise<void> {
    return attempt(() => this.handle.datasync());
  }

  async size(): Promise<number> {
    return attempt(async () => fstatSync(this.handle.fd).size);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    return attempt(async () => {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await this.handle.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    });
  }

  truncate(size: number): Promise<void> {
    return attempt(() => this.handle.truncate(size));
  }

  close(): Promise<void> {
    return attempt(() => this.handle.close());
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = error instanceof Error ? error.message : String(error);
    throw new DiskError(KINDS[code] ?? 'other', message, { cause: error });
  }
}
