import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rmdir, type FileHandle } from 'node:fs/promises';
import { isWhereExpected } from './opened-files.ts';
import { pathsOf, type Platform } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';

/**
 * A folder that stays the same one while files in it are written, also when someone puts a link in its place.
 * Linux can name entries through the open folder; elsewhere the folder is compared again before each use.
 */
export class HeldFolder {
  private constructor(
    readonly real: string,
    private readonly platform: Platform,
    private readonly handle: FileHandle | undefined,
  ) {}

  /** Undefined when the path is no longer a real folder at that place. */
  static async open(real: string, platform: Platform): Promise<HeldFolder | undefined> {
    if (platform === 'win32') {
      const held = new HeldFolder(real, platform, undefined);
      return (await held.isInPlace()) ? held : undefined;
    }
    const handle = await openFolder(real);
    if (handle === undefined) return undefined;
    const stat = await handle.stat({ bigint: true });
    if (await isWhereExpected(handle.fd, stat, real, platform)) return new HeldFolder(real, platform, handle);
    await handle.close();
    return undefined;
  }

  /** How to name an entry so that it is in this very folder. */
  entry(name: string): string {
    return this.handle !== undefined && this.platform === 'linux'
      ? `/proc/self/fd/${this.handle.fd}/${name}`
      : pathsOf(this.platform).join(this.real, name);
  }

  async isInPlace(): Promise<boolean> {
    try {
      if (this.handle !== undefined) {
        const stat = await this.handle.stat({ bigint: true });
        return await isWhereExpected(this.handle.fd, stat, this.real, this.platform);
      }
      return (await lstat(this.real)).isDirectory() && (await realpath(this.real)) === this.real;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
  }

  /** Makes a rename durable. Windows has no such call: its file system journals names by itself. */
  async sync(): Promise<void> {
    await this.handle?.sync();
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }
}

async function openFolder(real: string): Promise<FileHandle | undefined> {
  try {
    return await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/** Makes a folder and those above it. Answers the ones that it made, outermost first. */
export async function makeFolders(real: string, platform: Platform): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let folder = real; !(await exists(folder)); folder = pathsOf(platform).dirname(folder)) {
    missing.unshift(folder);
  }
  const made: string[] = [];
  for (const folder of missing) {
    try {
      await mkdir(folder);
      made.push(folder);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue;
      await removeFolders(made);
      throw error;
    }
  }
  return made;
}

/** Takes back folders that were made for a file that was then not written; one in use by now stays. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
