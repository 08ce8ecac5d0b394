import type { PermissionMode } from '../events.ts';
import { unreachable } from '../unreachable.ts';
import type { AskedPath } from './path-policy.ts';
import { shownPath } from './possible-names.ts';
import type { Meaning, RuleInForce } from './rules-in-force.ts';

/** Why a call is allowed, asked or denied, in one sentence. */

interface Call {
  readonly name: string;
  readonly subject: string;
}

const LONGEST_SUBJECT = 200;

function onSubject({ name, subject }: Call): string {
  if (subject === '') return name;
  return `${name} on ${shortened(subject)}`;
}

function shortened(text: string): string {
  return text.length > LONGEST_SUBJECT ? `${text.slice(0, LONGEST_SUBJECT)}…` : text;
}

function quoted({ rule, remembered }: RuleInForce): string {
  return `${remembered ? 'remembered rule' : 'rule'} ${JSON.stringify(rule.text)}`;
}

export function denied(call: Call, found: RuleInForce, meaning: Meaning): string {
  if (meaning === 'yes') return `${onSubject(call)} is denied by the ${quoted(found)}.`;
  return `${onSubject(call)} is denied: it could be what the ${quoted(found)} is about, which is only known when it runs.`;
}

export function deniedUnparsed(call: Call, found: RuleInForce, why: string): string {
  return `${onSubject(call)} is denied: it is not understood (${why}), and the ${quoted(found)} could be about it.`;
}

export function asked(found: RuleInForce, meaning: Meaning): string {
  const where = found.remembered ? '' : ' in ledgerline.permissions';
  return `The ${quoted(found)}${where} ${meaning === 'yes' ? 'asks' : 'may ask'} about this.`;
}

export function allowed(call: Call, found: readonly RuleInForce[]): string {
  return `${onSubject(call)} is allowed by the ${found.map(quoted).join(' and the ')}.`;
}

export function readOnly(call: Call): string {
  return `${onSubject(call)} is not allowed: the permission mode is read_only.`;
}

export function askedByMode({ name }: Call): string {
  return `${name} is asked in mode ask.`;
}

export function allowedByMode({ name }: Call, mode: PermissionMode): string {
  return `${name} is allowed in mode ${mode}.`;
}

export function protectedPath(call: Call): string {
  return `${onSubject(call)} changes how editors and agents behave here, so it is asked in every mode.`;
}

export function namedPath({ policy, path }: AskedPath): string {
  const shown = shortened(shownPath(path));
  switch (policy) {
    case 'protected_path':
      return `This command may change ${shown}, which directs editors and agents here, so it is asked in every mode.`;
    case 'secret_path':
      return `This command names ${shown}, which may hold secrets or is inside version control, so it is asked in every mode.`;
    case 'storage_path':
      return `This command names ${shown}, which is where Ledgerline keeps its logs, so it is asked in every mode.`;
    default:
      return unreachable(policy);
  }
}

export function unparsed(why: string): string {
  return `This command line is not understood well enough to apply rules to it (${why}), so it is asked in every mode.`;
}
