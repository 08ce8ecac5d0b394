import { ANY, couldMatch, literal, pathGlob } from './glob.ts';
import { sameFile } from './path-rules.ts';
import { meaningOf, rulesAbout, type RuleSets } from './rules-in-force.ts';
import type { Rule } from './rules.ts';

/** What a call that goes through folders leaves out. */
export interface HiddenPaths {
  /** Whether there may be anything to leave out. Told from the rules alone, whatever the folders hold. */
  readonly any: boolean;
  readonly hides: (path: string) => boolean;
}

/**
 * What the rules hide from a call that was permitted for the place where it starts. Nobody is asked about each
 * file on the way, so asking counts like denying, except by a rule that meant the start: it was answered.
 */
export function hiddenPaths(
  { tool, start }: { readonly tool: string; readonly start: string },
  sets: RuleSets,
): HiddenPaths {
  const denying = rulesAbout(tool, 'deny', sets).map(({ rule }) => rule);
  const asking = rulesAbout(tool, 'ask', sets).map(({ rule }) => rule);
  const hiding = [...denying, ...asking.filter((rule) => !means(rule, start))].filter((rule) =>
    reachesBelow(rule, start),
  );
  return { any: hiding.length > 0, hides: (path) => hiding.some((rule) => means(rule, path)) };
}

function means(rule: Rule, path: string): boolean {
  return meaningOf(rule, { kind: 'path', path }) !== 'no';
}

function reachesBelow({ glob }: Rule, start: string): boolean {
  // Without a slash it is a name anywhere.
  if (glob === null || start === '.' || !glob.includes('/')) return true;
  const rooted = glob.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '/**');
  return couldMatch(pathGlob(sameFile(rooted)), [...literal(sameFile(`${start}/`)), ANY]);
}
