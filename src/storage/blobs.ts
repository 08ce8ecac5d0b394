import type { Ids } from '../runtime/ports.ts';
import { DiskError, isDiskError, readWhole, replaceFile, type Disk } from './disk.ts';
import { tryLink } from './file-moves.ts';

export interface BytesHasher {
  sha256(bytes: Uint8Array | string): string;
}

export const BLOB_NAME = /^[0-9a-f]{64}$/;

/** Where bodies that no file names are kept for a while, each with the time since when behind its name. */
export function unusedFolder(blobs: string): string {
  return `${blobs}-unused`;
}

/**
 * Bodies by the hash of their content. A name is only given out once the bytes behind it are durable. Whoever collects
 * bodies may have set one aside that is wanted after all: it is found there, and gets its place back. That only ever
 * adds a name, so that the two never undo each other.
 */
export class Blobs {
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly hasher: BytesHasher,
    private readonly ids: Ids,
  ) {}

  async put(bytes: Uint8Array): Promise<string> {
    const name = this.hasher.sha256(bytes);
    const path = `${this.folder}/${name}`;
    if ((await this.read(path, name)) !== null && (await this.claimed(path))) {
      await this.settle();
      return name;
    }
    await this.write(name, bytes);
    return name;
  }

  /**
   * For who is about to name a body that another log names, and may cease to: it looks as young as one that is put. False
   * where there is none of that name.
   */
  async claim(name: string): Promise<boolean> {
    if (!BLOB_NAME.test(name)) return false;
    const path = `${this.folder}/${name}`;
    if (await this.claimed(path)) return true;
    if ((await this.get(name)) === null) return false;
    await this.claimed(path);
    return true;
  }

  /** For who names what another has put here, and may have died before its name was durable. */
  async settle(): Promise<void> {
    await this.disk.syncFolder(this.folder);
  }

  /** Null when the body is not there or is not what its name says. */
  async get(name: string): Promise<Uint8Array | null> {
    if (!BLOB_NAME.test(name)) return null;
    const path = `${this.folder}/${name}`;
    // Looked for a second time in its place: it may have been put back just when it was looked for where it was.
    return (await this.read(path, name)) ?? (await this.takeBack(name)) ?? (await this.read(path, name));
  }

  /** In bytes, without reading it; 0 where it is not in its place. */
  async size(name: string): Promise<number> {
    return BLOB_NAME.test(name) ? ((await this.disk.stat(`${this.folder}/${name}`))?.size ?? 0) : 0;
  }

  private async read(path: string, name: string): Promise<Uint8Array | null> {
    const bytes = await readWhole(this.disk, path);
    return bytes !== null && this.hasher.sha256(bytes) === name ? bytes : null;
  }

  /** False where it is gone since: what is about to be named must look as young as it is to whoever collects. */
  private async claimed(path: string): Promise<boolean> {
    try {
      await this.disk.touch(path);
      return true;
    } catch (error) {
      if (error instanceof DiskError) return false;
      throw error;
    }
  }

  private async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = `${this.folder}/${name}`;
    await this.disk.makeFolder(this.folder);
    await replaceFile(this.disk, path, bytes, {
      temporary: `${path}.${this.ids.next('event')}.tmp`,
      durable: true,
    });
  }

  private async takeBack(name: string): Promise<Uint8Array | null> {
    const aside = unusedFolder(this.folder);
    for (const file of await this.disk.list(aside)) {
      if (!file.startsWith(`${name}.`)) continue;
      const bytes = await this.read(`${aside}/${file}`, name);
      if (bytes === null) continue;
      await this.putBack(`${aside}/${file}`, name, bytes);
      return bytes;
    }
    return null;
  }

  /** Reading goes on where nothing can be written. */
  private async putBack(from: string, name: string, bytes: Uint8Array): Promise<void> {
    try {
      const linked = await tryLink(this.disk, from, `${this.folder}/${name}`).catch(unlessTaken);
      if (linked) await this.disk.syncFolder(this.folder);
      else await this.write(name, bytes);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
    }
  }
}

/** Something else has the name, or the one that was found is gone: the bytes are at hand. */
function unlessTaken(error: unknown): false {
  if (isDiskError(error, 'exists') || isDiskError(error, 'missing')) return false;
  throw error;
}
