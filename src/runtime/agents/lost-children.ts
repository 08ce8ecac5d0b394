import type { Draft } from '../events.ts';
import { endDraft } from './child-drafts.ts';
import { openChildrenOf, workedUntil, type Children } from './children.ts';

/** Why a child is nobody's any more. */
export const LOST =
  'The window that ran it ended or lost the session. Nothing runs it now; its log is whole.';

/**
 * Pure: what to append when a session is opened whose last writer is gone: none of its children has anybody who runs it.
 * How long each had worked is known up to the last event that somebody at work wrote.
 */
export function lostChildren(sessionId: string, children: Children, worked_until: string): readonly Draft[] {
  return openChildrenOf(children).map((child) =>
    endDraft(sessionId, child, {
      status: 'detached',
      summary: '',
      checkpoint: null,
      reason: LOST,
      elapsed_ms: workedUntil(child, worked_until),
      deadline_at: child.deadline_at,
      retry_history: child.retry_history,
    }),
  );
}
