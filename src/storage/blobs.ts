import type { Ids } from '../runtime/ports.ts';
import { readWhole, replaceFile, type Disk } from './disk.ts';

export interface BytesHasher {
  sha256(bytes: Uint8Array | string): string;
}

/** Bodies by the hash of their content. A name is only given out once the bytes behind it are durable. */
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
    if ((await this.get(name)) !== null) {
      // Who wrote it may have died before its name was durable.
      await this.disk.syncFolder(this.folder);
      return name;
    }
    await this.disk.makeFolder(this.folder);
    await replaceFile(this.disk, path, bytes, {
      temporary: `${path}.${this.ids.next('event')}.tmp`,
      durable: true,
    });
    return name;
  }

  /** Null when the body is not there or is not what its name says. */
  async get(name: string): Promise<Uint8Array | null> {
    if (!/^[0-9a-f]{64}$/.test(name)) return null;
    const bytes = await readWhole(this.disk, `${this.folder}/${name}`);
    return bytes !== null && this.hasher.sha256(bytes) === name ? bytes : null;
  }
}
