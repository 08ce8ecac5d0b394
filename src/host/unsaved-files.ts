import * as vscode from 'vscode';

/** Of files by their path in the workspace, those that an editor has unsaved changes of. */
export function unsavedOf(paths: readonly string[]): readonly string[] {
  const withFolder = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const unsaved = new Set(
    vscode.workspace.textDocuments
      .filter((document) => document.isDirty && document.uri.scheme === 'file')
      .map(({ uri }) => vscode.workspace.asRelativePath(uri, withFolder)),
  );
  return paths.filter((path) => unsaved.has(path));
}
