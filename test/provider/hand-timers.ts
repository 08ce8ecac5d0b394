import type { SocketTimers } from '../../src/provider/socket-timers.ts';

/** Time that passes when a test says so. */
export class HandTimers implements SocketTimers {
  private time = Date.UTC(2026, 0, 1);
  private readonly waiting = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, call: () => void): () => void {
    const one = { at: this.time + ms, call };
    this.waiting.add(one);
    return () => this.waiting.delete(one);
  }

  /** How many are waited for: what is left after everything was closed is a leak. */
  get pending(): number {
    return this.waiting.size;
  }

  /** A machine that slept: nothing happened meanwhile. */
  skip(ms: number): void {
    this.time += ms;
  }

  pass(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const [next] = [...this.waiting].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.waiting.delete(next);
      this.time = Math.max(this.time, next.at);
      next.call();
    }
    this.time = until;
  }
}
