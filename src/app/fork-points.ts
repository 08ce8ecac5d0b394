import { isInFork } from '../runtime/fork.ts';
import { titleOf } from '../runtime/title.ts';
import { SessionStore } from '../storage/session-store.ts';
import { nodeStorePorts } from './node-ports.ts';

/** A turn that a session can be forked after. */
export interface ForkPoint {
  readonly turn_id: string;
  /** Start of its prompt; empty where that has no words. */
  readonly title: string;
  readonly ts: string;
  /** The last event before the next turn begins. */
  readonly to_seq: number;
}

/** Where a session can be forked, oldest first. */
export interface ForkPoints {
  readonly points: readonly ForkPoint[];
  /** The end is where the damage begins. */
  readonly damaged: boolean;
}

/** Read from the log itself, as far as it is whole: at the cost of reading it. */
export async function forkPoints(
  storage: string,
  sessionId: string,
  warn: (message: string) => void,
): Promise<ForkPoints> {
  const stored = new SessionStore(nodeStorePorts(warn), storage).inspect(sessionId);
  const points: ForkPoint[] = [];
  let isGood = true;
  let last_seq = -1;
  /** The last event that was no part of how the next turn begins. */
  let settled = -1;
  try {
    await stored.load({
      damaged: () => {
        isGood = false;
      },
      event: (event) => {
        if (!isGood) return;
        last_seq = event.seq;
        const last = points.at(-1);
        if (event.type === 'user_message') {
          if (last !== undefined) points[points.length - 1] = { ...last, to_seq: settled };
          const { turn_id, text } = event.data;
          points.push({ turn_id, title: titleOf(text), ts: event.ts, to_seq: event.seq });
        }
        const isOpening = event.type === 'developer_context' || event.type === 'interruption_note';
        if (isInFork(event) && !isOpening) settled = event.seq;
      },
    });
    const last = points.at(-1);
    if (last !== undefined) points[points.length - 1] = { ...last, to_seq: last_seq };
    return { points, damaged: !isGood };
  } finally {
    await stored.close();
  }
}
