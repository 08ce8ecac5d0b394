import { SCHEMA_VERSION, type LogEvent } from '../runtime/events.ts';
import { forkDrafts } from '../runtime/fork.ts';
import { applyToSession, emptySession, type SessionState } from '../runtime/session-state.ts';
import { lineOf } from './bodies.ts';
import { replaceFile } from './disk.ts';
import { sessionPaths } from './session-paths.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Makes a new log of what a session's log holds up to a seq, or up to its first damaged line. The parent is
 * only read; the new log appears whole or not at all. Null when there is nothing to fork. Bodies are shared, because they are named by hash.
 */
export async function forkLog(
  store: SessionStore,
  parentId: string,
  at: number | null,
): Promise<{ readonly session_id: string; readonly forked_to_seq: number } | null> {
  const { disk, ids, clock } = store.ports;
  const { state, events } = await goodPart(store, parentId, at);
  if (events.length === 0) return null;
  const session_id = ids.next('session');
  const ts = new Date(clock.now()).toISOString();
  let text = '';
  for (const [seq, entry] of forkDrafts(state, events).entries()) {
    text += await lineOf(
      { v: SCHEMA_VERSION, id: ids.next('event'), session_id, seq, ts, ...entry },
      store.blobs,
    );
  }
  const { log } = sessionPaths(store.root, session_id);
  await replaceFile(disk, log, Buffer.from(text, 'utf8'), { temporary: `${log}.tmp`, durable: true });
  return { session_id, forked_to_seq: events.at(-1)?.seq ?? -1 };
}

async function goodPart(
  store: SessionStore,
  parentId: string,
  at: number | null,
): Promise<{ readonly state: SessionState; readonly events: readonly LogEvent[] }> {
  const stored = store.inspect(parentId);
  const events: LogEvent[] = [];
  let state = emptySession(parentId);
  try {
    await stored.load({
      event: (event) => {
        if (event.seq !== events.length || (at !== null && event.seq > at)) return;
        events.push(event);
        state = applyToSession(state, event);
      },
    });
  } finally {
    await stored.close();
  }
  return { state, events };
}
