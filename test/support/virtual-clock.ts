import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '../../src/runtime/ports.ts';

interface Sleeper {
  readonly wakes_at: number;
  readonly wake: () => void;
}

/** More steps than any test needs: a test that would run for ever fails instead. */
const MOST_STEPS = 10_000;

/** Time that passes only when it is told to, or when nothing else can happen. */
export class VirtualClock implements Clock {
  private time = Date.UTC(2026, 0, 1);
  private behind = 0;
  private readonly sleepers = new Set<Sleeper>();
  private readonly working = new Set<Promise<unknown>>();

  now(): number {
    return this.time - this.behind;
  }

  steady(): number {
    return this.time;
  }

  /** As by a person or a time server: sleeps are as long as before. */
  setBack(ms: number): void {
    this.behind += ms;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.sleepers.delete(sleeper);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { wakes_at: this.time + Math.max(0, ms), wake };
      this.sleepers.add(sleeper);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Sleeps that nobody has ended: more than none after a run is a leak. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  /** Whoever sleeps never wakes: their process is gone. */
  forget(): void {
    this.sleepers.clear();
  }

  /** Work that takes no time here, though it does elsewhere, such as that of a real disk: nothing is idle before it is over. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.working.add(work);
    try {
      return await work;
    } finally {
      this.working.delete(work);
    }
  }

  /** Lets all that is ready happen, without any time passing. */
  async idle(): Promise<void> {
    await immediate();
    while (this.working.size > 0) {
      await Promise.allSettled(this.working);
      await immediate();
    }
  }

  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.idle();
    for (let next = this.next(); next !== null && next.wakes_at <= until; next = this.next()) {
      this.time = next.wakes_at;
      next.wake();
      await this.idle();
    }
    this.time = until;
  }

  /** Runs until the work is settled; jumps to the next sleeper whenever nothing else can happen. */
  async until<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const note = (): void => {
      settled = true;
    };
    work.then(note, note);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      await this.idle();
      if (settled) return work;
      const next = this.next();
      if (next === null) throw new Error('it hangs: nothing can happen any more');
      this.time = next.wakes_at;
      next.wake();
    }
    throw new Error(`still not settled after ${MOST_STEPS} steps`);
  }

  private next(): Sleeper | null {
    let first: Sleeper | null = null;
    for (const sleeper of this.sleepers) {
      if (first === null || sleeper.wakes_at < first.wakes_at) first = sleeper;
    }
    return first;
  }
}
