import * as vscode from 'vscode';
import { ApiKey } from './host/api-key.ts';
import { ChatView } from './host/chat-view.ts';
import { registerCommands } from './host/commands.ts';
import { CHAT_VIEW } from './host/contribution-ids.ts';
import { provideShownDocuments } from './host/shown-documents.ts';
import { SessionsView } from './host/sessions-view.ts';
import { DiagnosticsView } from './host/diagnostics-view.ts';
import { ReportDocuments } from './host/report-documents.ts';

let end: () => Promise<void> = async () => undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Ledgerline', { log: true });
  const apiKey = new ApiKey(context.secrets);
  const chat = new ChatView({ context, log, apiKey });
  const storageUri = context.storageUri ?? context.globalStorageUri;
  const storage = storageUri.fsPath;
  const sessions = new SessionsView({ chat, log, storage: storageUri });
  const diagnostics = new DiagnosticsView({ chat, storage, log });
  const reports = new ReportDocuments(storage);
  context.subscriptions.push(
    apiKey,
    sessions,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, chat),
    diagnostics,
    reports,
    provideShownDocuments(),
    ...registerCommands({ chat, sessions, diagnostics, reports, storage, apiKey, log }),
  );
  // Not a subscription: those are disposed of without waiting, and this one's end is written to the log.
  end = async () => {
    await chat.dispose();
    log.dispose();
  };
}

export async function deactivate(): Promise<void> {
  await end();
}
