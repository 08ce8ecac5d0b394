import type { Readable } from 'node:stream';

/** A program can write faster than anybody needs to read: then it has to wait, and our process stays free. */
const BURST_BYTES = 1_024 * 1_024;
const REST_MS = 5;

/** Reads streams as they come, but rests after each burst, so that a flood leaves time for other things. */
export function takeIn(streams: readonly (Readable | null)[], take: (chunk: Buffer) => void): void {
  let left = BURST_BYTES;
  const goOn = () => {
    left = BURST_BYTES;
    for (const stream of streams) if (stream?.destroyed === false) stream.resume();
  };
  const onData = (chunk: Buffer) => {
    take(chunk);
    left -= chunk.length;
    if (left > 0 || left + chunk.length <= 0) return;
    for (const stream of streams) stream?.pause();
    setTimeout(goOn, REST_MS);
  };
  for (const stream of streams) stream?.on('data', onData);
}
