import { field } from '../loose-fields.ts';

/** Why a workflow is over. */
export type WorkflowEnding =
  /** Nothing runs any more, and nothing can. */
  | { readonly kind: 'ran_out' }
  /** A person stopped it, or sent something else. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timed_out'; readonly reason: string }
  /** The process that ran it ended, or lost the session. */
  | { readonly kind: 'interrupted' }
  /** A bug. */
  | { readonly kind: 'broken'; readonly reason: string };

export const RAN_OUT: WorkflowEnding = { kind: 'ran_out' };
export const INTERRUPTED: WorkflowEnding = { kind: 'interrupted' };

/** Pure: what the end of a turn means for a workflow in it. The reason of the abort is the turn's `RunEnd`. */
export function endingBy(reason: unknown): WorkflowEnding {
  const why = field(reason, 'reason');
  if (field(reason, 'kind') === 'interrupted' && (why === 'user_cancelled' || why === 'superseded'))
    return { kind: 'cancelled' };
  if (field(reason, 'kind') === 'stopped') return { kind: 'timed_out', reason: TURN_TIMED_OUT };
  return INTERRUPTED;
}

/** Pure: what its own time means for it. */
export function endingAfter(timeoutMs: number): WorkflowEnding {
  return { kind: 'timed_out', reason: `The workflow did not finish within ${timeoutMs / 1000} s.` };
}

const TURN_TIMED_OUT = 'The turn stopped before the workflow had finished.';

/** Why a step was ended with its workflow. */
export function stoppedWords(ending: WorkflowEnding): string {
  switch (ending.kind) {
    case 'ran_out':
    case 'cancelled':
      return 'The workflow was stopped.';
    case 'timed_out':
      return ending.reason;
    case 'interrupted':
      return 'It was interrupted while it ran. Resume the workflow to go on with it.';
    case 'broken':
      return `The workflow could not go on: ${ending.reason}.`;
  }
}

/** Why a step that nothing blocks has not run. */
export function unreachedWords(ending: WorkflowEnding): string {
  switch (ending.kind) {
    case 'ran_out':
      return 'Nothing unlocked it.';
    case 'cancelled':
      return 'The workflow was stopped before its turn.';
    case 'timed_out':
      return 'The time was over before its turn.';
    case 'interrupted':
      return 'The workflow was interrupted before its turn.';
    case 'broken':
      return 'The workflow broke off before its turn.';
  }
}
