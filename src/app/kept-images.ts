import { Blobs } from '../storage/blobs.ts';
import { removeQuietly, type Disk } from '../storage/disk.ts';
import { nodeHasher, nodeIds } from './node-ports.ts';

/** Characters of images that are not sent yet. */
const KEPT = 100 * 1024 * 1024;
/** Older than this, a file that no draft names was left by a window that died. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** The name of the file of each image, by the image's id. */
export type ImageNames = Readonly<Record<string, string>>;

/**
 * Images of drafts, by their ids: in memory for the page, and in files that are named by their content, so that a
 * window may end. A file is durable before a draft names it.
 */
export class KeptImages {
  private readonly bytes = new Map<string, string>();
  private names = new Map<string, string>();
  private readonly blobs: Blobs;

  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
  ) {
    this.blobs = new Blobs(disk, folder, nodeHasher, nodeIds);
  }

  get(id: string): string | undefined {
    return this.bytes.get(id);
  }

  set(id: string, data: string): void {
    if (this.bytes.get(id) === data) return;
    this.bytes.set(id, data);
    this.names.delete(id);
  }

  /** Those of no draft, and the oldest where there are too many. */
  forgetBut(used: ReadonlySet<string>): void {
    let total = 0;
    for (const [id, data] of [...this.bytes].toReversed()) {
      total += data.length;
      if (!used.has(id) || total > KEPT) this.bytes.delete(id);
    }
  }

  /** What drafts of this window, or of another one, were kept with. */
  async take(named: ImageNames, used: ReadonlySet<string>): Promise<void> {
    let total = [...this.bytes.values()].reduce((sum, data) => sum + data.length, 0);
    for (const [id, name] of Object.entries(named)) {
      if (!used.has(id) || this.bytes.has(id)) continue;
      // Its file stays, also where there is no room for it here.
      this.names.set(id, name);
      const bytes = total > KEPT ? null : await this.blobs.get(name);
      if (bytes === null) continue;
      const data = Buffer.from(bytes).toString('base64');
      this.bytes.set(id, data);
      total += data.length;
    }
  }

  /** The names of all that are used, once they can be relied on. */
  async named(used: ReadonlySet<string>): Promise<ImageNames> {
    const names = new Map([...this.names].filter(([id]) => used.has(id)));
    for (const [id, data] of this.bytes) {
      if (!used.has(id) || names.has(id)) continue;
      names.set(id, await this.blobs.put(Buffer.from(data, 'base64')));
    }
    this.names = names;
    return Object.fromEntries(names);
  }

  /** Files that drafts named before, and none does now. */
  async remove(before: ImageNames, now: ImageNames): Promise<void> {
    const needed = new Set(Object.values(now));
    for (const name of new Set(Object.values(before)))
      if (!needed.has(name)) await removeQuietly(this.disk, `${this.folder}/${name}`);
  }

  /** A window may have died between an image and its draft. */
  async removeLeftBehind(now: ImageNames): Promise<void> {
    const needed = new Set(Object.values(now));
    for (const name of await this.disk.list(this.folder)) {
      const path = `${this.folder}/${name}`;
      const stat = needed.has(name) ? null : await this.disk.stat(path);
      if (stat !== null && Date.now() - stat.modified_ms > LEFT_BEHIND_MS)
        await removeQuietly(this.disk, path);
    }
  }
}
