import type { News } from './child-session.ts';
import type { LiveChild } from './live-child.ts';

type Timer = (callback: () => void) => void;

/** Those of which the presenter has not been told the latest, and whether it will be. */
interface Batch {
  readonly waiting: Map<string, LiveChild>;
  isDue: boolean;
  readonly timer: Timer;
}

/** What is new of children, told together: facts with the next frame; signs of life come all the time, and can wait. */
export class ToldNews {
  private readonly batches: Readonly<Record<News, Batch>>;

  constructor(
    timers: Readonly<Record<News, Timer>>,
    private readonly tell: (which: readonly LiveChild[]) => void,
  ) {
    const batch = (timer: Timer): Batch => ({ waiting: new Map(), isDue: false, timer });
    this.batches = { fact: batch(timers.fact), sign: batch(timers.sign) };
  }

  note(live: LiveChild, what: News): void {
    const batch = this.batches[what];
    // Whatever is told of it says when the last sign came.
    if (what === 'fact') this.batches.sign.waiting.delete(live.id);
    batch.waiting.set(live.id, live);
    if (batch.isDue) return;
    batch.isDue = true;
    batch.timer(() => {
      batch.isDue = false;
      const all = [...batch.waiting.values()];
      batch.waiting.clear();
      if (all.length > 0) this.tell(all);
    });
  }

  /** Nobody is to be told of them any more. */
  forget(): void {
    for (const { waiting } of Object.values(this.batches)) waiting.clear();
  }
}
