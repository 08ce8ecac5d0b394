import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { EditCommand } from './contribution-ids.ts';
import { inform } from './notifications.ts';
import { chooseSome } from './pick-lists.ts';

/** Commands about what was changed in files. */
export function editCommands({ chat, proposals }: CommandParts): Record<EditCommand, CommandHandler> {
  return {
    undoTurn: () => undoTurn(chat),
    applyCode: () => proposals.apply(),
    discardCode: () => proposals.discard(),
  };
}

/** The last turn, whole; of several files the person says which. */
export async function undoTurn(chat: Pick<ChatView, 'knownFacts' | 'host' | 'present'>): Promise<void> {
  const { turn_id } = await chat.knownFacts();
  const files = turn_id === null ? [] : await (await chat.host()).changes.undoable(turn_id);
  if (turn_id === null || files.length === 0) {
    await inform(
      vscode.l10n.t('There is nothing to undo: the last turn changed no file, or it was undone before.'),
    );
    return;
  }
  if (files.length === 1) return chat.present({ type: 'undo', turn_id });
  const picked = await chooseSome(
    files.map(({ path, created }) => ({
      path,
      label: path,
      picked: true,
      description: created ? vscode.l10n.t('new, is removed') : '',
    })),
    {
      title: vscode.l10n.t('Undo changes of the last turn'),
      placeHolder: vscode.l10n.t('Files to put back'),
    },
  );
  if (picked === undefined) return;
  if (picked.length === files.length) return chat.present({ type: 'undo', turn_id });
  for (const { path } of picked) await chat.present({ type: 'undo', turn_id, path });
}
