/** The last bytes of a stream. What a chunk costs depends on its own length only. */
export class LastBytes {
  private readonly ring: Buffer;
  private total = 0;

  constructor(private readonly limit: number) {
    this.ring = Buffer.alloc(limit);
  }

  push(chunk: Buffer): void {
    const last = chunk.subarray(Math.max(0, chunk.length - this.limit));
    this.total += chunk.length;
    const copied = last.copy(this.ring, (this.total - last.length) % this.limit);
    last.copy(this.ring, 0, copied);
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }

  /** Whether there were more. */
  get isCut(): boolean {
    return this.total > this.limit;
  }

  bytes(): Buffer {
    const next = this.total % this.limit;
    return this.isCut
      ? Buffer.concat([this.ring.subarray(next), this.ring.subarray(0, next)])
      : Buffer.from(this.ring.subarray(0, this.total));
  }

  clear(): void {
    this.total = 0;
  }
}
