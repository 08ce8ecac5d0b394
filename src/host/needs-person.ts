import type { HostMessage } from '../presenter/protocol.ts';

/** What waits for a person, by kind. */
export interface NeedsPerson {
  readonly approvals: number;
  readonly questions: number;
  readonly unknown_outcomes: number;
}

export const NOTHING_NEEDED: NeedsPerson = { approvals: 0, questions: 0, unknown_outcomes: 0 };

/** Pure: after one more message. Costs nothing but a look at what passes by anyway. */
export function needsAfter(before: NeedsPerson, message: HostMessage): NeedsPerson {
  // The state of its last turn follows every snapshot.
  if (message.type === 'snapshot') return NOTHING_NEEDED;
  if (message.type !== 'turn_state') return before;
  const open = (message.pending ?? []).filter(({ decided }) => decided !== true);
  const reasons = open.map(({ suspension }) => reasonOf(suspension));
  const unknown_outcomes = reasons.filter((reason) => reason === 'outcome_unknown').length;
  const approvals = reasons.filter((reason) => reason === 'approval').length;
  return { approvals, unknown_outcomes, questions: reasons.length - approvals - unknown_outcomes };
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
