import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/** Writes chunk after chunk until the file has its size. */
export async function writeSized(path: string, size: number, next: () => string): Promise<void> {
  const out = createWriteStream(path);
  for (let written = 0; written < size;) {
    const chunk = next();
    written += Buffer.byteLength(chunk);
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
}
