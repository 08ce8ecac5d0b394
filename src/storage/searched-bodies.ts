import type { Blobs } from './blobs.ts';
import { DiskError } from './disk.ts';

/** Bodies for one who looks into many: what is too large, or what the disk does not give, is left out and told of. */
export class SearchedBodies {
  /** How many were too large. */
  tooLarge = 0;
  /** Why the disk did not give one; null where it gave all. */
  problem: string | null = null;

  constructor(
    private readonly blobs: Pick<Blobs, 'get' | 'size'>,
    private readonly largest: number,
  ) {}

  async get(name: string): Promise<Uint8Array | null> {
    try {
      if ((await this.blobs.size(name)) <= this.largest) return await this.blobs.get(name);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.problem ??= error.message;
      return null;
    }
    this.tooLarge += 1;
    return null;
  }
}
