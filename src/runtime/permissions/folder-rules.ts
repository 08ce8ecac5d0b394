import { COMMAND_TOOL, type Rule, type RuleSet } from './rules.ts';

/**
 * Where a workspace has several folders, their paths begin with the folder's name. A rule that denies or asks may
 * have been written without it, for one folder or for all workspaces of a person, so it means that place in every
 * folder. What is allowed is only what was written.
 */
export function inEveryFolder(set: RuleSet): RuleSet {
  return { ...set, ask: set.ask.flatMap(widened), deny: set.deny.flatMap(widened) };
}

function widened(rule: Rule): readonly Rule[] {
  const { tool, glob } = rule;
  // Without a slash it is a name anywhere.
  if (glob === null || tool === COMMAND_TOOL || !glob.includes('/')) return [rule];
  return [rule, { ...rule, glob: `*/${glob.replace(/^(?:\.?\/+)+/, '')}` }];
}
