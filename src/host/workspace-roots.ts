import * as vscode from 'vscode';
import type { WorkspaceRoot } from '../app/conversation-options.ts';
import type { HostMessage } from '../presenter/protocol.ts';

/** Why no tool can work on files here, where none can. */
export function noFiles(): Pick<Extract<HostMessage, { type: 'snapshot' }>, 'no_files'> {
  const { isTrusted, workspaceFolders = [] } = vscode.workspace;
  if (workspaceFolders.length === 0) return { no_files: 'no_folder' };
  if (!isTrusted) return { no_files: 'untrusted' };
  return workspaceRoots().length === 0 ? { no_files: 'virtual' } : {};
}

/** Tools work on files: folders of other schemes have none. */
export function workspaceRoots(): readonly WorkspaceRoot[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}
