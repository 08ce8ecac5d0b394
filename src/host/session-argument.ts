import { isSessionId } from '../storage/session-paths.ts';

/** Pure: the session that a menu, a button or another extension means; null where it means none. */
export function sessionIdIn(argument: unknown): string | null {
  if (typeof argument === 'string') return isSessionId(argument) ? argument : null;
  if (typeof argument !== 'object' || argument === null || !('session_id' in argument)) return null;
  return sessionIdIn(argument.session_id);
}
