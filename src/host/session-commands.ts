import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';

/** Commands that look at sessions or choose one. */

export async function openSession(chat: ChatView): Promise<void> {
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
export async function exportSession(chat: ChatView): Promise<void> {
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

export async function openLog(chat: ChatView): Promise<void> {
  const uri = vscode.Uri.file((await chat.host()).logPath);
  if (await exists(uri)) {
    await vscode.window.showTextDocument(uri, { preview: false });
  } else {
    await vscode.window.showInformationMessage(
      'This session has no log yet. It begins with the first message.',
    );
  }
}

export async function showReport(report: object): Promise<void> {
  const content = JSON.stringify(report, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: 'json', content });
  await vscode.window.showTextDocument(document, { preview: false });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return false;
    throw error;
  }
}
