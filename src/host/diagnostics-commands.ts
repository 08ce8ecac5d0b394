import * as vscode from 'vscode';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { DiagnosticsCommand } from './contribution-ids.ts';
import { exists } from './file-presence.ts';
import { sessionIdIn } from './session-argument.ts';

/** Commands that look behind a session. */
export function diagnosticsCommands({
  chat,
  sessions,
}: CommandParts): Record<DiagnosticsCommand, CommandHandler> {
  return {
    openLog: async (session) =>
      openLog(await sessions.logPath(sessionIdIn(session) ?? (await chat.host()).sessionId)),
    inspectRequest: async () => showReport(await (await chat.host()).inspectRequest()),
    diagnose: async () => showReport(await (await chat.host()).diagnose()),
  };
}

async function openLog(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  if (await exists(uri)) {
    await vscode.window.showTextDocument(uri, { preview: false });
  } else {
    await vscode.window.showInformationMessage(
      'This session has no log yet. It begins with the first message.',
    );
  }
}

async function showReport(report: object): Promise<void> {
  const content = JSON.stringify(report, undefined, 2);
  const document = await vscode.workspace.openTextDocument({ language: 'json', content });
  await vscode.window.showTextDocument(document, { preview: false });
}
