import type { SessionEntry } from '../../src/app/sessions.ts';

/** A session as the list has it: completed, with nothing odd about it, and its id for a title. */
export function entry(session_id: string, facts: Partial<SessionEntry> = {}): SessionEntry {
  return {
    session_id,
    title: session_id,
    parent: null,
    fork: null,
    state: 'completed',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    size: 10,
    problem: null,
    pinned: false,
    archived: false,
    ...facts,
  };
}

/** A session of a child of another one. */
export function childEntry(session_id: string, of: string, facts: Partial<SessionEntry> = {}): SessionEntry {
  const parent = { session_id: of, subagent_id: `sub-${session_id}`, agent: 'explorer', depth: 1 };
  return entry(session_id, { parent, ...facts });
}
