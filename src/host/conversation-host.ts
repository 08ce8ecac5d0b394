import * as vscode from 'vscode';
import { Conversation } from '../app/conversation.ts';
import type { Logger, WorkspaceRoot } from '../app/conversation-options.ts';
import { aboutOf, failureMessage } from '../presenter/failure.ts';
import {
  parsePresenterMessage,
  type HostMessage,
  type Place,
  type PresenterMessage,
} from '../presenter/protocol.ts';
import { errorFacts } from '../runtime/provider-errors.ts';
import { allowedArguments } from './allowed-actions.ts';
import type { ApiKey } from './api-key.ts';
import { settingId } from './contribution-ids.ts';
import type { SettingProblem } from './effective-settings.ts';
import { hostSettings } from './host-settings.ts';
import { isForVsCode, maySendWords } from './page-messages.ts';

export interface ConversationHostOptions {
  readonly storage: string;
  readonly session_id: string | null;
  readonly app_version: string;
  readonly log: Logger;
  readonly apiKey: ApiKey;
  readonly emit: (message: HostMessage) => void;
  readonly keepPlace: (sessionId: string, place: Place) => void;
}

/**
 * A conversation with VS Code around it: its settings, its workspace, its key. This file and what it imports
 * is loaded when the view is first shown, not when VS Code starts.
 */
export class ConversationHost {
  private readonly conversation: Conversation;

  constructor(private readonly options: ConversationHostOptions) {
    const { storage, session_id, app_version, log: logger, apiKey, emit } = options;
    this.conversation = new Conversation({
      storage,
      get roots() {
        return workspaceRoots();
      },
      settings: () => hostSettings().settings,
      api_key: () => apiKey.read(),
      trusted: () => vscode.workspace.isTrusted,
      app_version,
      app_root: vscode.env.appRoot,
      logger,
      emit,
      ...(session_id === null ? {} : { session_id }),
    });
  }

  get sessionId(): string {
    return this.conversation.sessionId;
  }

  get logPath(): string {
    return this.conversation.logPath;
  }

  /** Any message of the page. What only VS Code can do is done here, the rest is the conversation's. */
  async receive(raw: unknown): Promise<void> {
    const parsed = parsePresenterMessage(raw);
    if (!parsed.ok) return this.conversation.receive(raw);
    const { message } = parsed;
    if (isForVsCode(message)) return this.runAction(message);
    if (message.type === 'place') return this.options.keepPlace(message.session_id, message.place);
    if (maySendWords(message) && this.refuse(message)) return;
    await this.conversation.receive(message);
    if (message.type === 'ready') await this.reportObstacles();
  }

  async diagnose(): Promise<object> {
    const { diagnoseSession } = await import('../app/inspect.ts');
    return diagnoseSession(this.options.storage, this.sessionId);
  }

  /** What the next request sends, and why. */
  async inspectRequest(): Promise<object> {
    const { inspectRequest } = await import('../app/inspect.ts');
    return inspectRequest(this.options.storage, this.sessionId, null);
  }

  /** Someone gave a session another name: the page shows it. */
  renamed(): Promise<void> {
    return this.conversation.renamed();
  }

  async dispose(): Promise<void> {
    await this.conversation.dispose();
  }

  private async runAction({
    command,
    args,
  }: Extract<PresenterMessage, { type: 'run_action' }>): Promise<void> {
    const allowed = allowedArguments(command, args);
    if (allowed === null) {
      return this.fail('run_action', 'not_available', `This version has no command ${command} for a button.`);
    }
    try {
      await vscode.commands.executeCommand(command, ...allowed);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.options.log.error(`${command}: ${message}`);
      this.fail('run_action', 'command_failed', `${command} failed: ${message}`);
    }
  }

  /** With an endpoint that is not certain, words must not leave for another one. */
  private refuse(message: PresenterMessage): boolean {
    const problem = hostSettings().problems.find((one) => one.blocks_sending);
    if (problem === undefined) return false;
    this.options.emit(
      failureMessage(message.type, 'invalid_settings', problem.message, {
        ...aboutOf(message),
        next_actions: [settingsAction(problem)],
      }),
    );
    return true;
  }

  /** What the person should know before the first message: settings that do not count, and a missing key. */
  private async reportObstacles(): Promise<void> {
    const { settings, problems } = hostSettings();
    for (const problem of problems) {
      this.options.log.warn(problem.message);
      this.options.emit({
        v: 1,
        type: 'notice',
        level: 'warning',
        message: problem.message,
        next_actions: [settingsAction(problem)],
      });
    }
    if (settings.provider === 'offline' || (await this.options.apiKey.read()) !== null) return;
    const { sentence, next_actions } = errorFacts('missing_key');
    this.options.emit({
      v: 1,
      type: 'failure',
      for: 'ready',
      kind: 'missing_key',
      message: sentence,
      next_actions: [...next_actions],
    });
  }

  private fail(what: string, kind: string, message: string): void {
    this.options.emit({ v: 1, type: 'failure', for: what, kind, message, next_actions: [] });
  }
}

function settingsAction(problem: SettingProblem): { label: string; command: string; args: unknown } {
  return {
    label: 'Open settings',
    command: 'workbench.action.openSettings',
    args: [settingId(problem.name)],
  };
}

/** Tools work on files: folders of other schemes have none. */
function workspaceRoots(): readonly WorkspaceRoot[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}
