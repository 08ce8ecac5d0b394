import { ESCAPES, LONGEST_GLOB } from './glob.ts';

export interface RuleTexts {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export type RuleList = keyof RuleTexts;

export interface Rule {
  /** As it was written. */
  readonly text: string;
  /** Null: every tool. */
  readonly tool: string | null;
  /** Null: every call of the tool. */
  readonly glob: string | null;
}

export interface RuleProblem {
  readonly text: string;
  readonly list: RuleList;
  /** What is wrong, what it means meanwhile, what to write instead. */
  readonly message: string;
}

export interface RuleSet {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/** The tool whose rules are matched against command lines. All others are matched against paths. */
export const COMMAND_TOOL = 'run_command';

/** Rules that cannot be read fail closed: they allow nothing, and they ask about or deny too much. */
export function parseRules(texts: RuleTexts, knownTools: readonly string[]): RuleSet {
  const lists = LISTS.map((list) => texts[list].map((text) => parsedRule(text, list, knownTools)));
  const [allow = [], ask = [], deny = []] = lists.map((list) => list.flatMap(({ rule }) => rule ?? []));
  return { allow, ask, deny, problems: lists.flat().flatMap(({ problem }) => problem ?? []) };
}

export interface UnreadableRule {
  readonly text: string;
  readonly list: RuleList;
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

/** The rules that nobody can make sense of, for those who would rather not begin with them. */
export function unreadableRules(texts: RuleTexts): readonly UnreadableRule[] {
  return LISTS.flatMap((list) =>
    texts[list].flatMap((text) => {
      const { fault } = readRule(text);
      return fault === null
        ? []
        : [{ text, list, message: `This rule cannot be read: ${fault}. ${EXAMPLE}` }];
    }),
  );
}

const LISTS = ['allow', 'ask', 'deny'] as const satisfies readonly RuleList[];

export function joinRules(...sets: readonly RuleSet[]): RuleSet {
  return {
    allow: sets.flatMap((set) => set.allow),
    ask: sets.flatMap((set) => set.ask),
    deny: sets.flatMap((set) => set.deny),
    problems: sets.flatMap((set) => set.problems),
  };
}

interface ParsedRule {
  readonly rule: Rule | null;
  readonly problem: RuleProblem | null;
}

function parsedRule(text: string, list: RuleList, knownTools: readonly string[]): ParsedRule {
  const { tool, glob, fault } = readRule(text);
  if (fault !== null) return malformed({ text, list, fault }, knownTools);
  const rule = { text, tool, glob };
  if (knownTools.includes(tool)) return { rule, problem: null };
  const meanwhile = list === 'allow' ? 'It allows nothing.' : `It counts for a tool of that name only.`;
  const message = `No tool is called ${tool}. ${meanwhile} The tools are ${knownTools.join(', ')}.`;
  return { rule: list === 'allow' ? null : rule, problem: { text, list, message } };
}

type ReadRule =
  | { readonly tool: string; readonly glob: string | null; readonly fault: null }
  | { readonly tool: null; readonly glob: null; readonly fault: string };

function readRule(text: string): ReadRule {
  const {
    tool,
    open,
    glob = '',
  } = /^\s*(?<tool>[a-z][a-z0-9_]*)\s*(?:(?<open>\()(?<glob>.*)\))?\s*$/s.exec(text)?.groups ?? {};
  if (tool === undefined) return faulty('it is neither a tool nor a tool with a glob in parentheses');
  if (open === undefined) return { tool, glob: null, fault: null };
  const fault = globFault(tool, glob.trim());
  return fault === null ? { tool, glob: glob.trim(), fault } : faulty(fault);
}

function faulty(fault: string): ReadRule {
  return { tool: null, glob: null, fault };
}

function globFault(tool: string, glob: string): string | null {
  if (glob === '') return 'there is nothing in its parentheses';
  if (glob.length > LONGEST_GLOB) return `its glob has more than ${LONGEST_GLOB} characters`;
  const rest = glob.replaceAll(new RegExp(ESCAPES, 'g'), '');
  if (/[[\]{}]/.test(rest))
    return String.raw`braces and brackets do not make alternatives; for the characters themselves write \{ \} \[ \]`;
  if (rest.endsWith('\\')) return 'its glob ends with a backslash';
  if (tool !== COMMAND_TOOL && rest.includes('\\'))
    return 'folders in a path are separated by /, not by a backslash';
  return null;
}

const EXAMPLE = 'Write a tool, such as write_file, or a tool with a glob, such as run_command(npm test*).';

function malformed(
  { text, list, fault }: { readonly text: string; readonly list: RuleList; readonly fault: string },
  knownTools: readonly string[],
): ParsedRule {
  const name = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase();
  const tool = name !== undefined && knownTools.includes(name) ? name : null;
  const message = `This rule cannot be read: ${fault}. ${MEANWHILE[list](tool)} ${EXAMPLE}`;
  return { rule: list === 'allow' ? null : { text, tool, glob: null }, problem: { text, list, message } };
}

const MEANWHILE = {
  allow: () => 'It allows nothing.',
  ask: (tool) => `Until it is corrected, every call of ${tool ?? 'every tool'} is asked.`,
  deny: (tool) => `Until it is corrected, every call of ${tool ?? 'every tool'} is denied.`,
} as const satisfies Record<RuleList, (tool: string | null) => string>;
