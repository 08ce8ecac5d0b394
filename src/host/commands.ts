import * as vscode from 'vscode';
import { chatCommands } from './chat-commands.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import {
  AGENT_COMMANDS,
  CHAT_COMMANDS,
  DIAGNOSTICS_COMMANDS,
  EDIT_COMMANDS,
  EDITOR_COMMANDS,
  SESSION_COMMANDS,
  SESSION_ROW_COMMANDS,
  STORAGE_COMMANDS,
} from './contribution-ids.ts';

/** Every contributed command, by its name. What most windows never use is loaded when somebody does. */
export function registerCommands(parts: CommandParts): readonly vscode.Disposable[] {
  const ofSessions = loadedOnce(async () => (await import('./late-commands.ts')).sessionCommands(parts));
  const ofStorage = loadedOnce(async () => (await import('./late-commands.ts')).storageCommands(parts));
  const ofDiagnostics = loadedOnce(async () =>
    (await import('./late-commands.ts')).diagnosticsCommands(parts),
  );
  const ofAgents = loadedOnce(async () => (await import('./late-commands.ts')).agentCommands(parts));
  const ofRows = loadedOnce(async () => {
    const { sessionRowCommands } = await import('./late-commands.ts');
    const { openLog } = await ofDiagnostics();
    const { openAgent } = await ofAgents();
    return sessionRowCommands({ ...(await ofSessions()), openLog, openAgent });
  });
  const ofEdits = loadedOnce(async () => (await import('./late-commands.ts')).editCommands(parts));
  const ofEditors = loadedOnce(async () => (await import('./late-commands.ts')).editorCommands(parts));
  const register = registrar(parts.log);
  return [
    ...register(CHAT_COMMANDS, chatCommands(parts)),
    ...register(EDIT_COMMANDS, ofEdits),
    ...register(SESSION_COMMANDS, ofSessions),
    ...register(STORAGE_COMMANDS, ofStorage),
    ...register(SESSION_ROW_COMMANDS, ofRows),
    ...register(DIAGNOSTICS_COMMANDS, ofDiagnostics),
    ...register(EDITOR_COMMANDS, ofEditors),
    ...register(AGENT_COMMANDS, ofAgents),
  ];
}

type Handlers<N extends string> = Readonly<Record<N, CommandHandler>>;

function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => (loaded ??= load());
}

function registrar(log: vscode.LogOutputChannel) {
  return <N extends string>(
    ids: Readonly<Record<N, string>>,
    handlers: Handlers<N> | (() => Promise<Handlers<N>>),
  ): readonly vscode.Disposable[] =>
    namesIn(ids).map((name) =>
      vscode.commands.registerCommand(ids[name], async (...args: readonly unknown[]) => {
        try {
          const loaded = typeof handlers === 'function' ? await handlers() : handlers;
          await loaded[name](...args);
        } catch (error) {
          log.error(
            `${ids[name]}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          );
          throw error;
        }
      }),
    );
}

function namesIn<N extends string>(ids: Readonly<Record<N, string>>): readonly N[] {
  return Object.keys(ids).filter((name): name is N => Object.hasOwn(ids, name));
}
