import type { CallState } from '../machines.ts';
import type { TurnState } from '../turn.ts';

/** Every state that something in the tree can be in: those of turns, and what calls and children add. */
export type NodeState =
  | TurnState
  | 'outcome_unknown'
  | 'queued'
  | 'detached'
  | 'cancelled'
  /** By the parent, with a reason. */
  | 'closed'
  /** A workflow or a step that has a part of what it was to give. */
  | 'partial'
  /** Cannot go on until a person says how. */
  | 'held'
  | 'skipped'
  /** A step that was never begun. */
  | 'not_run'
  | 'denied'
  /** Not final, and no process is there that could end it. */
  | 'stale'
  | 'unknown'
  | 'ok'
  | 'attention'
  | 'blocked';

/** The phrase of a state, the same everywhere. Fixed words: the edge translates them by their text. */
export const STATE_PHRASES = {
  running: 'Working',
  waiting: 'Needs you',
  completed: 'Completed',
  partial_failed: 'Stopped early: partial answer',
  failed: 'Failed',
  interrupted: 'Response interrupted',
  timed_out: 'Timed out',
  outcome_unknown: 'Outcome unknown',
  queued: 'Queued',
  detached: 'Detached',
  cancelled: 'Cancelled',
  closed: 'Closed',
  partial: 'Partial result',
  held: 'Held',
  skipped: 'Skipped',
  not_run: 'Not run',
  denied: 'Denied',
  stale: 'No evidence of an end',
  unknown: 'Unknown',
  ok: '',
  attention: '',
  blocked: '',
} as const satisfies Record<NodeState, string>;

export function callNodeState(state: CallState, asked: string | null): NodeState {
  switch (state) {
    case 'new':
      return 'queued';
    case 'running':
    case 'resuming':
      return 'running';
    case 'suspended':
      return asked === 'outcome_unknown' ? 'outcome_unknown' : 'waiting';
    case 'succeeded':
      return 'completed';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
  }
}

/** States of children, workflows and steps, as their events spell them (§9, §10). */
const TOLD_STATES: ReadonlyMap<string, NodeState> = new Map<string, NodeState>([
  ['queued', 'queued'],
  ['scheduled', 'queued'],
  ['running', 'running'],
  ['started', 'running'],
  ['completed', 'completed'],
  ['checkpoint_ready', 'completed'],
  ['partial', 'partial'],
  ['failed', 'failed'],
  ['timed_out', 'timed_out'],
  ['interrupted', 'interrupted'],
  ['cancelled', 'cancelled'],
  ['closed', 'closed'],
  ['detached', 'detached'],
  ['held', 'held'],
  ['needs_orchestrator', 'waiting'],
  ['skipped', 'skipped'],
  ['not_run', 'not_run'],
]);

/** A word of a later version is shown as unknown, with the word beside it. */
export function toldState(word: string): NodeState {
  return TOLD_STATES.get(word) ?? 'unknown';
}

export function isOpenState(state: NodeState): boolean {
  return state === 'queued' || state === 'running';
}
