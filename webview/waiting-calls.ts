import { openDecision, type CallDecision, type CallEntry } from './call-entry.ts';
import { t } from './l10n.ts';
import { liveCall, type LiveEntry, type State } from './state.ts';
import { askedBy, type Asked, type Suspension } from './suspension.ts';
import type { Turn } from './transcript.ts';
import { unreachable } from './unreachable.ts';
import { decisionKind, type DecisionKind } from './verdicts.ts';

/** How far the decision about a call is: not made, on its way to the log, or in the log. */
export type Standing =
  | { readonly kind: 'open' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'decided'; readonly decision: CallDecision };

/** A child that asks, by the role and the task that it has. */
export interface AskingChild {
  readonly subagent_id: string;
  /** From the child down to the one whose call it is; none where nobody says. */
  readonly roles: readonly string[];
  readonly task: string;
}

export interface WaitingCall {
  readonly call: LiveEntry;
  readonly suspension: Suspension;
  readonly asked: Asked;
  readonly standing: Standing;
  /** The child that asks; null where it is a call of the turn itself. */
  readonly asker: AskingChild | null;
}

/** Pure: the calls of a turn that wait, oldest first. */
export function waitingCalls(
  turn: Turn,
  calls: State['calls'],
  sent: readonly string[],
): readonly WaitingCall[] {
  return turn.entries.flatMap((entry) => {
    if (entry.kind !== 'call') return [];
    const call = liveCall(calls, entry);
    const { suspension } = call;
    if (call.state !== 'suspended' || suspension === null) return [];
    const standing = standingOf(call, sent.includes(suspension.id));
    return [{ call, suspension, asked: askedBy(suspension.reason), standing, asker: null }];
  });
}

function standingOf(call: CallEntry, isSent: boolean): Standing {
  const decision = openDecision(call);
  if (decision !== null) return { kind: 'decided', decision };
  return isSent ? { kind: 'sent' } : { kind: 'open' };
}

export function undecided(waiting: readonly WaitingCall[]): readonly WaitingCall[] {
  return waiting.filter(({ standing }) => standing.kind === 'open');
}

/** The approvals that one click may decide together; none when there is only one. */
export function decidableTogether(waiting: readonly WaitingCall[]): readonly WaitingCall[] {
  const approvals = undecided(waiting).filter(({ asked }) => asked === 'approval');
  return approvals.length < 2 ? [] : approvals;
}

/** Calls of the same response that are still to be decided. */
export function othersOfRound(waiting: readonly WaitingCall[], { call }: WaitingCall): number {
  return undecided(waiting).filter(
    (one) => one.call.stream_run_id === call.stream_run_id && one.call.call_id !== call.call_id,
  ).length;
}

const COUNTS = {
  approval: (n) => (n === 1 ? t('1 approval') : t('{0} approvals', n)),
  question: (n) => (n === 1 ? t('1 question') : t('{0} questions', n)),
  outcome_unknown: (n) => (n === 1 ? t('1 unknown outcome') : t('{0} unknown outcomes', n)),
} as const satisfies Record<Asked, (n: number) => string>;

/** As in "2 approvals, 1 question"; empty when nothing is to be decided. */
export function countsOf(waiting: readonly WaitingCall[]): string {
  return askedWords(undecided(waiting).map(({ asked }) => asked));
}

export function askedWords(all: readonly Asked[]): string {
  const kinds = ['approval', 'question', 'outcome_unknown'] as const;
  return kinds
    .map((kind) => ({ words: COUNTS[kind], n: all.filter((asked) => asked === kind).length }))
    .filter(({ n }) => n > 0)
    .map(({ words, n }) => words(n))
    .join(', ');
}

const DECIDED_WORDS = {
  approved: t('Approved'),
  denied: t('Denied'),
  answered: t('Answered'),
  skipped: t('Skipped'),
  marked_done: t('Marked as done'),
  run_again: t('Runs again'),
} as const satisfies Record<DecisionKind, string>;

/** What became of the decision, in place of the buttons; null while there is none. */
export function standingWords(waiting: WaitingCall, others: number): string | null {
  const { standing, asked } = waiting;
  switch (standing.kind) {
    case 'open':
      return null;
    case 'sent':
      return asked === 'question' ? t('Answer sent') : t('Decision sent');
    case 'decided':
      return decidedPhrase(waiting, standing.decision, others);
    default:
      return unreachable(standing);
  }
}

/** A decision that is in the log, and what it still waits for. */
function decidedPhrase(waiting: WaitingCall, decision: CallDecision, others: number): string {
  const kind = decisionKind(waiting.call, decision);
  const pid = kind === 'run_again' ? pidInTheWay(waiting, others) : null;
  if (pid !== null) return t('Runs again as soon as process {0} has ended', pid);
  return others === 0 ? DECIDED_WORDS[kind] : t('{0}, waiting for the other decisions', DECIDED_WORDS[kind]);
}

/** Until the host says how its old process fares, it is the one thing that a decided call can be waiting for. */
function pidInTheWay({ call, suspension }: WaitingCall, others: number): number | null {
  if (call.process !== null) return call.process.alive ? call.process.pid : null;
  return others === 0 ? suspension.pid : null;
}
