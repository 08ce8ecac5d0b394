import { forkLog } from '../storage/fork-log.ts';
import { SessionStore } from '../storage/session-store.ts';
import { nodeStorePorts } from './node-ports.ts';

/** What a presenter is told where there is nothing. */
export const NOTHING_TO_FORK = ['fork', 'nothing_to_fork', 'The session has nothing to fork yet.'] as const;

/** Forks a session that need not be open; null when there is nothing to fork. */
export async function forkSession(
  storage: string,
  from: { readonly session_id: string; readonly at_seq: number | null; readonly summary: boolean },
  warn: (message: string) => void,
): Promise<string | null> {
  const store = new SessionStore(nodeStorePorts(warn), storage);
  const { session_id, at_seq, summary } = from;
  return (await forkLog(store, session_id, at_seq, { summary }))?.session_id ?? null;
}
