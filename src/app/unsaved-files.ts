import { resolvePath, writeKey, type Workspace } from '../tools/workspace-paths.ts';

/** Whether a file is one of those that an editor has unsaved changes of, under whatever name that has opened it. */
export function isUnsaved(path: string, edited: readonly string[], workspace: Workspace): boolean {
  if (edited.length === 0) return false;
  const wanted = fileKey(workspace, path);
  return edited.some((one) => fileKey(workspace, one) === wanted);
}

/** What cannot be resolved is no file of the workspace, and stands for itself. */
function fileKey(workspace: Workspace, path: string): string {
  const found = resolvePath(workspace, path);
  return found.ok ? writeKey(workspace, found.value) : path;
}
