import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** How the event loop was kept waiting, in milliseconds. */
export interface LoopDelay {
  /** By the clock of the wall: also while the system gave the processor to others. */
  readonly wall: Spread;
  /** By the processor time of the thread: what it did in one go. Some systems count that in steps of milliseconds. */
  readonly busy: Spread;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

const EVERY_MS = 1;
const NS_PER_MS = 1e6;

/** What the event loop goes through while something is done. */
export async function watched<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly loop: LoopDelay }> {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  const stretches: number[] = [];
  let last = threadTime();
  const timer = setInterval(() => {
    const now = threadTime();
    stretches.push(now - last);
    last = now;
  }, EVERY_MS);
  delay.enable();
  const value = await work();
  delay.disable();
  clearInterval(timer);
  const wall = {
    p50: delay.percentile(50) / NS_PER_MS,
    p99: delay.percentile(99) / NS_PER_MS,
    most: delay.max / NS_PER_MS,
  };
  return { value, loop: { wall, busy: spread(stretches) } };
}

/** A program that works for a millisecond at a time: how long it is kept waiting is the machine's doing. */
export async function diligence(forMs: number): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const until = performance.now() + 1;
    while (performance.now() < until);
    await setImmediate();
  }
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
