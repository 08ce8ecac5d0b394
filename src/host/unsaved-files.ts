import * as vscode from 'vscode';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';

/** Of files by their path in the workspace, those that an editor has unsaved changes of. */
export function unsavedOf(paths: readonly string[], workspace: Workspace): readonly string[] {
  const unsaved = new Set(
    vscode.workspace.textDocuments
      .filter((document) => document.isDirty && document.uri.scheme === 'file')
      .map(({ uri }) => realPath(workspace, uri.fsPath)),
  );
  return paths.filter((path) => unsaved.has(realPath(workspace, path)));
}

/** What cannot be resolved is no file of the workspace, and stands for itself. */
function realPath(workspace: Workspace, path: string): string {
  const found = resolvePath(workspace, path);
  return found.ok ? found.value.real : path;
}
