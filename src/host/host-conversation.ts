import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { Conversation } from '../app/conversation.ts';
import type { ConversationOptions, Logger } from '../app/conversation-options.ts';
import { aboutOf, failureMessage } from '../presenter/failure.ts';
import type { HostMessage, PresenterMessage } from '../presenter/protocol.ts';
import type { ApiKey } from './api-key.ts';
import type { Choices } from './choices.ts';
import { settingId } from './contribution-ids.ts';
import type { SettingProblem } from './effective-settings.ts';
import { editorSource } from './editor-source.ts';
import { hostSettings } from './host-settings.ts';
import { workspaceRoots } from './workspace-roots.ts';

/** How a log is had that another conversation of this window may have open. */
export type Borrow = NonNullable<ConversationOptions['borrow']>;

export interface HostOptions {
  readonly storage: string;
  readonly app_version: string;
  readonly log: Logger;
  readonly apiKey: ApiKey;
  readonly choices: Choices;
  readonly borrow?: Borrow;
}

export interface Occasion {
  /** A new session where it is null. */
  readonly session_id: string | null;
  readonly emit: (message: HostMessage) => void;
}

/** A conversation with the settings, the workspace and the key of VS Code. */
export function hostConversation(options: HostOptions, { session_id, emit }: Occasion): Conversation {
  const { storage, app_version, log: logger, apiKey, choices, borrow } = options;
  return new Conversation({
    storage,
    get roots() {
      return workspaceRoots();
    },
    home: homedir(),
    settings: () => hostSettings(choices).settings,
    api_key: () => apiKey.read(),
    trusted: () => vscode.workspace.isTrusted,
    app_version,
    app_root: vscode.env.appRoot,
    logger,
    editor: editorSource,
    emit,
    ...(borrow === undefined ? {} : { borrow }),
    ...(session_id === null ? {} : { session_id }),
  });
}

/** With an endpoint that is not certain, words must not leave for another one: why a message is not sent, if so. */
export function settingsRefusal(message: PresenterMessage, choices: Choices): HostMessage | null {
  const problem = hostSettings(choices).problems.find((one) => one.blocks_sending);
  if (problem === undefined) return null;
  const next_actions = [settingsAction(problem)];
  return failureMessage(message.type, 'invalid_settings', problem.message, {
    ...aboutOf(message),
    next_actions,
  });
}

export function settingsAction(problem: SettingProblem): { label: string; command: string; args: unknown } {
  return {
    label: 'Open settings',
    command: 'workbench.action.openSettings',
    args: [settingId(problem.name)],
  };
}
