import type { InterruptedReason } from './events.ts';
import { timeAtWork } from './held-time.ts';
import type { Clock } from './ports.ts';
import type { RunEnd, RunResult } from './run-end.ts';
import { TurnRun } from './turn-loop.ts';
import type { RunChildren, TurnContext } from './turn-context.ts';

export type RunContext = Omit<TurnContext, 'signal' | 'halt' | 'abort' | 'elapsed'>;

/** What a turn may take, and what it took before this run of it. */
interface TurnTime {
  readonly budget: number;
  readonly ran_ms: number;
  readonly children: RunChildren;
}

/** One run under way: what it does, how it is told to halt, and the time it may take. */
export class ActiveRun {
  private readonly controller = new AbortController();
  private readonly run: TurnRun;
  /** Resolves when the run is over, with what it came to; rejects as the run does. */
  readonly result: Promise<RunResult>;

  /** `begun` is the steady count when it was asked for: what came before the first step counts too. */
  constructor(context: RunContext, begun: number) {
    const { signal } = this.controller;
    const { publish, clock, settings, children } = context;
    const { ran_ms } = context.turn();
    const heldBefore = children.heldFor();
    // While a child waits for a person, time stands still for whoever waits for the child.
    const elapsed = (): number =>
      ran_ms + Math.round(clock.steady() - begun - (children.heldFor() - heldBefore));
    this.run = new TurnRun({
      ...context,
      elapsed,
      signal,
      halt: () => (signal.aborted ? haltReason(signal) : null),
      abort: (end) => this.controller.abort(end),
      // After a halt nothing more is rendered: what was shown is what gets recorded.
      publish: (output) => {
        if (!signal.aborted) publish(output);
      },
    });
    this.result = this.carry(clock, { budget: settings.turn_timeout_ms, ran_ms, children });
  }

  private async carry(clock: Clock, time: TurnTime): Promise<RunResult> {
    // Begins a moment later: whatever it publishes first can already stop it.
    await Promise.resolve();
    const over = new AbortController();
    const limit = this.haltAfter(clock, time, over.signal);
    try {
      return await this.run.carry();
    } finally {
      over.abort();
      await limit;
    }
  }

  private async haltAfter(clock: Clock, time: TurnTime, over: AbortSignal): Promise<void> {
    const { budget, ran_ms, children } = time;
    await timeAtWork(Math.max(0, budget - ran_ms), clock, children, over);
    if (!over.aborted) this.controller.abort(timeoutEnd(budget));
  }

  halt(reason: InterruptedReason): void {
    this.controller.abort({ kind: 'interrupted', reason } satisfies RunEnd);
  }

  wake(): void {
    this.run.wake();
  }
}

function timeoutEnd(budget: number): RunEnd {
  const message = `The turn did not finish within its budget of ${budget / 1000} s.`;
  return { kind: 'stopped', code: 'timeout', message, details: { timeout_ms: budget } };
}

function haltReason(signal: AbortSignal): RunEnd {
  const reason: unknown = signal.reason;
  return isRunEnd(reason) ? reason : { kind: 'interrupted', reason: 'disconnect' };
}

/** The controller is private to a run, and every abort of it gives a `RunEnd`. */
function isRunEnd(reason: unknown): reason is RunEnd {
  return typeof reason === 'object' && reason !== null && 'kind' in reason;
}
