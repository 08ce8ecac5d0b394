import { COMMANDS, SETTINGS_SECTION } from './contribution-ids.ts';

/** For menus of the tree. A button that ran one could run itself. */
const FOR_MENUS: ReadonlySet<string> = new Set([
  COMMANDS.revealLogLine,
  COMMANDS.inspectNodeRequest,
  COMMANDS.runNextAction,
  COMMANDS.copyNode,
  COMMANDS.showEarlierTurns,
]);

/**
 * A button names a command, and its name may come from a log: only these may run. Own commands check their
 * arguments themselves.
 */
export function allowedArguments(command: string, args: unknown): readonly unknown[] | null {
  const list: readonly unknown[] = args === undefined ? [] : Array.isArray(args) ? args : [args];
  if (FOR_MENUS.has(command)) return null;
  if (Object.values<string>(COMMANDS).includes(command)) return list;
  if (command === 'workbench.trust.manage') return [];
  if (command !== 'workbench.action.openSettings') return null;
  const [query] = list;
  return typeof query === 'string' && query.startsWith(SETTINGS_SECTION) ? [query] : [SETTINGS_SECTION];
}
