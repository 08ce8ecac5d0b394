import * as vscode from 'vscode';
import type { CommandParts } from './command-parts.ts';
import { exists } from './file-presence.ts';
import { inform, warn } from './notifications.ts';
import { titleIn } from './session-picker.ts';
import { foreign } from './shown-text.ts';

const LONGEST_PATH = 500;

/** The log as it is, byte for byte: also of a session that is damaged. */
export async function exportSession(
  { sessions, log }: Pick<CommandParts, 'sessions' | 'log'>,
  sessionId: string,
): Promise<void> {
  const entry = (await sessions.all()).find((one) => one.session_id === sessionId);
  const source = vscode.Uri.file(await sessions.logPath(sessionId));
  if (!(await exists(source))) {
    await inform(vscode.l10n.t('This session has no log yet. It begins with the first message.'));
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${sessionId}.jsonl`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export “{0}”', entry === undefined ? sessionId : titleIn(entry)),
    filters: { [vscode.l10n.t('Session log')]: ['jsonl'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return;
  try {
    await vscode.workspace.fs.copy(source, target, { overwrite: true });
  } catch (error) {
    log.error(`exporting ${sessionId}: ${String(error)}`);
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

function shownPath({ fsPath }: vscode.Uri): string {
  return foreign(fsPath, LONGEST_PATH);
}

/** In the Explorer where that has it, else in the system's own; null for a machine that has no window here. */
function revealCommand(target: vscode.Uri): string | null {
  if (vscode.workspace.getWorkspaceFolder(target) !== undefined) return 'revealInExplorer';
  const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  return isHere && target.scheme === 'file' ? 'revealFileInOS' : null;
}
