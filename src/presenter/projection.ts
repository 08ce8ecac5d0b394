import type { Attachment, LogEvent } from '../runtime/events.ts';
import { turnIdOf } from '../runtime/session-state.ts';
import type { Item } from './protocol.ts';

/** Longest text of one field in an item; the log has the rest. */
const LONGEST = 64 * 1024;
/**
 * What a model says is read to its end, copied and applied, and what a person said can be said again: both are whole,
 * as long as models speak and people paste today.
 */
const LONGEST_SAID = 2 * 1024 * 1024;
const SAID: ReadonlySet<string> = new Set(['user_message', 'assistant_message', 'tool_call', 'reasoning']);

/** Pure: an event as presenters see it. */
export function project(event: LogEvent): Item {
  const turn_id = turnIdOf(event);
  return {
    seq: event.seq,
    ts: event.ts,
    type: event.type,
    ...(turn_id === undefined ? {} : { turn_id }),
    data: shownData(event),
  };
}

function shownData(event: LogEvent): Record<string, unknown> {
  const data = bounded(event.data, SAID.has(event.type) ? LONGEST_SAID : LONGEST);
  if (event.type === 'reasoning')
    return { ...data, item: undefined, summary: reasoningSummary(event.data.item) };
  const attachments =
    event.type === 'user_message' || event.type === 'tool_result' ? event.data.attachments : undefined;
  return attachments === undefined ? data : { ...data, attachments: attachments.map(withoutPicture) };
}

/** Bytes of pictures and long texts stay in the log. */
function withoutPicture(attachment: Attachment): Record<string, unknown> {
  return { ...bounded(attachment), data: undefined };
}

function bounded(data: object, longest = LONGEST): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]): [string, unknown][] =>
      typeof value === 'string' && value.length > longest
        ? [
            [key, `${value.slice(0, longest)}…`],
            [`${key}_length`, value.length],
          ]
        : [[key, value]],
    ),
  );
}

/** The summary is for people; the encrypted rest of the item is only for the provider. */
function reasoningSummary(item: unknown): string {
  if (typeof item !== 'object' || item === null || !('summary' in item) || !Array.isArray(item.summary))
    return '';
  const parts: unknown[] = item.summary;
  return parts
    .map((part) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}
