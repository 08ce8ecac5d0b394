import { splitCommand, type CommandPart, type Shell, type Split } from './command-parts.ts';
import { commandGlob, couldMatch, covers, isExact, type Glob } from './glob.ts';
import { allowsPath, meansEveryPath, meansPath } from './path-rules.ts';
import { COMMAND_TOOL, type Rule, type RuleList, type RuleSet } from './rules.ts';

/** A rule, and where it is from. */
export interface RuleInForce {
  readonly rule: Rule;
  readonly remembered: boolean;
}

export interface RuleSets {
  readonly rules: RuleSet;
  readonly remembered: RuleSet;
}

/** The rules of a list that are about a tool, those of the settings first. */
export function rulesAbout(tool: string, list: RuleList, sets: RuleSets): readonly RuleInForce[] {
  const all = [
    ...sets.rules[list].map((rule) => ({ rule, remembered: false })),
    ...sets.remembered[list].map((rule) => ({ rule, remembered: true })),
  ];
  return all.filter(({ rule }) => rule.tool === null || rule.tool === tool);
}

/** What a call acts on, ready to be compared with rules. */
export type Subject =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'command'; readonly split: Split; readonly shell: Shell };

export function subjectOf(call: { readonly name: string; readonly subject: string }, shell: Shell): Subject {
  if (call.name !== COMMAND_TOOL) return { kind: 'path', path: call.subject };
  return { kind: 'command', split: splitCommand(call.subject, shell), shell };
}

/** `could`: that is only known when the command runs. */
export type Meaning = 'no' | 'yes' | 'could';

/** Whether a deny or ask rule is about the subject. Where that cannot be known, it is. */
export function meaningOf({ glob }: Rule, subject: Subject): Meaning {
  if (glob === null) return 'yes';
  if (subject.kind === 'path') return meansPath(glob, subject.path) ? 'yes' : 'no';
  if (subject.split.kind === 'unparsed') return 'could';
  const pattern = commandGlob(subject.shell === 'powershell' ? glob.toLowerCase() : glob);
  const texts = subject.split.parts.flatMap((part) =>
    part.couldBe.filter((text) => couldMatch(pattern, text)),
  );
  if (texts.length === 0) return 'no';
  return texts.some((text) => covers(pattern, text)) ? 'yes' : 'could';
}

/** The allow rules that let the subject pass, or null where something in it needs another one. */
export function rulesAllowing(
  subject: Subject,
  rules: readonly RuleInForce[],
): readonly RuleInForce[] | null {
  if (subject.kind === 'path') {
    const found = rules.find(({ rule }) => rule.glob === null || allowsPath(rule.glob, subject.path));
    return found === undefined ? null : [found];
  }
  if (subject.split.kind === 'unparsed' || subject.split.parts.length === 0) return null;
  // Who allows every command means every part of it, whatever it becomes when it runs.
  const every = rules.find(({ rule }) => rule.glob === null);
  if (every !== undefined) return [every];
  const allowed = allowedParts(subject.split.parts, rules);
  const used = allowed.flatMap((found) => (found === 'needs_none' ? [] : (found ?? [])));
  return allowed.includes(null) ? null : [...new Set(used)];
}

/** The parts that no rule lets pass yet. */
export function partsToAllow(subject: Subject, rules: readonly RuleInForce[]): readonly CommandPart[] {
  if (subject.kind === 'path' || subject.split.kind === 'unparsed') return [];
  const allowed = allowedParts(subject.split.parts, rules);
  return subject.split.parts.filter((_, index) => allowed[index] === null);
}

type Allowed = RuleInForce | 'needs_none' | null;

function allowedParts(parts: readonly CommandPart[], rules: readonly RuleInForce[]): readonly Allowed[] {
  const globs = rules.map((found) => ({ found, glob: globOf(found.rule) }));
  return parts.map((part) => {
    if (part.handsOn) return 'needs_none';
    return globs.find(({ glob }) => allowsPart(glob, part))?.found ?? null;
  });
}

function allowsPart(glob: Glob | null, { mustBe, isOpaque }: CommandPart): boolean {
  if (glob !== null && isOpaque && !isExact(glob)) return false;
  return mustBe.some((text) => glob === null || covers(glob, text));
}

function globOf({ glob }: Rule): Glob | null {
  return glob === null ? null : commandGlob(glob);
}

/** Whether a deny rule leaves nothing of a tool. */
export function meansEveryCall({ tool, glob }: Rule, name: string): boolean {
  if (tool !== null && tool !== name) return false;
  if (glob === null) return true;
  return name === COMMAND_TOOL ? /^\*+$/.test(glob) : meansEveryPath(glob);
}
