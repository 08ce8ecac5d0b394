import type { PermissionMode } from '../events.ts';
import type { Effect, PreparedCall, ToolSpec } from '../ports.ts';
import { unreachable } from '../unreachable.ts';
import type { Shell } from './command-parts.ts';
import { askedPath } from './path-policy.ts';
import { isProtectedPath } from './path-rules.ts';
import {
  meaningOf,
  meansEveryCall,
  rulesAbout,
  rulesAllowing,
  subjectOf,
  type Meaning,
  type RuleInForce,
  type Subject,
} from './rules-in-force.ts';
import { exactRules } from './exact-rules.ts';
import { joinRules, parseRules, type RuleList, type RuleSet } from './rules.ts';
import * as sentences from './sentences.ts';

export interface Permission {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly decided_by: 'rule' | 'policy';
  /** The text of the rule that decided, or `mode:` or `policy:` and a name. */
  readonly rule: string;
  /** One plain sentence, for the person who is asked or for the model that is denied. */
  readonly why: string;
  /** The parts of a command line. */
  readonly sub_commands: readonly string[];
  /** Allow rules that, once remembered, let exactly this call pass. Empty where there can be none. */
  readonly always: readonly string[];
  /** Deny rules that, once remembered, deny exactly this call. */
  readonly never: readonly string[];
}

export interface PermissionContext {
  readonly mode: PermissionMode;
  readonly rules: RuleSet;
  readonly remembered: RuleSet;
  readonly shell: Shell;
  /** Where the logs are, in every way it may be spelled. */
  readonly storage: readonly string[];
}

export type CallToPermit = Pick<PreparedCall, 'name' | 'effect' | 'subject'>;

/** What the rules and the mode say to a call: deny before ask before allow before the mode. */
export function permissionFor(call: CallToPermit, context: PermissionContext): Permission {
  const subject = subjectOf(call, context.shell);
  const decided = decide(call, subject, context);
  const offers = decided.decision === 'ask' ? offersFor(call, subject, context) : { always: [], never: [] };
  return { ...decided, sub_commands: partTexts(subject), ...offers };
}

type Decided = Pick<Permission, 'decision' | 'decided_by' | 'rule' | 'why'>;

function decide(call: CallToPermit, subject: Subject, context: PermissionContext): Decided {
  return (
    deniedByRule(call, subject, context) ??
    deniedByMode(call, context) ??
    askedByPolicy(call, subject, context) ??
    askedByRule(call, subject, context) ??
    allowedByRule(call, subject, context) ??
    decidedByMode(call, context)
  );
}

function deniedByRule(call: CallToPermit, subject: Subject, context: PermissionContext): Decided | null {
  for (const found of rulesAbout(call.name, 'deny', context)) {
    const meaning = meaningOf(found.rule, subject);
    if (meaning !== 'no') return byRule('deny', found, whyDenied(call, subject, found, meaning));
  }
  return null;
}

function whyDenied(call: CallToPermit, subject: Subject, found: RuleInForce, meaning: Meaning): string {
  if (meaning === 'could' && subject.kind === 'command' && subject.split.kind === 'unparsed')
    return sentences.deniedUnparsed(call, found, subject.split.why);
  return sentences.denied(call, found, meaning);
}

function deniedByMode(call: CallToPermit, { mode }: PermissionContext): Decided | null {
  if (mode !== 'read_only' || !changesThings(call.effect)) return null;
  return byPolicy('deny', 'mode:read_only', sentences.readOnly(call));
}

function changesThings(effect: Effect): boolean {
  return effect === 'write' || effect === 'execute';
}

/** What is asked in every mode, whatever allow rules say. */
function askedByPolicy(call: CallToPermit, subject: Subject, { storage }: PermissionContext): Decided | null {
  if (call.effect === 'write' && isProtectedPath(call.subject))
    return byPolicy('ask', 'policy:protected_path', sentences.protectedPath(call));
  if (subject.kind === 'path') return null;
  if (subject.split.kind === 'unparsed')
    return byPolicy('ask', 'policy:unparsed_command', sentences.unparsed(subject.split.why));
  const named = askedPath(subject.split, storage);
  return named === null ? null : byPolicy('ask', `policy:${named.policy}`, sentences.namedPath(named));
}

function askedByRule(call: CallToPermit, subject: Subject, context: PermissionContext): Decided | null {
  for (const found of rulesAbout(call.name, 'ask', context)) {
    const meaning = meaningOf(found.rule, subject);
    if (meaning !== 'no') return byRule('ask', found, sentences.asked(found, meaning));
  }
  return null;
}

function allowedByRule(call: CallToPermit, subject: Subject, context: PermissionContext): Decided | null {
  const found = rulesAllowing(subject, rulesAbout(call.name, 'allow', context));
  if (found === null) return null;
  const rule = found.map((one) => one.rule.text).join(', ');
  return { decision: 'allow', decided_by: 'rule', rule, why: sentences.allowed(call, found) };
}

function decidedByMode(call: CallToPermit, { mode }: PermissionContext): Decided {
  const rule = `mode:${mode}`;
  if (!changesThings(call.effect)) return byPolicy('allow', rule, sentences.allowedByMode(call, mode));
  switch (mode) {
    case 'auto':
      return byPolicy('allow', rule, sentences.allowedByMode(call, mode));
    case 'ask':
      return byPolicy('ask', rule, sentences.askedByMode(call));
    case 'read_only':
      return byPolicy('deny', rule, sentences.readOnly(call));
    default:
      return unreachable(mode);
  }
}

function byRule(decision: 'ask' | 'deny', { rule }: RuleInForce, why: string): Decided {
  return { decision, decided_by: 'rule', rule: rule.text, why };
}

function byPolicy(decision: Permission['decision'], rule: string, why: string): Decided {
  return { decision, decided_by: 'policy', rule, why };
}

function partTexts(subject: Subject): readonly string[] {
  if (subject.kind === 'path' || subject.split.kind === 'unparsed') return [];
  return subject.split.parts.map((part) => part.text);
}

/** Rules are offered only if they do what they are offered for: that is tried. */
function offersFor(
  call: CallToPermit,
  subject: Subject,
  context: PermissionContext,
): Pick<Permission, 'always' | 'never'> {
  const exact = exactRules(call, subject, rulesAbout(call.name, 'allow', context));
  const works = (list: RuleList, texts: readonly string[]): boolean => {
    const added = parseRules({ allow: [], ask: [], deny: [], [list]: texts }, [call.name]);
    if (texts.length === 0 || added.problems.length > 0) return false;
    const remembered = joinRules(context.remembered, added);
    return decide(call, subject, { ...context, remembered }).decision === list;
  };
  return {
    always: works('allow', exact.always) ? exact.always : [],
    never: works('deny', exact.never) ? exact.never : [],
  };
}

/** Whether a tool is offered to the model at all: not when every call of it would be denied. */
export function isOffered(
  tool: Pick<ToolSpec, 'name' | 'effect'>,
  context: Pick<PermissionContext, 'mode' | 'rules' | 'remembered'>,
): boolean {
  if (context.mode === 'read_only' && changesThings(tool.effect)) return false;
  const denying = rulesAbout(tool.name, 'deny', context);
  return !denying.some(({ rule }) => meansEveryCall(rule, tool.name));
}
