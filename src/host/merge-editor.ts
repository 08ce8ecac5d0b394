import * as vscode from 'vscode';
import type { OpenedMerge } from '../app/undo-merges.ts';
import type { ShownDocuments } from './shown-documents.ts';

/** As the extension for Git opens it. */
const MERGE = '_open.mergeEditor';

/**
 * Opens a file in the merge editor: what the turn had made of it is what both sides start from, one is the file as it is
 * now, the other what it was before. Nothing is written by that. `closed` is called once the merge is no longer shown.
 * Where this VS Code has no merge editor, both are shown as a diff whose right side is the file itself, and nobody is told.
 */
export async function openMerge(
  { sides, request }: OpenedMerge,
  file: vscode.Uri,
  { documents, closed }: { readonly documents: ShownDocuments; readonly closed: () => void },
): Promise<vscode.Disposable> {
  const { path, base, now, before } = sides;
  const isUndo = request.way === 'undo';
  const { commands, l10n, window } = vscode;
  const former = documents.add(path, 'before', before);
  if (!(await commands.getCommands(false)).includes(MERGE)) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const title = isUndo
      ? l10n.t('{0} (before the turn ↔ the file as it is)', name)
      : l10n.t('{0} (before the undo ↔ the file as it is)', name);
    await commands.executeCommand('vscode.diff', former, file, title, { preview: false });
    return new vscode.Disposable(() => undefined);
  }
  const subscription = window.tabGroups.onDidChangeTabs((event) => {
    if (!event.closed.some((tab) => isMergeOf(tab, file))) return;
    subscription.dispose();
    closed();
  });
  try {
    await commands.executeCommand(MERGE, {
      base: documents.add(path, 'base', base),
      input1: {
        uri: documents.add(path, 'now', now),
        title: l10n.t('Now'),
        description: l10n.t('the file as it is'),
      },
      input2: {
        uri: former,
        title: isUndo ? l10n.t('Before the turn') : l10n.t('Before the undo'),
        description: isUndo ? l10n.t('take these to undo') : l10n.t('take these to redo'),
      },
      output: file,
    });
  } catch (error) {
    subscription.dispose();
    throw error;
  }
  return subscription;
}

/** The type of such a tab is not part of the interface that is stable; what it has is. */
function isMergeOf({ input }: vscode.Tab, file: vscode.Uri): boolean {
  if (typeof input !== 'object' || input === null || !('result' in input)) return false;
  return input.result instanceof vscode.Uri && input.result.toString() === file.toString();
}
