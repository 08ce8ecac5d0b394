import type { LogEvent } from '../runtime/events.ts';
import { turnIdOf } from '../runtime/session-state.ts';
import { applyToEvidence, NO_EVIDENCE, type TurnEvidence } from '../runtime/turn-evidence.ts';
import type { OpenedSession } from './open-session.ts';

/** A turn as the log has it, and what came after it. */
export interface TurnLog {
  readonly turn_id: string;
  /** Events of the turn, also those that were added to it later. */
  readonly own: readonly LogEvent[];
  /** From its prompt to the end of the log. */
  readonly since: readonly LogEvent[];
  readonly evidence: TurnEvidence;
}

/** Read from the end of the log backwards, as far as the turn's prompt. Null when there is no such turn. */
export async function readTurn(opened: OpenedSession, turn_id: string): Promise<TurnLog | null> {
  let since: readonly LogEvent[] = [];
  for (let before: number | null = null; ; before = since[0]?.seq ?? null) {
    const window = await opened.eventsBefore(before, (events) => promptOf(events, turn_id) !== -1);
    since = [...window.events, ...since];
    const at = promptOf(since, turn_id);
    if (at !== -1) return turnLog(turn_id, since.slice(at));
    if (!window.has_more || window.events.length === 0) return null;
  }
}

function promptOf(events: readonly LogEvent[], turn_id: string): number {
  return events.findIndex((event) => event.type === 'user_message' && event.data.turn_id === turn_id);
}

function turnLog(turn_id: string, since: readonly LogEvent[]): TurnLog {
  const own = since.filter((event) => turnIdOf(event) === turn_id);
  return { turn_id, own, since, evidence: own.reduce(applyToEvidence, NO_EVIDENCE).evidence };
}
