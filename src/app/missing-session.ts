import type { NextAction } from '../runtime/events.ts';
import { isSessionId } from '../storage/session-paths.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { whereaboutsOf } from '../storage/trash.ts';

/** What to say of it: its kind, the words, and what to do. */
export type MissingSession = readonly [
  kind: string,
  text: string,
  more: { readonly next_actions: readonly NextAction[] },
];

/** Why a session cannot be opened that somebody names; null when its log is there. */
export async function missingSession(store: SessionStore, id: string): Promise<MissingSession | null> {
  if (!isSessionId(id)) return missing('bad_session_id', 'That is not the id of a session.');
  switch (await whereaboutsOf(store.ports.disk, store.root, id)) {
    case 'in_place':
      return null;
    case 'trash':
      return missing('session_deleted', `The session ${id} was deleted: it is in the trash.`);
    case 'nowhere':
      return missing('unknown_session', `There is no session ${id} here.`);
  }
}

function missing(kind: string, why: string): MissingSession {
  const next_actions = [{ label: 'Open session', command: 'ledgerline.openSession' }];
  return [kind, `${why} Nothing was changed.`, { next_actions }];
}
