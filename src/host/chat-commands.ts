import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, type ChatCommand, SETTINGS_SECTION } from './contribution-ids.ts';

/** Commands for the conversation that is open, and for who answers in it. */
export function chatCommands({ chat, apiKey, log }: CommandParts): Record<ChatCommand, CommandHandler> {
  return {
    newSession: () => chat.present({ type: 'new_session' }),
    stop: async () => (await chat.host()).receive({ type: 'stop' }),
    retryTurn: () => chat.present({ type: 'run_action', command: COMMANDS.retryTurn }),
    continueTurn: () => chat.present({ type: 'run_action', command: COMMANDS.continueTurn }),
    takeOver: () => takeOver(chat),
    reopenSession: () => reopenSession(chat),
    setApiKey: () => apiKey.ask(),
    selectModel,
    useOfflineModel: () => writeSetting('provider', 'offline'),
    compact: () => chat.present({ type: 'compact', dry_run: false }),
    compactDryRun: () => chat.present({ type: 'compact', dry_run: true }),
    runWorkflow: sayNoWorkflows,
    showOutput: () => log.show(),
  };
}

async function sayNoWorkflows(): Promise<void> {
  await vscode.window.showInformationMessage(
    vscode.l10n.t('This version cannot run workflows yet. Nothing was started.'),
  );
}

async function takeOver(chat: ChatView): Promise<void> {
  const { access } = await chat.knownFacts();
  if (access === 'read_only') return chat.present({ type: 'take_over' });
  await vscode.window.showInformationMessage(vscode.l10n.t('This window already writes to the session.'));
}

async function reopenSession(chat: ChatView): Promise<void> {
  await chat.present({ type: 'open_session', session_id: (await chat.host()).sessionId });
}

async function selectModel(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION);
  const offline = configuration.get<unknown>('provider') === 'offline';
  const current = configuration.get<unknown>('model');
  const model = await vscode.window.showInputBox({
    title: 'Select model',
    prompt: offline
      ? 'Name of a model of the provider. It replaces the offline model.'
      : 'Name of a model of the provider, written to the setting ledgerline.model.',
    value: typeof current === 'string' ? current : '',
    validateInput: (value) => (value.trim() === '' ? 'Give the name of a model.' : null),
  });
  if (model === undefined) return;
  await writeSetting('model', model.trim());
  if (offline) await writeSetting('provider', 'openai');
}

async function writeSetting(name: 'model' | 'provider', value: string): Promise<void> {
  await vscode.workspace
    .getConfiguration(SETTINGS_SECTION)
    .update(name, value, vscode.ConfigurationTarget.Global);
}
