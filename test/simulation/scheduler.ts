import type { Clock } from '../../src/runtime/ports.ts';
import type { Random } from './random.ts';

/** A process of the simulated machine. What it began never ends once it is dead. */
export interface Owner {
  readonly pid: number;
  readonly alive: boolean;
}

interface Pending {
  readonly label: string;
  /** Null for what goes on outside any process. */
  readonly owner: Owner | null;
  complete(): void;
  /** What may have come of it when its owner dies meanwhile. */
  abandon(): void;
}

interface Timer {
  readonly owner: Owner;
  readonly due: number;
  fire(): void;
}

export interface Choice {
  readonly weight: number;
  take(): void;
}

const START = Date.UTC(2030, 0, 1);

/**
 * Everything that takes time is a pending completion, and chance picks the next one. Virtual time stands
 * still until a timer is picked; the earliest always goes first.
 */
export class Scheduler {
  private time = START;
  private pending: Pending[] = [];
  private timers: Timer[] = [];

  constructor(
    private readonly random: Random,
    /** How readily time goes on while other things are pending, against 1 for each of them. */
    private timeWeight: number,
    private readonly note: (line: string) => void,
  ) {}

  get now(): number {
    return this.time;
  }

  get elapsed(): number {
    return this.time - START;
  }

  /** Does `act` at some later step. A dead process gets no answer. */
  perform<T>(owner: Owner | null, label: string, act: () => T, abandon: () => void = nothing): Promise<T> {
    if (owner !== null && !owner.alive) return new Promise<T>(nothing);
    return new Promise((resolve, reject) => {
      const complete = (): void => {
        try {
          resolve(act());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.pending.push({ label, owner, complete, abandon });
    });
  }

  clock(owner: Owner): Clock {
    return {
      now: () => this.time,
      steady: () => this.time,
      sleep: (ms, signal) => this.sleep(owner, ms, signal),
    };
  }

  /** From now on time passes only when nothing else is pending. */
  calm(): void {
    this.timeWeight = 1e-9;
  }

  /** One step: a completion, the passing of time, or one of the other choices. */
  step(others: readonly Choice[]): void {
    const choices: Choice[] = this.pending.map((pending) => ({
      weight: 1,
      take: () => this.complete(pending),
    }));
    if (this.timers.length > 0) choices.push({ weight: this.timeWeight, take: () => this.passTime() });
    choices.push(...others.filter(({ weight }) => weight > 0));
    let left = this.random.unit() * choices.reduce((sum, { weight }) => sum + weight, 0);
    const chosen = choices.find(({ weight }) => (left -= weight) < 0);
    if (chosen === undefined) throw new Error('nothing is pending and nothing can happen: a deadlock');
    chosen.take();
  }

  /** The owner is dead: none of its work completes, but some of it may have happened. */
  abandon(owner: Owner): void {
    const left = this.pending.filter((pending) => pending.owner === owner);
    this.pending = this.pending.filter((pending) => pending.owner !== owner);
    this.timers = this.timers.filter((timer) => timer.owner !== owner);
    for (const pending of left) pending.abandon();
  }

  /** Nothing outside the processes goes on either. */
  powerOff(): void {
    this.pending = [];
    this.timers = [];
  }

  pendingOf(owner: Owner, matches: (label: string) => boolean): number {
    return this.pending.filter((pending) => pending.owner === owner && matches(pending.label)).length;
  }

  private complete(pending: Pending): void {
    this.pending.splice(this.pending.indexOf(pending), 1);
    this.note(pending.label);
    pending.complete();
  }

  private passTime(): void {
    const due = Math.min(...this.timers.map((timer) => timer.due));
    const timer = this.random.pick(this.timers.filter((candidate) => candidate.due === due));
    this.timers.splice(this.timers.indexOf(timer), 1);
    this.time = Math.max(this.time, due);
    this.note(`time +${this.elapsed}`);
    timer.fire();
  }

  private sleep(owner: Owner, ms: number, signal: AbortSignal): Promise<void> {
    if (!owner.alive) return new Promise(nothing);
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.timers = this.timers.filter((other) => other !== timer);
        resolve();
      };
      const timer: Timer = { owner, due: this.time + Math.max(0, ms), fire: resolve };
      this.timers.push(timer);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

function nothing(): void {
  // The answer that never comes.
}
