import { NodeDisk } from '../storage/node-disk.ts';
import { isSessionId } from '../storage/session-paths.ts';
import { whereaboutsOf } from '../storage/trash.ts';

/**
 * The session that a window goes on with; null for a new one. One that was deleted meanwhile is not begun anew
 * under its id: it could not come back from the trash then. One without a log may have a draft.
 */
export async function sessionToGoOnWith(storage: string, last: string | null): Promise<string | null> {
  if (last === null || !isSessionId(last)) return null;
  return (await whereaboutsOf(new NodeDisk(), storage, last)) === 'trash' ? null : last;
}
