import type { LogEvent } from '../runtime/events.ts';
import { turnIdOf } from '../runtime/session-state.ts';
import { applyToEvidence, NO_EVIDENCE, type TurnEvidence } from '../runtime/turn-evidence.ts';
import type { OpenedSession } from './open-session.ts';

/** A turn as the log has it. */
export interface TurnLog {
  readonly turn_id: string;
  /** Events of the turn, also those that were added to it later. */
  readonly own: readonly LogEvent[];
  readonly evidence: TurnEvidence;
  /** It began in the session that this one was forked from: what it changed there is on record there alone. */
  readonly inherited: boolean;
}

/** Read from the end of the log backwards, as far as the turn's prompt. Null when there is no such turn. */
export async function readTurn(opened: OpenedSession, turn_id: string): Promise<TurnLog | null> {
  const isOwn = (event: LogEvent): boolean => turnIdOf(event) === turn_id;
  let own: readonly LogEvent[] = [];
  let before: number | null = null;
  for (;;) {
    const window = await opened.eventsBefore(before, (events) => events.some(isPromptOf(turn_id)));
    own = [...window.events.filter(isOwn), ...own];
    const prompt = own.find(isPromptOf(turn_id));
    if (prompt !== undefined) {
      const inherited = prompt.seq <= opened.state.pressure.inherited_to;
      return { turn_id, own, evidence: own.reduce(applyToEvidence, NO_EVIDENCE).evidence, inherited };
    }
    const [first] = window.events;
    if (!window.has_more || first === undefined) return null;
    before = first.seq;
  }
}

function isPromptOf(turn_id: string): (event: LogEvent) => boolean {
  return (event) => event.type === 'user_message' && event.data.turn_id === turn_id;
}
