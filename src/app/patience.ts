import { nodeClock } from './node-ports.ts';

/** How long a message waits for its session to be known, and an end for what hangs. */
export const PATIENCE_MS = 5000;

/** Whether the work was done in time; when not, it goes on, and nobody waits for it any more. */
export async function within(ms: number, work: Promise<unknown>): Promise<'done' | 'late'> {
  const done = new AbortController();
  const late = nodeClock.sleep(ms, done.signal).then(() => 'late' as const);
  try {
    return await Promise.race([work.then(() => 'done' as const), late]);
  } finally {
    done.abort();
  }
}
