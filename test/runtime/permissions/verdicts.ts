import {
  permissionFor,
  type Permission,
  type PermissionContext,
} from '../../../src/runtime/permissions/permission.ts';
import { parseRules, type RuleSet, type RuleTexts } from '../../../src/runtime/permissions/rules.ts';
import type { Effect } from '../../../src/runtime/ports.ts';

/** Short ways to ask for a permission. */

export const TOOLS = ['run_command', 'write_file', 'edit_file', 'read_file', 'search_text', 'ask_user'];

export function rules(texts: Partial<RuleTexts>): RuleSet {
  return parseRules({ allow: [], ask: [], deny: [], ...texts }, TOOLS);
}

export function context(given: Partial<PermissionContext> = {}): PermissionContext {
  return { mode: 'ask', rules: rules({}), remembered: rules({}), shell: 'posix', storage: [], ...given };
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  read_file: 'read',
  search_text: 'read',
  run_command: 'execute',
  ask_user: 'interact',
};

export function permission(
  name: string,
  subject: string,
  given: Partial<PermissionContext> = {},
): Permission {
  return permissionFor({ name, effect: EFFECTS[name] ?? 'write', subject }, context(given));
}

/** The decision about a command by rules that are written without their tool. */
export function commandDecision(
  line: string,
  lists: Partial<RuleTexts>,
  given: Partial<PermissionContext> = {},
): Permission['decision'] {
  const written = Object.entries(lists).map(([list, globs]) => [
    list,
    globs.map((glob) => `run_command(${glob})`),
  ]);
  return permission('run_command', line, { rules: rules(Object.fromEntries(written)), ...given }).decision;
}
