import type { NextAction } from '../runtime/events.ts';
import type { Activity } from '../runtime/outputs.ts';
import {
  isTerminal,
  pendingCalls,
  turnReason,
  turnState,
  type OpenCall,
  type Turn,
} from '../runtime/turn.ts';
import type { TurnEvidence } from '../runtime/turn-evidence.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { HostMessage } from './protocol.ts';

type TurnStateMessage = Extract<HostMessage, { type: 'turn_state' }>;

/** Pure: what presenters are told of a turn. It claims what the fold of the log proves, and no more. */
export function turnStateMessage(
  turn: Turn,
  activity: Activity | null,
  evidence: TurnEvidence | null = null,
): TurnStateMessage {
  const state = turnState(turn);
  const { failure } = turn;
  const pending = pendingCalls(turn);
  return {
    v: 1,
    type: 'turn_state',
    turn_id: turn.turn_id,
    client_turn_id: turn.client_turn_id,
    state,
    reason: turnReason(turn),
    ...(failure === null ? {} : { message: failure.error_message }),
    next_actions: nextActions(turn).map((action) => ({ ...action })),
    ...(isTerminal(state) || pending.length === 0 ? {} : { pending: pending.map(pendingMessage) }),
    ...(isTerminal(state) && evidence !== null ? { evidence: copied(evidence) } : {}),
    ...(state === 'running' && activity !== null
      ? { activity: { text: describe(activity), since: activity.since, ...callsOf(activity) } }
      : {}),
  };
}

function copied(evidence: TurnEvidence): NonNullable<TurnStateMessage['evidence']> {
  const { changes, commands, skills, plan } = evidence;
  return {
    ...evidence,
    changes: changes.map((one) => ({ ...one, undo_of: [...one.undo_of], redo_of: [...one.redo_of] })),
    commands: [...commands],
    skills: [...skills],
    plan: plan === null ? null : [...plan],
    undo_open: [...evidence.undo_open],
    redo_open: [...evidence.redo_open],
    undo_mergeable: [...evidence.undo_mergeable],
    redo_mergeable: [...evidence.redo_mergeable],
    merge_opened: [...evidence.merge_opened],
    children: [...evidence.children],
  };
}

/** A call that waits, with every name a decision can have for it. */
function pendingMessage(call: OpenCall): NonNullable<TurnStateMessage['pending']>[number] {
  const { call_id, name, suspension, pending_id, decision } = call;
  return {
    call_id,
    name,
    suspension,
    decided: decision !== null,
    ...(pending_id === null ? {} : { pending_id }),
  };
}

function nextActions(turn: Turn): readonly NextAction[] {
  return turn.failure?.next_actions ?? [];
}

/** The calls that run: a presenter that shows them can say more than how many there are. */
function callsOf(activity: Activity): { readonly calls?: string[] } {
  return activity.kind === 'running_tools' ? { calls: [...activity.calls] } : {};
}

export function describe(activity: Activity): string {
  switch (activity.kind) {
    case 'requesting':
      return activity.attempt === 1
        ? 'Waiting for the model'
        : `Waiting for the model, attempt ${activity.attempt}`;
    case 'streaming':
      return 'Receiving the answer';
    case 'compacting':
      return 'Compacting the history';
    case 'retrying':
      return `Trying again in ${Math.ceil(activity.delay_ms / 1000)} s (${activity.error_kind})`;
    case 'running_tools':
      return activity.calls.length === 1 ? 'Running a tool' : `Running ${activity.calls.length} tools`;
    case 'awaiting_children':
      return activity.children.length === 1
        ? 'Waiting for an agent'
        : `Waiting for ${activity.children.length} agents`;
    default:
      return unreachable(activity);
  }
}
