import * as vscode from 'vscode';
import type { CommandHandler } from './command-parts.ts';
import type { SessionCommand, SessionRowCommand } from './contribution-ids.ts';
import { inform } from './notifications.ts';
import { sessionIdIn } from './session-argument.ts';
import { ARCHIVE } from './sessions-tree.ts';

type Handlers = Readonly<Record<SessionCommand | 'openLog' | 'openAgent', CommandHandler>>;

/**
 * Commands of the lines of the tree, for its menu and its keys. While VS Code draws lines anew it may hand over none: then
 * nothing is done. The commands of the palette would take the open session, or let one choose, and it is not the one
 * that was meant.
 */
export function sessionRowCommands(handlers: Handlers): Record<SessionRowCommand, CommandHandler> {
  return {
    openSessionRow: onRow(handlers.openSession),
    openSessionRowTranscript: onRow(handlers.openAgent),
    renameSessionRow: onRow(handlers.renameSession),
    pinSessionRow: onRow(handlers.pinSession),
    unpinSessionRow: onRow(handlers.unpinSession),
    archiveSessionRow: onRow(handlers.archiveSession),
    unarchiveSessionRow: onRow(handlers.unarchiveSession),
    forkSessionRow: onRow(handlers.fork),
    exportSessionRow: onRow(handlers.exportSession),
    openSessionRowLog: onRow(handlers.openLog),
    copySessionRowId: onRow(handlers.copySessionId),
    deleteSessionRow: onRow(handlers.deleteSession),
  };
}

function onRow(work: CommandHandler): CommandHandler {
  return async (row) => {
    const id = sessionIdIn(row);
    if (id !== null) return work(id);
    if (row !== ARCHIVE) await sayLost();
  };
}

async function sayLost(): Promise<void> {
  await inform(
    vscode.l10n.t(
      'The list was being drawn anew, so it is not known which session was meant. Nothing was done.',
    ),
  );
}
