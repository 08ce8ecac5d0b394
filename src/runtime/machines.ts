/**
 * The two machines of a turn. Both are tables and both are moved only through `move`; the log holds the
 * moves, so the present state is always a fold of it.
 */

export type RunState = 'running' | 'waiting' | 'done';

export const RUN_MOVES = {
  running: ['waiting', 'done'],
  waiting: ['running', 'done'],
  done: [],
} as const satisfies Record<RunState, readonly RunState[]>;

export type CallState = 'new' | 'running' | 'suspended' | 'resuming' | 'succeeded' | 'failed' | 'cancelled';

export const CALL_MOVES = {
  new: ['running', 'suspended', 'failed', 'cancelled'],
  running: ['suspended', 'succeeded', 'failed', 'cancelled'],
  suspended: ['resuming', 'cancelled'],
  resuming: ['running', 'suspended', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<CallState, readonly CallState[]>;

export type StopCode = 'timeout' | 'max_rounds' | 'token_budget' | 'loop_detected' | 'consecutive_errors';

export type RunEndReason = 'natural_end' | 'plugin_requested' | `stopped:${StopCode}` | 'cancelled' | 'error';

/** A move the table does not have. It ends the run as `error`; it is never written over. */
export class IllegalMove extends Error {
  override readonly name = 'IllegalMove';
  constructor(
    readonly machine: 'run' | 'call',
    readonly from: string,
    readonly to: string,
    readonly subject: string,
  ) {
    super(`illegal ${machine} move ${from} -> ${to} of ${subject}`);
  }
}

export function canMoveCall(from: CallState, to: CallState): boolean {
  return (CALL_MOVES[from] as readonly CallState[]).includes(to);
}

export function moveCall(from: CallState, to: CallState, callId: string): CallState {
  if (!canMoveCall(from, to)) throw new IllegalMove('call', from, to, callId);
  return to;
}

export function moveRun(from: RunState, to: RunState, turnId: string): RunState {
  if (!(RUN_MOVES[from] as readonly RunState[]).includes(to)) throw new IllegalMove('run', from, to, turnId);
  return to;
}

export function isFinal(state: CallState): boolean {
  return CALL_MOVES[state].length === 0;
}
