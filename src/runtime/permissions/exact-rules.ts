import type { CommandPart } from './command-parts.ts';
import { ANY, escaped, type Pattern } from './glob.ts';
import { partsToAllow, type RuleInForce, type Subject } from './rules-in-force.ts';

/** Rules about exactly one call, for "always" and "never". They are never about a whole tool. */
export interface ExactRules {
  readonly always: readonly string[];
  readonly never: readonly string[];
}

/** More than a person reads before saying "always". */
const MOST_RULES = 20;

const NONE: ExactRules = { always: [], never: [] };

export function exactRules(
  call: { readonly name: string },
  subject: Subject,
  allowing: readonly RuleInForce[],
): ExactRules {
  const ruleFor = (text: string): string => `${call.name}(${escaped(text)})`;
  if (subject.kind === 'path') {
    const rules = subject.path === '' ? [] : [ruleFor(subject.path)];
    return { always: rules, never: rules };
  }
  const parts = partsToAllow(subject, allowing);
  const texts = parts.flatMap((part) => exactText(part) ?? []);
  const rules = [...new Set(texts.map(ruleFor))];
  if (texts.length !== parts.length || rules.length > MOST_RULES) return NONE;
  // Which of several parts is not wanted is for the person to say, in a rule of their own.
  return { always: rules, never: rules.length === 1 ? rules : [] };
}

/** The text that a rule for exactly this part needs; null where no rule can be that exact. */
function exactText({ mustBe, saysAll }: CommandPart): string | null {
  const [pattern] = mustBe;
  return pattern === undefined || !saysAll || pattern.includes(ANY) ? null : textOf(pattern);
}

function textOf(pattern: Pattern): string {
  return pattern.map((token) => String.fromCodePoint(token)).join('');
}
