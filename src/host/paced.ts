/**
 * Does some work as soon as it is asked for, and again no sooner than a pause after it ended. What is asked for
 * meanwhile is done together, at the end of the shortest pause that anyone asked for.
 */
export class Paced {
  private timer: NodeJS.Timeout | null = null;
  private due = 0;
  private ended = Number.NEGATIVE_INFINITY;
  private isWorking = false;
  /** The pause after the work that goes on now; null when nobody has asked for more. */
  private next: number | null = null;
  private isDisposed = false;

  /** The work reports its own failures. */
  constructor(private readonly work: () => Promise<void>) {}

  ask(pauseMs: number): void {
    if (this.isDisposed) return;
    if (this.isWorking) {
      this.next = Math.min(this.next ?? pauseMs, pauseMs);
      return;
    }
    const now = performance.now();
    const due = Math.max(now, this.ended + pauseMs);
    if (this.timer !== null) {
      if (this.due <= due) return;
      clearTimeout(this.timer);
    }
    this.due = due;
    this.timer = setTimeout(() => void this.begin(), due - now);
  }

  dispose(): void {
    this.isDisposed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async begin(): Promise<void> {
    this.timer = null;
    this.isWorking = true;
    try {
      await this.work();
    } finally {
      this.isWorking = false;
      this.ended = performance.now();
      const { next } = this;
      this.next = null;
      if (next !== null) this.ask(next);
    }
  }
}
