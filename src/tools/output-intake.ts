import type { Readable } from 'node:stream';

/** A program can write faster than anybody needs to read: then it has to wait, and our process stays free. */
const BURST_BYTES = 1_024 * 1_024;
const REST_MS = 5;

/** Reads streams as they come, but rests after each burst, so that a flood leaves time for other things. */
export class OutputIntake {
  private left = BURST_BYTES;
  private state: 'reading' | 'resting' | 'hurrying' = 'reading';

  constructor(
    private readonly streams: readonly Readable[],
    take: (chunk: Buffer) => void,
  ) {
    for (const stream of streams) {
      stream.on('data', (chunk: Buffer) => {
        take(chunk);
        this.left -= chunk.length;
        if (this.left <= 0 && this.state === 'reading') this.rest();
      });
    }
  }

  /** No rest any more: the program is to end, and what passes its output on ends when all is read. */
  hurry(): void {
    if (this.state === 'resting') this.resume();
    this.state = 'hurrying';
  }

  private rest(): void {
    this.state = 'resting';
    for (const stream of this.streams) stream.pause();
    setTimeout(() => {
      if (this.state !== 'resting') return;
      this.state = 'reading';
      this.left = BURST_BYTES;
      this.resume();
    }, REST_MS);
  }

  private resume(): void {
    for (const stream of this.streams) if (!stream.destroyed) stream.resume();
  }
}
