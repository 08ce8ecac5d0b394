import type { Pattern } from './glob.ts';

/** One command of a command line, as rules see it. */
export interface CommandPart {
  /** For people: the words with the quotes they need, without what is around them. */
  readonly text: string;
  /** A deny or ask rule counts if it could match any of these. */
  readonly couldBe: readonly Pattern[];
  /** An allow rule must cover one of these. None: no rule can allow it. */
  readonly mustBe: readonly Pattern[];
  /** It may run what its words do not tell: then an allow rule with a wildcard does not count. */
  readonly isOpaque: boolean;
  /** It only hands on to parts that follow, so it needs no rule of its own. */
  readonly handsOn: boolean;
  /** Whether its text says all that it does. Only then a rule for exactly it can be remembered. */
  readonly saysAll: boolean;
  /** Every path that it names, as far as that is known. */
  readonly paths: readonly NamedPath[];
}

/** A path in a command. What is only known when it runs is open in it: see `possible-names.ts`. */
export interface NamedPath {
  readonly path: string;
  /** To look is to see names and sizes, but nothing that is inside. */
  readonly use: 'look' | 'read' | 'write';
}

export type Split =
  | { readonly kind: 'parts'; readonly parts: readonly CommandPart[] }
  | { readonly kind: 'unparsed'; readonly why: string };

export function joinedSplits(splits: readonly Split[]): Split {
  const parts: CommandPart[] = [];
  for (const split of splits) {
    if (split.kind === 'unparsed') return split;
    for (const part of split.parts) parts.push(part);
  }
  return { kind: 'parts', parts };
}

const RUNS_INPUT =
  /^(?:python|pypy|node|nodejs|perl|ruby|php|lua|luajit|deno|bun|tclsh|osascript|psql|mysql|mariadb|sqlite|bc|make|gmake|awk|gawk|sed|ed|ex|vim|vi|nc|socat|telnet|docker|podman|kubectl)[\d.]*$/;

/** Whether a program may take what it reads for something to do, so that its words do not say all. */
export function runsInput(name: string): boolean {
  return RUNS_INPUT.test(name);
}
