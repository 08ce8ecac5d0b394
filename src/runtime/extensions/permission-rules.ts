import type { Extension } from '../extension.ts';

export interface PermissionRules {
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/**
 * Rules cannot be matched against paths and command lines yet. Until they can, a rule that asks or denies counts
 * for every call of its tool, and one that names no tool for every call: stricter than meant, never laxer.
 */
export function permissionRules({ ask, deny }: PermissionRules): Extension {
  const restricting = [...deny, ...ask];
  return {
    name: 'permission_rules',
    before_tool: (_, call) => {
      const rule = restricting.find((one) => [call.name, null].includes(toolOf(one)));
      if (rule === undefined) return null;
      const message = `${call.name} is denied: the rule ${JSON.stringify(rule)} in ledgerline.permissions is about it, and this version can apply rules only to whole tools.`;
      return { kind: 'block', rule, error: { kind: 'permission_denied', message, details: { rule } } };
    },
  };
}

/** Null for what is no rule: it then counts for every tool. */
function toolOf(rule: string): string | null {
  return /^\s*([a-z][a-z0-9_]*)\s*(?:\(.*\))?\s*$/s.exec(rule)?.[1] ?? null;
}
