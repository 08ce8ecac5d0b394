import { DiskError } from '../../src/storage/disk.ts';
import type { Random } from './random.ts';

export type FaultPlan = Readonly<Record<'write' | 'sync' | 'rename' | 'open' | 'look', number>> & {
  /** How many in all: a disk that fails for ever lets nothing be proven. */
  readonly budget: number;
};

/** Makes disk operations fail, as often as planned. */
export class Faults {
  /** How many there were. */
  struck = 0;
  private ended = false;

  constructor(
    private readonly plan: FaultPlan,
    private readonly random: Random,
    private readonly note: (line: string) => void,
  ) {}

  end(): void {
    this.ended = true;
  }

  /** Throws when the operation is to fail, after what it may have done on the way. */
  strike(operation: 'write' | 'sync' | 'rename' | 'open' | 'look' | 'close', partly?: () => void): void {
    if (operation === 'close' || this.ended || this.struck >= this.plan.budget) return;
    if (!this.random.chance(this.plan[operation])) return;
    this.struck += 1;
    partly?.();
    const kind = operation === 'write' && this.random.chance(0.5) ? 'full' : 'other';
    this.note(`  fault: ${operation} ${kind}`);
    throw new DiskError(kind, `simulated ${operation} failure`);
  }
}
