import { afterArrived } from './arrivals.ts';

/**
 * Work that can wait a moment, one piece a task, so that whatever the person does comes in between. What is to be drawn
 * goes before what is to be coloured.
 */
export type Slice = 'draw' | 'colour';

export class Slices {
  private readonly waiting: Record<Slice, Set<() => void>> = { draw: new Set(), colour: new Set() };
  private underWay = false;

  constructor(private readonly later: (callback: () => void) => void) {}

  /** The work is done in a task of its own, unless it is taken back before. */
  add(kind: Slice, work: () => void): () => void {
    this.waiting[kind].add(work);
    this.goOn();
    return () => {
      this.waiting[kind].delete(work);
    };
  }

  private goOn(): void {
    if (this.underWay || this.waiting.draw.size + this.waiting.colour.size === 0) return;
    this.underWay = true;
    this.later(() => {
      this.underWay = false;
      try {
        this.step();
      } finally {
        this.goOn();
      }
    });
  }

  private step(): void {
    const from = this.waiting.draw.size > 0 ? this.waiting.draw : this.waiting.colour;
    const [work] = from;
    if (work === undefined) return;
    from.delete(work);
    work();
  }
}

export const slices = new Slices(afterArrived);
