import type { HostMessage } from '../presenter/protocol.ts';
import type { TurnFacts } from './turn-facts.ts';

export interface JournalLine {
  readonly level: 'info' | 'warn';
  readonly text: string;
}

/**
 * Pure: what the output channel says about a message. Only ids, states and kinds: never a word of a prompt, of
 * an answer or of a file, because people paste this channel into bug reports.
 */
export function journalLine(before: TurnFacts, now: TurnFacts, message: HostMessage): JournalLine | null {
  if (message.type === 'failure') {
    return { level: 'warn', text: `${message.for} failed: ${message.kind}` };
  }
  if (message.type === 'snapshot' && (before.session_id !== now.session_id || before.access !== now.access)) {
    return { level: 'info', text: `session ${message.session_id}: ${message.access.kind}` };
  }
  if (message.type !== 'turn_state' || message.turn_id === null) return null;
  if (before.turn_id === now.turn_id && before.state === now.state) return null;
  const reason = message.reason === null ? '' : ` (${message.reason})`;
  return { level: 'info', text: `turn ${message.turn_id}: ${message.state ?? 'unknown'}${reason}` };
}
