import * as vscode from 'vscode';

/**
 * A file as tools name it: relative to its folder, with the folder's name first where there are several; null
 * outside of them. Where two folders have one name, the whole path.
 */
export function workspacePath(uri: vscode.Uri): string | null {
  const folder = uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  if (folder === undefined) return null;
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.filter(({ name }) => name === folder.name).length > 1) return uri.fsPath;
  return vscode.workspace.asRelativePath(uri, folders.length > 1);
}
