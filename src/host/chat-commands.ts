import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, type ChatCommand } from './contribution-ids.ts';
import { inform } from './notifications.ts';

/** Commands for the conversation that is open, and for who answers in it. */
export function chatCommands({
  chat,
  apiKey,
  choices,
  log,
}: CommandParts): Record<ChatCommand, CommandHandler> {
  return {
    newSession: () => chat.present({ type: 'new_session' }),
    stop: async () => (await chat.host()).receive({ type: 'stop' }),
    retryTurn: () => chat.present({ type: 'run_action', command: COMMANDS.retryTurn }),
    continueTurn: () => chat.present({ type: 'run_action', command: COMMANDS.continueTurn }),
    takeOver: () => takeOver(chat),
    reopenSession: () => reopenSession(chat),
    setApiKey: () => apiKey.ask(),
    selectModel: async () => (await import('./pickers.ts')).selectModel({ chat, choices }),
    selectMode: async () => (await import('./pickers.ts')).selectMode({ chat, choices }),
    useOfflineModel: () => choices.choose({ provider: 'offline' }),
    compact: () => chat.present({ type: 'compact', dry_run: false }),
    compactDryRun: () => chat.present({ type: 'compact', dry_run: true }),
    runWorkflow: sayNoWorkflows,
    showOutput: () => log.show(),
  };
}

async function sayNoWorkflows(): Promise<void> {
  await inform(vscode.l10n.t('This version cannot run workflows yet. Nothing was started.'));
}

async function takeOver(chat: ChatView): Promise<void> {
  const { access } = await chat.knownFacts();
  if (access === 'read_only') return chat.present({ type: 'take_over' });
  await inform(vscode.l10n.t('This window already writes to the session.'));
}

async function reopenSession(chat: ChatView): Promise<void> {
  await chat.present({ type: 'open_session', session_id: (await chat.host()).sessionId });
}
