import * as vscode from 'vscode';
import type { ApiKey } from './api-key.ts';
import type { ChatView } from './chat-view.ts';
import { COMMANDS, type CommandName, SETTINGS_SECTION } from './contribution-ids.ts';
import { exportSession, openLog, openSession, showReport } from './session-commands.ts';

interface Parts {
  readonly chat: ChatView;
  readonly apiKey: ApiKey;
  readonly log: vscode.LogOutputChannel;
}

/** Every contributed command, by its name. */
export function registerCommands(parts: Parts): readonly vscode.Disposable[] {
  const { chat, apiKey, log } = parts;
  const handlers: Record<CommandName, () => Promise<void> | void> = {
    newSession: () => chat.present({ type: 'new_session' }),
    stop: async () => (await chat.host()).receive({ type: 'stop' }),
    retryTurn: () => chat.present({ type: 'run_action', command: COMMANDS.retryTurn }),
    continueTurn: () => chat.present({ type: 'run_action', command: COMMANDS.continueTurn }),
    takeOver: () => takeOver(chat),
    reopenSession: () => reopenSession(chat),
    setApiKey: () => apiKey.ask(),
    selectModel,
    useOfflineModel: () => writeSetting('provider', 'offline'),
    openSession: () => openSession(chat),
    fork: () => chat.present({ type: 'fork' }),
    exportSession: () => exportSession(chat),
    openLog: () => openLog(chat),
    inspectRequest: async () => showReport(await (await chat.host()).inspectRequest()),
    diagnose: async () => showReport(await (await chat.host()).diagnose()),
    showOutput: () => log.show(),
  };
  return Object.entries(handlers).map(([name, run]) => {
    const id = isCommandName(name) ? COMMANDS[name] : name;
    return vscode.commands.registerCommand(id, async () => {
      try {
        await run();
      } catch (error) {
        log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        throw error;
      }
    });
  });
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

async function takeOver(chat: ChatView): Promise<void> {
  const { access } = await chat.knownFacts();
  if (access === 'read_only') return chat.present({ type: 'take_over' });
  await vscode.window.showInformationMessage('This window already writes to the session.');
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
