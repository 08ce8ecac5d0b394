import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';

/** Whether a file is one of those that an editor has unsaved changes of, under whatever name that has opened it. */
export function isUnsaved(path: string, edited: readonly string[], workspace: Workspace): boolean {
  if (edited.length === 0) return false;
  const real = realPath(workspace, path);
  return edited.some((one) => realPath(workspace, one) === real);
}

/** What cannot be resolved is no file of the workspace, and stands for itself. */
function realPath(workspace: Workspace, path: string): string {
  const found = resolvePath(workspace, path);
  return found.ok ? found.value.real : path;
}
