import * as vscode from 'vscode';
import type { CommandParts } from './command-parts.ts';
import { inform, warn } from './notifications.ts';
import { foreign } from './shown-text.ts';

const LONGEST_PATH = 500;

/** Where a person wants an export; undefined when they do not. */
export async function askWhere(words: {
  readonly title: string;
  readonly name: string;
  readonly filters: Readonly<Record<string, readonly string[]>>;
}): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const filters = Object.fromEntries(Object.entries(words.filters).map(([kind, ends]) => [kind, [...ends]]));
  return vscode.window.showSaveDialog({
    title: words.title,
    filters,
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, words.name) }),
  });
}

/** Writes it, and says where it is or that it could not be written. */
export async function saved(
  { log }: Pick<CommandParts, 'log'>,
  target: vscode.Uri,
  write: () => Thenable<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    log.error(`exporting to ${target.fsPath}: ${String(error)}`);
    await warn(
      vscode.l10n.t(
        'The session was not exported: {0} could not be written. The output of Ledgerline has the details.',
        shownPath(target),
      ),
    );
    return;
  }
  await sayWhere(target);
}

async function sayWhere(target: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open');
  const reveal = vscode.l10n.t('Reveal');
  const command = revealCommand(target);
  const answer = await inform(
    vscode.l10n.t('The session was exported to {0}.', shownPath(target)),
    open,
    ...(command === null ? [] : [reveal]),
  );
  if (answer === open) await vscode.commands.executeCommand('vscode.open', target);
  if (answer === reveal && command !== null) await vscode.commands.executeCommand(command, target);
}

export function shownPath({ fsPath }: vscode.Uri): string {
  return foreign(fsPath, LONGEST_PATH);
}

/** In the Explorer where that has it, else in the system's own; null for a machine that has no window here. */
function revealCommand(target: vscode.Uri): string | null {
  if (vscode.workspace.getWorkspaceFolder(target) !== undefined) return 'revealInExplorer';
  const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  return isHere && target.scheme === 'file' ? 'revealFileInOS' : null;
}
