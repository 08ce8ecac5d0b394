import type * as vscode from 'vscode';
import type { ApiKey } from './api-key.ts';
import type { ChatView } from './chat-view.ts';
import type { Choices } from './choices.ts';

/** What commands work with. */
export interface CommandParts {
  readonly chat: ChatView;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly log: vscode.LogOutputChannel;
}

/** Arguments come from menus, buttons and other extensions: each command checks its own. */
export type CommandHandler = (...args: readonly unknown[]) => Promise<void> | void;
