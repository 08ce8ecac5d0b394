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

/** A folder to write into, with the folders that had to be made for it. */
export class PreparedFolder {
  private constructor(
    readonly folder: HeldFolder,
    /** From the outermost that was missing. */
    private readonly steps: readonly Step[],
  ) {}

  /**
   * Opens a folder and makes it, and those above it, where they are missing. Each is made inside the one that
   * is held open, so that none ends up elsewhere. Undefined when something else took the place of one.
   */
  static async open(real: string, platform: Platform): Promise<PreparedFolder | undefined> {
    const paths = pathsOf(platform);
    const missing: string[] = [];
    let existing = real;
    for (; !(await exists(existing)); existing = paths.dirname(existing)) {
      missing.unshift(paths.basename(existing));
    }
    const steps: Step[] = [];
    let held = await HeldFolder.open(existing, platform);
    try {
      for (const name of missing) {
        if (held === undefined) break;
        const step: Step = { parent: held, name, made: false };
        steps.push(step);
        held = undefined;
        step.made = await makeFolder(step.parent.entry(name));
        held = await HeldFolder.open(paths.join(step.parent.real, name), platform);
      }
    } catch (error) {
      await undoAll(steps);
      throw error;
    }
    if (held !== undefined) return new PreparedFolder(held, steps);
    await undoAll(steps);
    return undefined;
  }

  /** How far up from the folder those are that were made, from the outermost; 0 is the folder itself. */
  get made(): readonly number[] {
    return this.steps.flatMap(({ made }, at) => (made ? [this.steps.length - 1 - at] : []));
  }

  /** Takes back what was made, for a file that was then not written; a folder in use by now stays. */
  async undo(): Promise<void> {
    await this.folder.close();
    await undoAll(this.steps);
  }

  async close(): Promise<void> {
    await this.folder.close();
    for (const { parent } of this.steps) await parent.close();
  }
}

interface Step {
  readonly parent: HeldFolder;
  readonly name: string;
  /** False where another call made the same folder first. */
  made: boolean;
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function undoAll(steps: readonly Step[]): Promise<void> {
  for (const { parent, name, made } of steps.toReversed()) {
    try {
      if (made) await rmdir(parent.entry(name));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    } finally {
      await parent.close();
    }
  }
}

/** Whether a folder was there and empty, and is gone now. One that is in use, or is a link by now, stays. */
export async function removeIfEmpty(real: string, platform: Platform): Promise<boolean> {
  const paths = pathsOf(platform);
  const parent = await HeldFolder.open(paths.dirname(real), platform);
  if (parent === undefined) return false;
  try {
    await rmdir(parent.entry(paths.basename(real)));
    await parent.sync();
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  } finally {
    await parent.close();
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
