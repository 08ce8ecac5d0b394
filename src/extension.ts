import * as vscode from 'vscode';
import { ApiKey } from './host/api-key.ts';
import { ChatView } from './host/chat-view.ts';
import { Choices } from './host/choices.ts';
import { registerCommands } from './host/commands.ts';
import { CHAT_VIEW } from './host/contribution-ids.ts';

let end: () => Promise<void> = async () => undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Ledgerline', { log: true });
  const apiKey = new ApiKey(context.secrets);
  const choices = new Choices(context);
  const chat = new ChatView({ context, log, apiKey, choices });
  context.subscriptions.push(
    apiKey,
    choices,
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, chat),
    ...registerCommands({ chat, apiKey, choices, log }),
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
