import * as vscode from 'vscode';
import { distinctRoots } from '../tools/distinct-roots.ts';
import { workspaceRoots } from './workspace-roots.ts';

/**
 * A file as tools name it: relative to its folder, with the name that tools give to the folder first where there
 * are several; null outside of them.
 */
export function workspacePath(uri: vscode.Uri): string | null {
  const folder = uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  if (folder === undefined) return null;
  const path = vscode.workspace.asRelativePath(uri, false);
  const roots = workspaceRoots();
  if (roots.length === 1) return path;
  const at = roots.findIndex((root) => root.path === folder.uri.fsPath);
  const named = distinctRoots(roots, process.platform)[at];
  return named === undefined ? null : `${named.name}/${path}`;
}
