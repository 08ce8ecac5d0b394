import type { HostMessage } from '../presenter/protocol.ts';
import { askedAfter, NOBODY_ASKS, type AskedByChildren } from './child-questions.ts';

/** What waits for a person, by kind: of the turn, and of children. */
export interface NeedsPerson {
  readonly approvals: number;
  readonly questions: number;
  readonly unknown_outcomes: number;
  /** The turn that waits. */
  readonly turn_id: string | null;
  /** Of these, what calls of the turn itself ask, by its reason. */
  readonly own: readonly string[];
  readonly children: AskedByChildren;
  /** Another window has the log, or it is damaged or gone: nothing of it can be decided here. */
  readonly locked: boolean;
}

export const NOTHING_NEEDED: NeedsPerson = {
  approvals: 0,
  questions: 0,
  unknown_outcomes: 0,
  turn_id: null,
  own: [],
  children: NOBODY_ASKS,
  locked: false,
};

const NOT_OVER: readonly unknown[] = ['running', 'waiting'];

/** Pure: after one more message. Costs nothing but a look at what passes by anyway. */
export function needsAfter(before: NeedsPerson, message: HostMessage): NeedsPerson {
  // The state of its last turn follows every snapshot.
  if (message.type === 'snapshot') return { ...NOTHING_NEEDED, locked: message.access.kind === 'read_only' };
  if (before.locked) return before;
  if (message.type === 'children') {
    const children = askedAfter(before.children, message);
    return children === before.children ? before : counted({ ...before, children });
  }
  if (message.type !== 'turn_state') return before;
  // Asked for what became of an earlier turn, the host tells it: that says nothing of the one that waits.
  const { turn_id } = message;
  if (turn_id !== before.turn_id && before.turn_id !== null && !NOT_OVER.includes(message.state))
    return before;
  const open = (message.pending ?? []).filter(({ decided }) => decided !== true);
  const own = open.map(({ suspension }) => reasonOf(suspension));
  return counted({ ...before, own, turn_id: own.length === 0 ? null : turn_id });
}

function counted(needs: NeedsPerson): NeedsPerson {
  const asked = [...needs.children.values()].flat().map(({ suspension }) => reasonOf(suspension));
  const reasons = [...needs.own, ...asked];
  const unknown_outcomes = reasons.filter((reason) => reason === 'outcome_unknown').length;
  const approvals = reasons.filter((reason) => reason === 'approval').length;
  const questions = reasons.length - approvals - unknown_outcomes;
  return { ...needs, approvals, questions, unknown_outcomes };
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
