import type { Clock } from './ports.ts';
import type { RunChildren } from './turn-context.ts';

/** Resolves after so much time in which no child waited for a person: theirs, and of whoever waits for them, stands still. */
export async function timeAtWork(
  ms: number,
  clock: Pick<Clock, 'sleep'>,
  children: Pick<RunChildren, 'changed' | 'heldFor' | 'isHeld'>,
  over: AbortSignal,
): Promise<void> {
  let left = ms;
  do {
    const before = children.heldFor();
    await clock.sleep(left, over);
    while (children.isHeld && !over.aborted) await children.changed(over);
    if (over.aborted) return;
    left = children.heldFor() - before;
  } while (left > 0);
}

/** Tells, each time that it goes on after standing still, for how long time has stood still in all. */
export async function afterHolds(
  children: Pick<RunChildren, 'changed' | 'heldFor' | 'isHeld'>,
  over: AbortSignal,
  tell: (heldMs: number) => Promise<void>,
): Promise<void> {
  const before = children.heldFor();
  let told = 0;
  while (!over.aborted) {
    const held = Math.round(children.heldFor() - before);
    if (children.isHeld || held <= told) await children.changed(over);
    else {
      told = held;
      await tell(held);
    }
  }
}
