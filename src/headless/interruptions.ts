import type { HostMessage } from '../presenter/protocol.ts';

/** Turns that were stopped, superseded or cut off while they were watched: no errors, but worth a line. */
export class Interruptions {
  private watched: string | null = null;

  /** Ids, states and reasons only: never a word of a prompt or of an answer. Null where there is nothing to say. */
  lineOf(message: HostMessage): string | null {
    if (message.type !== 'turn_state') return null;
    const { turn_id, state, reason } = message;
    const wasWatched = turn_id !== null && this.watched === turn_id;
    if (state === 'running' || state === 'waiting') this.watched = turn_id;
    else if (wasWatched) this.watched = null;
    return wasWatched && state === 'interrupted' ? `turn ${turn_id}: interrupted (${reason})` : null;
  }
}
