import { setImmediate } from 'node:timers/promises';

const ROUNDS = 4;

export interface Memory {
  /** What the program holds, on the heap of the engine and beside it. */
  readonly held: number;
  /** What the system gave it, which it does not give back at once. */
  readonly resident: number;
}

/** What is in use after all garbage is gone, in bytes. */
export async function memoryInUse(): Promise<Memory> {
  // More than once: what a finalizer lets go of is garbage only then.
  for (let round = 0; round < ROUNDS; round += 1) {
    await globalThis.gc?.({ execution: 'async', type: 'major' });
    await setImmediate();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: heapUsed + external, resident: rss };
}
