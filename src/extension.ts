import { setImmediate as nextTurn } from 'node:timers/promises';
import * as vscode from 'vscode';
import { AgentTabs } from './host/agent-tabs.ts';
import { ApiKey } from './host/api-key.ts';
import { ChatView } from './host/chat-view.ts';
import { Choices } from './host/choices.ts';
import { CompactionPreviews } from './host/compaction-previews.ts';
import { CodeProposals } from './host/code-proposals.ts';
import { registerCommands } from './host/commands.ts';
import { CHAT_VIEW } from './host/contribution-ids.ts';
import type { Borrow } from './host/host-conversation.ts';
import { ShownDocuments } from './host/shown-documents.ts';
import { SessionsView } from './host/sessions-view.ts';
import { DiagnosticsView } from './host/diagnostics-view.ts';
import { PaletteContext } from './host/palette-context.ts';
import { ReportDocuments } from './host/report-documents.ts';
import { ProblemFixes } from './host/problem-fixes.ts';
import { workspaceStorage } from './host/workspace-storage.ts';
import { StorageUpkeep } from './host/storage-upkeep.ts';
import { Surroundings } from './host/surroundings.ts';
import { TerminalWatch } from './host/terminal-watch.ts';

let end: () => Promise<void> = async () => undefined;

/** The chat first, because a person may be waiting for it; VS Code runs no command before the rest is there, too. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Ledgerline', { log: true });
  const apiKey = new ApiKey(context.secrets);
  const choices = new Choices(context, (error) => log.error(`forgetting a pick: ${String(error)}`));
  const documents = new ShownDocuments();
  const proposals = new CodeProposals(documents, (error) => log.error(`proposing code: ${String(error)}`));
  const storage = workspaceStorage((context.storageUri ?? context.globalStorageUri).fsPath);
  let agents: AgentTabs | null = null;
  const borrow: Borrow = (sessionId, take) => (agents === null ? take() : agents.lend(sessionId, take));
  const given = { context, storage, log, apiKey, choices, documents, proposals, borrow };
  const chat = new ChatView(given);
  // No subscriptions: those are disposed of without waiting, and the end of these is written to logs.
  end = async () => {
    await Promise.all([chat.dispose(), agents?.dispose()]);
    log.dispose();
  };
  context.subscriptions.push(
    apiKey,
    choices,
    documents,
    proposals,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, chat),
  );
  log.info(`Ledgerline on VS Code ${vscode.version}`);
  await nextTurn();
  const sessions = new SessionsView({ chat, log, storage: vscode.Uri.file(storage) });
  const diagnostics = new DiagnosticsView({ chat, storage, log });
  const reports = new ReportDocuments(storage);
  agents = new AgentTabs({ ...given, chat, sessions, reports });
  const terminals = new TerminalWatch((error) => log.error(`reading a terminal: ${String(error)}`));
  context.subscriptions.push(
    sessions,
    diagnostics,
    reports,
    terminals,
    new CompactionPreviews({ chat, reports, choices, log }),
    new PaletteContext({ sessions, choices, storage: vscode.Uri.file(storage), log }),
    new StorageUpkeep({ storage, sessions, reports, log }),
    sessions.onDidList((entries) => reports.heardOf(entries)),
    new Surroundings({ chat, memory: context.workspaceState, log }),
    vscode.languages.registerCodeActionsProvider(
      [{ scheme: 'file' }, { scheme: 'untitled' }],
      new ProblemFixes(),
      { providedCodeActionKinds: ProblemFixes.kinds },
    ),
    ...registerCommands({
      chat,
      sessions,
      diagnostics,
      reports,
      storage,
      terminals,
      proposals,
      choices,
      apiKey,
      log,
      agents,
      documents,
    }),
  );
}

export async function deactivate(): Promise<void> {
  await end();
}
