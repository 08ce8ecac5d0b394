import { nodeClock } from '../../src/app/node-ports.ts';
import type { Clock } from '../../src/runtime/ports.ts';
import { events, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents, type Answer } from '../support/responses-server/response-events.ts';
export { hangs } from '../support/responses-server/whole-replies.ts';
import type { Replier } from '../support/responses-server/server.ts';

/** An answer whose end the test releases; `arrived` resolves when its request is there. */
export interface HeldReply {
  readonly reply: Replier;
  readonly arrived: Promise<void>;
  release(): void;
}

/** Real time, but for the sleeps of one length: those end when the test says so. */
export class HeldClock implements Clock {
  private readonly sleepers = new Set<() => void>();
  /** How long each sleep was to be. */
  readonly asked: number[] = [];

  constructor(private readonly heldMs: number) {}

  now(): number {
    return nodeClock.now();
  }

  steady(): number {
    return nodeClock.steady();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.asked.push(ms);
    if (ms !== this.heldMs || signal.aborted) return nodeClock.sleep(ms, signal);
    return new Promise((resolve) => {
      const wake = (): void => {
        this.sleepers.delete(wake);
        resolve();
      };
      this.sleepers.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** How many sleep for that long now. */
  get sleeping(): number {
    return this.sleepers.size;
  }

  release(): void {
    for (const wake of this.sleepers) wake();
  }
}

export function held(answer: Answer): HeldReply {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const all = responseEvents(answer);
  return {
    reply: () => {
      arrived.resolve();
      return stream([events(all.slice(0, -1)), wait(released.promise), events(all.slice(-1))]);
    },
    arrived: arrived.promise,
    release: () => released.resolve(),
  };
}
