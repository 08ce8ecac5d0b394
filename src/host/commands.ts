import * as vscode from 'vscode';
import { chatCommands } from './chat-commands.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, type CommandName } from './contribution-ids.ts';
import { diagnosticsCommands } from './diagnostics-commands.ts';
import { editCommands } from './edit-commands.ts';
import { editorCommands } from './editor-commands.ts';
import { sessionCommands } from './session-commands.ts';
import { sessionRowCommands } from './session-row-commands.ts';

/** Every contributed command, by its name. */
export function registerCommands(parts: CommandParts): readonly vscode.Disposable[] {
  const { log } = parts;
  const ofSessions = sessionCommands(parts);
  const ofDiagnostics = diagnosticsCommands(parts);
  const handlers: Record<CommandName, CommandHandler> = {
    ...chatCommands(parts),
    ...ofSessions,
    ...sessionRowCommands({ ...ofSessions, openLog: ofDiagnostics.openLog }),
    ...ofDiagnostics,
    ...editCommands(parts),
    ...editorCommands(parts),
  };
  return Object.entries(handlers).map(([name, run]) => {
    const id = isCommandName(name) ? COMMANDS[name] : name;
    return vscode.commands.registerCommand(id, async (...args: readonly unknown[]) => {
      try {
        await run(...args);
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
