import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { Place } from './talk.ts';

export function logOf({ storage }: Place, id: string): string {
  return join(storage, 'sessions', `${id}.jsonl`);
}

export async function eventsOf(place: Place, id: string): Promise<readonly LogEvent[]> {
  const lines = (await readFile(logOf(place, id), 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogEvent);
}

/** The sessions of those that a session handed work to, in order. */
export async function childrenIn(place: Place, id: string): Promise<readonly string[]> {
  const events = await eventsOf(place, id);
  return events.flatMap((event) =>
    event.type === 'subagent_event' && event.data.event === 'spawned' ? [event.data.child_session_id] : [],
  );
}
