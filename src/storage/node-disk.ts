import { constants, fstatSync, statSync, writeSync } from 'node:fs';
import { link, mkdir, open, readdir, rename, unlink, utimes, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

/** What file systems say that have no sync of folders: their names need none, or nothing can be done. */
const NO_FOLDER_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Virus scanners and indexers of Windows hold files for moments, in which they cannot be replaced. */
const BUSY: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);
const BUSY_WAITS_MS = process.platform === 'win32' ? [5, 20, 50, 100, 200] : [];

/** Up to here a write into the cache of the system takes less than a hop to another thread. */
const WRITE_AT_ONCE = 256 * 1024;

/** The file system of Node. Files are for their owner alone: logs hold what people wrote and ran. */
export class NodeDisk implements Disk {
  open(path: string, how: 'read' | 'append' | 'create_new'): Promise<DiskFile> {
    return attempt(async () => new NodeFile(await open(path, FLAGS[how], 0o600)));
  }

  /** Synchronous on purpose: it is asked at every append, and a thread hop costs more than the call. */
  async stat(path: string): Promise<FileStat | null> {
    return attempt(async () => {
      // As big integers: file ids of Windows have 64 bits, and two files must never look like one.
      const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
      return stat === undefined
        ? null
        : {
            size: Number(stat.size),
            modified_ms: Number(stat.mtimeNs) / 1e6,
            identity: `${stat.dev}:${stat.ino}`,
            ...(stat.isDirectory() ? { is_folder: true as const } : {}),
          };
    });
  }

  async list(folder: string): Promise<readonly string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw asDiskError(error);
    }
  }

  async makeFolder(path: string): Promise<void> {
    const first = await attempt(() => mkdir(path, { recursive: true, mode: 0o700 }));
    if (first === undefined) return;
    for (let made = path; made.length >= first.length; made = dirname(made))
      await this.syncFolder(dirname(made));
  }

  rename(from: string, to: string): Promise<void> {
    return attempt(async () => {
      for (const wait of BUSY_WAITS_MS) {
        try {
          return await rename(from, to);
        } catch (error) {
          if (!BUSY.has(codeOf(error))) throw error;
          await delay(wait);
        }
      }
      return rename(from, to);
    });
  }

  link(from: string, to: string): Promise<void> {
    return attempt(() => link(from, to));
  }

  remove(path: string): Promise<void> {
    return attempt(() => unlink(path).catch(unlessMissing));
  }

  touch(path: string): Promise<void> {
    const now = new Date();
    return attempt(() => utimes(path, now, now));
  }

  async syncFolder(path: string): Promise<void> {
    // Windows has no handle of a folder to sync: NTFS journals its names by itself.
    if (process.platform === 'win32') return;
    await attempt(async () => {
      const handle = await open(path, constants.O_RDONLY);
      try {
        await handle.sync();
      } catch (error) {
        if (!NO_FOLDER_SYNC.has(codeOf(error))) throw error;
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
        const left = bytes.length - done;
        if (left <= WRITE_AT_ONCE) done += writeSync(this.handle.fd, bytes, done, left, null);
        else done += (await this.handle.write(bytes, done, left, null)).bytesWritten;
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

  async read(offset: number, length: number, into?: Buffer): Promise<Uint8Array> {
    return attempt(async () => {
      const buffer = into ?? Buffer.allocUnsafe(length);
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
    throw asDiskError(error);
  }
}

function asDiskError(error: unknown): DiskError {
  const message = error instanceof Error ? error.message : String(error);
  return new DiskError(KINDS[codeOf(error)] ?? 'other', message, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
