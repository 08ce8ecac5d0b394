import type { RunEnd } from './run-end.ts';
import { pendingCalls, type OpenCall, type Turn } from './turn.ts';

/** What a run does next. The loop carries it out; it never decides. */
export type Step =
  | { readonly kind: 'round'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'infer' }
  | { readonly kind: 'wait'; readonly on: readonly string[] }
  /** Nothing is left to do but for its children. */
  | { readonly kind: 'children'; readonly open: readonly string[] }
  | { readonly kind: 'end'; readonly end: RunEnd };

/** Pure: the next step of a turn, from its fold and from what asked it to halt. */
export function nextStep(turn: Turn, halt: RunEnd | null, { batch } = { batch: false }): Step {
  if (halt !== null) return { kind: 'end', end: halt };
  const fresh = newCalls(turn);
  if (fresh.length > 0) return { kind: 'round', calls: fresh };
  const pending = pendingCalls(turn);
  if (pending.length > 0 && (batch || turn.waited || turn.answered || allPending(turn))) {
    return { kind: 'wait', on: pending.map((call) => call.call_id) };
  }
  if ((turn.answered || turn.over_children) && turn.open_children.size > 0)
    return { kind: 'children', open: [...turn.open_children] };
  if (turn.answered) return { kind: 'end', end: { kind: 'natural_end' } };
  return { kind: 'infer' };
}

/** Whether the last response asked for calls that no round has taken up. */
export function hasNewCalls(turn: Turn): boolean {
  return newCalls(turn).length > 0;
}

function newCalls(turn: Turn): readonly OpenCall[] {
  return [...turn.open.values()].filter((call) => call.state === 'new');
}

/** Every call of the last round is suspended: another inference would have nothing new to say. */
function allPending(turn: Turn): boolean {
  const last = turn.rounds.at(-1);
  return last !== undefined && last.call_ids.every((id) => turn.open.get(id)?.state === 'suspended');
}
