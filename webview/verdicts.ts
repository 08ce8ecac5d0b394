import type { CallDecision, CallEntry, Permission } from './call-entry.ts';
import { askedBy } from './suspension.ts';
import { unreachable } from './unreachable.ts';

/** Who decided about a call, a line each: the rules and the mode first, then the person. */
export function verdictsOf(call: CallEntry): readonly string[] {
  const byPerson = call.decisions.some((one) => one.decided_by === 'user');
  const permissions = call.permissions.filter((one) => !(byPerson && one.decided_by === 'user'));
  const decisions = call.decisions.map((one) => decisionWords(call, one));
  return [...permissions.map(permissionWords), ...decisions];
}

const PERMISSION_WORDS: Readonly<Record<string, string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  ask: 'Asked',
};

function permissionWords({ decision, decided_by, rule }: Permission): string {
  return byWhom(PERMISSION_WORDS[decision] ?? decision, decided_by, rule);
}

function byWhom(word: string, decidedBy: string, rule: string): string {
  if (decidedBy === 'user') return `${word} by you`;
  if (rule === '') return word;
  return decidedBy === 'rule' ? `${word} by the rule ${rule}` : `${word}: ${policyWords(rule)}`;
}

/** Policies name themselves as `mode:auto` or `policy:protected_path`. */
function policyWords(rule: string): string {
  return rule
    .replace(/^policy:/, '')
    .replace(':', ' ')
    .replaceAll('_', ' ');
}

const DECISION_WORDS = {
  approved: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
  skipped: 'Skipped',
  marked_done: 'Marked as done',
  run_again: 'Run again',
} as const satisfies Record<DecisionKind, string>;

function decisionWords(call: CallEntry, decision: CallDecision): string {
  const { decided_by, rule, reason } = decision;
  const word = DECISION_WORDS[decisionKind(call, decision)];
  if (decided_by !== 'user') return byWhom(word, decided_by, rule);
  // A person's decision names the rule that it made, not one that it followed.
  const always = rule === '' ? '' : `, and from now on by the rule ${rule}`;
  return `${word} by you${always}${reason === '' ? '' : `: ${reason}`}`;
}

export type DecisionKind = 'approved' | 'denied' | 'answered' | 'skipped' | 'marked_done' | 'run_again';

/** What a decision meant, which depends on what was asked. */
export function decisionKind(call: CallEntry, { action, asked, resume_mode }: CallDecision): DecisionKind {
  const goesOn = action === 'resume';
  const kind = askedBy(asked === '' ? (call.suspension?.reason ?? '') : asked);
  switch (kind) {
    case 'approval':
      return goesOn ? 'approved' : 'denied';
    case 'question':
      return goesOn ? 'answered' : 'skipped';
    case 'outcome_unknown':
      if (!goesOn) return 'skipped';
      return resume_mode === 'use_decision_as_result' ? 'marked_done' : 'run_again';
    default:
      return unreachable(kind);
  }
}

/** Errors that only say that a call was not allowed. */
const DENIALS: ReadonlySet<string> = new Set(['denied', 'permission_denied']);

/** A call that did not run because somebody or some rule said no: nothing went wrong. */
export function refusalOf(call: CallEntry): 'denied' | 'skipped' | null {
  const last = call.decisions.at(-1);
  const kind = last === undefined ? null : decisionKind(call, last);
  if (call.state === 'cancelled' && (kind === 'denied' || kind === 'skipped')) return kind;
  return DENIALS.has(call.result?.error?.kind ?? '') ? 'denied' : null;
}
