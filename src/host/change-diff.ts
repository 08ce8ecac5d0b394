import * as vscode from 'vscode';
import type { ShownChange } from '../app/changes.ts';
import type { ShownDocuments } from './shown-documents.ts';

type Shown = Extract<ShownChange, { kind: 'shown' }>;

/** Opens VS Code's own diff editor on what a call proposes or did; of several files, its editor for many. */
export async function openChanges(
  changes: readonly ShownChange[],
  documents: ShownDocuments,
): Promise<readonly string[]> {
  const shown = changes.filter((change) => change.kind === 'shown');
  const refusals = changes.flatMap((change) => (change.kind === 'refused' ? [change.message] : []));
  const [first, ...others] = shown;
  if (first === undefined) return refusals;
  if (others.length === 0) {
    const { before, after } = sidesOf(first, documents);
    await vscode.commands.executeCommand('vscode.diff', before, after, titleOf(first), { preview: true });
    return refusals;
  }
  const title = vscode.l10n.t('Changes by Ledgerline ({0} files)', shown.length);
  const resources = shown.map((change) => {
    const { before, after } = sidesOf(change, documents);
    return [after, before, after];
  });
  await vscode.commands.executeCommand('vscode.changes', title, resources);
  return refusals;
}

function sidesOf(
  { path, before, after }: Shown,
  documents: ShownDocuments,
): { before: vscode.Uri; after: vscode.Uri } {
  return { before: documents.add(path, 'before', before), after: documents.add(path, 'after', after) };
}

function titleOf({ path, standing }: Shown): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  switch (standing) {
    case 'proposed':
      return vscode.l10n.t('{0} (proposed by Ledgerline)', name);
    case 'made':
      return vscode.l10n.t('{0} (changed by Ledgerline)', name);
    case 'undone':
      return vscode.l10n.t('{0} (changed by Ledgerline, undone since)', name);
    case 'changed_since':
      return vscode.l10n.t('{0} (changed by Ledgerline; the file has changed since)', name);
  }
}
