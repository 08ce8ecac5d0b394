import { isSessionId } from '../storage/session-paths.ts';
import { namedSession } from './parentage.ts';

/** What has more forebears than any child has none that a window could go on with. */
const MOST_FOREBEARS = 16;

/**
 * The session that a window goes on with; null for a new one. One that was deleted meanwhile is not begun anew
 * under its id: it could not come back from the trash then. One without a log may have a draft. Of a child it is the one
 * that it works for: a window does not begin in the middle of another's work.
 */
export async function sessionToGoOnWith(storage: string, last: string | null): Promise<string | null> {
  if (last === null || !isSessionId(last)) return null;
  let id = last;
  for (let up = 0; up < MOST_FOREBEARS; up += 1) {
    // One that cannot be read is told of when it is opened.
    const found = await namedSession(storage, id, () => undefined);
    if (found.kind === 'trash') return null;
    if (found.kind === 'nowhere') return id === last ? id : null;
    if (found.kind === 'session') return id;
    id = found.parent.session_id;
  }
  return null;
}
