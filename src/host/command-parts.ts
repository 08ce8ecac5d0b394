import type * as vscode from 'vscode';
import type { AgentTabs } from './agent-tabs.ts';
import type { ApiKey } from './api-key.ts';
import type { ChatView } from './chat-view.ts';
import type { SessionsView } from './sessions-view.ts';
import type { DiagnosticsView } from './diagnostics-view.ts';
import type { ReportDocuments } from './report-documents.ts';
import type { TerminalWatch } from './terminal-watch.ts';
import type { Choices } from './choices.ts';
import type { CodeProposals } from './code-proposals.ts';
import type { ShownDocuments } from './shown-documents.ts';

/** What commands work with. */
export interface CommandParts {
  readonly chat: ChatView;
  readonly sessions: SessionsView;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly log: vscode.LogOutputChannel;
  readonly diagnostics: DiagnosticsView;
  readonly reports: ReportDocuments;
  /** The folder of the sessions. */
  readonly storage: string;
  readonly terminals: TerminalWatch;
  readonly proposals: CodeProposals;
  readonly agents: AgentTabs;
  readonly documents: ShownDocuments;
}

/** Arguments come from menus, buttons and other extensions: each command checks its own. */
export type CommandHandler = (...args: readonly unknown[]) => Promise<void> | void;
