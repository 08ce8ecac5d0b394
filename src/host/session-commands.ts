import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { SessionCommand } from './contribution-ids.ts';
import { exists } from './file-presence.ts';

/** Commands that choose a session, or take one elsewhere. */
export function sessionCommands({ chat }: CommandParts): Record<SessionCommand, CommandHandler> {
  return {
    openSession: () => openSession(chat),
    fork: () => chat.present({ type: 'fork' }),
    exportSession: () => exportSession(chat),
  };
}

async function openSession(chat: ChatView): Promise<void> {
  const host = await chat.host();
  const rows = await host.sessions();
  const picked = await vscode.window.showQuickPick(
    rows.map((row) => ({
      label: row.title === '' ? row.session_id : row.title,
      description: row.problem ?? row.state ?? '',
      detail: new Date(row.updated_at).toLocaleString(),
      session_id: row.session_id,
    })),
    {
      title: 'Open session',
      placeHolder: rows.length === 0 ? 'There is no session yet.' : 'Sessions of this workspace',
    },
  );
  if (picked !== undefined) await chat.present({ type: 'open_session', session_id: picked.session_id });
}

/** The log as it is, byte for byte: also of a session that is damaged. */
async function exportSession(chat: ChatView): Promise<void> {
  const host = await chat.host();
  const source = vscode.Uri.file(host.logPath);
  if (!(await exists(source))) {
    await vscode.window.showInformationMessage(
      'This session has no log yet. It begins with the first message.',
    );
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `${host.sessionId}.jsonl`;
  const target = await vscode.window.showSaveDialog({
    title: 'Export session',
    filters: { 'Session log': ['jsonl'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target !== undefined) await vscode.workspace.fs.copy(source, target, { overwrite: true });
}
