import { afterEach, beforeEach, vi } from 'vitest';
import { nodeClock } from '../../src/app/node-ports.ts';

/** The real clock of the program, in a test that need not wait for it. */
export interface ProgramTime {
  /** So much later, everything that slept until then is awake. */
  skip(ms: number): Promise<void>;
  /** The same in small steps: who hears only now that time stands still for them loses some of these, and not all. */
  pass(ms: number): Promise<void>;
  /** Time flies until this is there: for what looks again every so often. */
  fly<T>(until: Promise<T>): Promise<T>;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
  timer: NodeJS.Timeout;
}

const STEP_MS = 100;
const SMALL_STEP_MS = 25;

/** Called once in a file; time goes on as always unless it is made to skip. */
export function programTime(): ProgramTime {
  let ahead = 0;
  const sleepers = new Set<Sleeper>();
  const steady = (): number => performance.now() + ahead;

  beforeEach(() => {
    ahead = 0;
    vi.spyOn(nodeClock, 'now').mockImplementation(() => Date.now() + ahead);
    vi.spyOn(nodeClock, 'steady').mockImplementation(steady);
    vi.spyOn(nodeClock, 'sleep').mockImplementation(
      (ms, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          const wake = (): void => {
            clearTimeout(sleeper.timer);
            sleepers.delete(sleeper);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          const sleeper: Sleeper = { due: steady() + ms, wake, timer: timerFor(ms, wake) };
          sleepers.add(sleeper);
          signal.addEventListener('abort', wake);
        }),
    );
  });
  afterEach(() => vi.restoreAllMocks());

  const skip = async (ms: number): Promise<void> => {
    ahead += ms;
    for (const sleeper of [...sleepers].toSorted((a, b) => a.due - b.due)) {
      const left = sleeper.due - steady();
      if (left <= 0) sleeper.wake();
      else {
        clearTimeout(sleeper.timer);
        sleeper.timer = timerFor(left, sleeper.wake);
      }
    }
    await later();
  };

  return {
    skip,
    pass: async (ms) => {
      for (let passed = 0; passed < ms; passed += SMALL_STEP_MS) await skip(SMALL_STEP_MS);
    },
    fly: async (until) => {
      const there = until.then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([there, later()]))) await skip(STEP_MS);
      return until;
    },
  };
}

const LONGEST_MS = 2 ** 31 - 1;

function timerFor(ms: number, wake: () => void): NodeJS.Timeout {
  return setTimeout(wake, Math.min(ms, LONGEST_MS));
}

/** So many turns of the event loop without a file that is read or written, and the program is at rest. */
const QUIET_TURNS = 4;

/**
 * A moment in which requests arrive, and as long as files are at work: what is given a second to end has to have it,
 * also where a sync takes longer than a step.
 */
async function later(): Promise<false> {
  await new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
  for (let quiet = 0; quiet < QUIET_TURNS; quiet = filesAtWork() ? 0 : quiet + 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  return false;
}

function filesAtWork(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}
