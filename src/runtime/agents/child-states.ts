import type { ChildStatus } from '../agent-events.ts';

/**
 * The machine of a child. A final state is left only when somebody gives the child more to do; one that nobody has in
 * hand any more can also be put away.
 */
export const CHILD_MOVES = {
  queued: ['running', 'completed', 'failed', 'timed_out', 'interrupted', 'cancelled', 'detached', 'closed'],
  running: ['queued', 'completed', 'failed', 'timed_out', 'interrupted', 'cancelled', 'detached', 'closed'],
  completed: ['queued', 'running'],
  failed: ['queued', 'running'],
  timed_out: ['queued', 'running'],
  interrupted: ['queued', 'running'],
  cancelled: ['queued', 'running'],
  detached: ['queued', 'running', 'closed'],
  closed: ['queued', 'running'],
} as const satisfies Record<ChildStatus, readonly ChildStatus[]>;

export function isChildStatus(text: string): text is ChildStatus {
  return Object.hasOwn(CHILD_MOVES, text);
}

export function canMoveChild(from: ChildStatus, to: ChildStatus): boolean {
  return from === to || (CHILD_MOVES[from] as readonly ChildStatus[]).includes(to);
}

/** What a child is while it is not over. */
export const CHILD_OPEN: ReadonlySet<string> = new Set<ChildStatus>(['queued', 'running']);

export function isOpenChild({ status }: { readonly status: string }): boolean {
  return CHILD_OPEN.has(status);
}

/** Whether an end of it is news to the model: it was open, or nobody had it in hand, which the model is never told. */
export function isUnended({ status }: { readonly status: string }): boolean {
  return CHILD_OPEN.has(status) || status === 'detached';
}
