import type { CallDecision, CallEntry, Permission } from './call-entry.ts';
import { own } from './fields.ts';
import { t } from './l10n.ts';
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
  allow: t('Allowed'),
  deny: t('Denied'),
  ask: t('Asked'),
};

function permissionWords({ decision, decided_by, rule }: Permission): string {
  return byWhom(own(PERMISSION_WORDS, decision) ?? decision, decided_by, rule);
}

function byWhom(word: string, decidedBy: string, rule: string): string {
  if (decidedBy === 'user') return t('{0} by you', word);
  if (rule === '') return word;
  return decidedBy === 'rule' ? t('{0} by the rule {1}', word, rule) : `${word}: ${policyWords(rule)}`;
}

/** Policies name themselves as `mode:auto` or `policy:protected_path`. */
const POLICY_WORDS: Readonly<Record<string, string>> = {
  'mode:read_only': t('mode read only'),
  'mode:ask': t('mode ask'),
  'mode:auto': t('mode auto'),
  'policy:protected_path': t('protected path'),
  'policy:secret_path': t('secret path'),
  'policy:storage_path': t('path of the logs'),
  'policy:denied_path': t('no tool may touch it'),
  'policy:outside_workspace': t('outside the workspace'),
  'policy:unparsed_command': t('unparsed command'),
};

function policyWords(rule: string): string {
  const words = rule
    .replace(/^policy:/, '')
    .replace(':', ' ')
    .replaceAll('_', ' ');
  return own(POLICY_WORDS, rule) ?? words;
}

const DECISION_WORDS = {
  approved: t('Allowed'),
  denied: t('Denied'),
  answered: t('Answered'),
  skipped: t('Skipped'),
  marked_done: t('Marked as done'),
  run_again: t('Run again'),
} as const satisfies Record<DecisionKind, string>;

function decisionWords(call: CallEntry, decision: CallDecision): string {
  const { decided_by, rule, reason } = decision;
  const word = DECISION_WORDS[decisionKind(call, decision)];
  if (decided_by !== 'user') return byWhom(word, decided_by, rule);
  // A person's decision names the rule that it made, not one that it followed.
  const words =
    rule === '' ? t('{0} by you', word) : t('{0} by you, and from now on by the rule {1}', word, rule);
  return reason === '' ? words : `${words}: ${reason}`;
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
