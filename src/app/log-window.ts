import { project } from '../presenter/projection.ts';
import type { LogEvent } from '../runtime/events.ts';

/** How much of the log a presenter gets at once: so much as is drawn without anybody waiting for it. */

const MOST_EVENTS = 300;
const MOST_CHARS = 32 * 1024;
/** These are drawn as text; what calls were given and put out is a line until somebody opens it. */
const READ: ReadonlySet<string> = new Set(['user_message', 'assistant_message']);
const UNREAD_SHARE = 8;
/** However long it is, no more of it is kept at hand for that line. */
const MOST_UNREAD = 8 * 1024;

/** Pure: the last of these events that make up a window; the one that fills it is in it, however long it is. */
export function lastWindow(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.slice(events.length - filling(events.toReversed()));
}

/** Pure: the first of these events that make up a window. */
export function firstWindow(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.slice(0, filling(events));
}

/** Pure: these events make up a window, or more. */
export function fillsWindow(events: readonly LogEvent[]): boolean {
  return events.length >= MOST_EVENTS || sum(events) >= MOST_CHARS;
}

function filling(events: readonly LogEvent[]): number {
  let chars = 0;
  const last = events.findIndex((event) => {
    chars += charsOf(event);
    return chars >= MOST_CHARS;
  });
  return Math.min(last < 0 ? events.length : last + 1, MOST_EVENTS);
}

function sum(events: readonly LogEvent[]): number {
  return events.reduce((chars, event) => chars + charsOf(event), 0);
}

function charsOf(event: LogEvent): number {
  const texts = Object.values(project(event).data).filter((value) => typeof value === 'string');
  const chars = texts.reduce((all, text) => all + text.length, 0);
  return READ.has(event.type) ? chars : Math.min(chars, MOST_UNREAD) / UNREAD_SHARE;
}
