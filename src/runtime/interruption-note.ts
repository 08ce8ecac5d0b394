import { draft, type Draft } from './events.ts';
import { interruptionText } from './replay/labels.ts';
import type { Turn } from './turn.ts';

export const NOTE_LIMIT = 1200;

/**
 * What the first turn after an interrupted one tells the model of it: labelled as unfinished, at most
 * 1,200 characters as sent. Null when there is nothing to tell.
 */
export function interruptionNote(
  previous: Turn | null,
  turn: { readonly turn_id: string; readonly client_turn_id: string },
): Draft | null {
  const reason = previous?.failure?.interrupted_reason;
  if (previous === null || reason === undefined || previous.failure?.terminal_status !== 'interrupted')
    return null;
  // A log that was cut, or forked, between the note and the prompt that it goes with.
  if (previous.noted) return null;
  const data = (excerpt: string) => ({
    ...turn,
    of_turn_id: previous.turn_id,
    reason,
    excerpt,
    completed_calls: previous.completed_calls,
  });
  const room = Math.max(0, NOTE_LIMIT - interruptionText(data('')).length);
  return draft('interruption_note', data(tail(previous.partial?.text ?? '', room)));
}

/** The end of a text: what the next turn most likely refers to. Never starts inside a character. */
function tail(text: string, room: number): string {
  if (text.length <= room) return text;
  const cut = text.slice(text.length - Math.max(0, room - 1)).replace(/^[\uDC00-\uDFFF]/, '');
  return `…${cut}`;
}
