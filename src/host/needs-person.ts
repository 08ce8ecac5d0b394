import type { HostMessage } from '../presenter/protocol.ts';

/** What waits for a person, by kind. */
export interface NeedsPerson {
  readonly approvals: number;
  readonly questions: number;
  readonly unknown_outcomes: number;
  /** The turn that waits. */
  readonly turn_id: string | null;
  /** Another window has the log, or it is damaged or gone: nothing of it can be decided here. */
  readonly locked: boolean;
}

export const NOTHING_NEEDED: NeedsPerson = {
  approvals: 0,
  questions: 0,
  unknown_outcomes: 0,
  turn_id: null,
  locked: false,
};

const NOT_OVER: readonly unknown[] = ['running', 'waiting'];

/** Pure: after one more message. Costs nothing but a look at what passes by anyway. */
export function needsAfter(before: NeedsPerson, message: HostMessage): NeedsPerson {
  // The state of its last turn follows every snapshot.
  if (message.type === 'snapshot') return { ...NOTHING_NEEDED, locked: message.access.kind === 'read_only' };
  if (message.type !== 'turn_state' || before.locked) return before;
  // Asked for what became of an earlier turn, the host tells it: that says nothing of the one that waits.
  const { turn_id } = message;
  if (turn_id !== before.turn_id && before.turn_id !== null && !NOT_OVER.includes(message.state))
    return before;
  const open = (message.pending ?? []).filter(({ decided }) => decided !== true);
  const reasons = open.map(({ suspension }) => reasonOf(suspension));
  const unknown_outcomes = reasons.filter((reason) => reason === 'outcome_unknown').length;
  const approvals = reasons.filter((reason) => reason === 'approval').length;
  const questions = reasons.length - approvals - unknown_outcomes;
  return {
    approvals,
    questions,
    unknown_outcomes,
    turn_id: reasons.length === 0 ? null : turn_id,
    locked: false,
  };
}

export function neededInAll({ approvals, questions, unknown_outcomes }: NeedsPerson): number {
  return approvals + questions + unknown_outcomes;
}

function reasonOf(suspension: unknown): string {
  return typeof suspension === 'object' &&
    suspension !== null &&
    'reason' in suspension &&
    typeof suspension.reason === 'string'
    ? suspension.reason
    : '';
}
