import { isSessionId } from '../storage/session-paths.ts';
import { isAboutAgents, parseAgentTarget } from './agent-arguments.ts';
import { COMMANDS, SETTINGS_SECTION } from './contribution-ids.ts';

/** What buttons are for. Each lets the person look, choose or go on; none takes anything away. */
const FOR_BUTTONS: ReadonlySet<string> = new Set([
  COMMANDS.newSession,
  COMMANDS.stop,
  COMMANDS.retryTurn,
  COMMANDS.continueTurn,
  COMMANDS.takeOver,
  COMMANDS.reopenSession,
  COMMANDS.setApiKey,
  COMMANDS.selectModel,
  COMMANDS.selectMode,
  COMMANDS.useOfflineModel,
  COMMANDS.compact,
  COMMANDS.compactDryRun,
  COMMANDS.runWorkflow,
  COMMANDS.showSkills,
  COMMANDS.showOutput,
  COMMANDS.openSession,
  COMMANDS.fork,
  COMMANDS.exportSession,
  COMMANDS.openLog,
  COMMANDS.inspectRequest,
  COMMANDS.diagnose,
  COMMANDS.openCheckpoint,
  COMMANDS.revealInChat,
  COMMANDS.undoTurn,
  COMMANDS.redoTurn,
  COMMANDS.mergeUndo,
]);

/**
 * A button names a command, and its name may come from a log: only these may run. They check their arguments
 * themselves; those about children and workflows are checked here, because they do more than look.
 */
export function allowedArguments(command: string, args: unknown): readonly unknown[] | null {
  const list: readonly unknown[] = args === undefined ? [] : Array.isArray(args) ? args : [args];
  if (FOR_BUTTONS.has(command)) return list;
  if (command === COMMANDS.openAgent) return isOneSession(list) ? list : null;
  if (isAboutAgents(command)) {
    const target = parseAgentTarget(command, list);
    return target === null ? null : [target];
  }
  if (command === 'workbench.trust.manage' || command === 'vscode.openFolder') return [];
  if (command !== 'workbench.action.openSettings') return null;
  const [query] = list;
  return typeof query === 'string' && query.startsWith(SETTINGS_SECTION) ? [query] : [SETTINGS_SECTION];
}

const ABOUT_STORAGE: ReadonlySet<string> = new Set([
  COMMANDS.collectContents,
  COMMANDS.emptyTrash,
  COMMANDS.archiveSession,
  COMMANDS.unarchiveSession,
  COMMANDS.deleteSession,
  COMMANDS.restoreSession,
  COMMANDS.removeDeletedSession,
]);

/** What the links of the document about the storage may do beside that. It is ours alone: no log has a say in it. */
export function storageArguments(command: string, args: unknown): readonly unknown[] | null {
  if (!ABOUT_STORAGE.has(command) || !Array.isArray(args) || args.length > 1) return null;
  const [name] = args;
  return name === undefined || (typeof name === 'string' && /^[\w-]+(?:\.\d+)?$/.test(name)) ? args : null;
}

function isOneSession([id, ...more]: readonly unknown[]): boolean {
  return more.length === 0 && typeof id === 'string' && isSessionId(id);
}
