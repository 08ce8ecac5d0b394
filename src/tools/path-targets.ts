import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { fault, ok, type Result } from './tool-faults.ts';
import type { Target } from './tool.ts';
import { resolvePath, resolveRoot, writeKey, type Workspace, type WorkspacePath } from './workspace-paths.ts';

/** What a call on one path acts on: the real file, so that a rule about it holds through links too. */
export function pathTarget(workspace: Workspace, path: string, access: 'reads' | 'writes'): Result<Target> {
  const resolved = resolvePath(workspace, path);
  if (!resolved.ok) return resolved;
  const writes = access === 'writes' ? [writeKey(workspace, resolved.value)] : [];
  return ok({ subject: resolved.value.display, writes });
}

/** The path again when the call runs. An approval is for one file: one that moved since is not it. */
export function approvedPath(workspace: Workspace, path: string, subject: string): Result<WorkspacePath> {
  const resolved = resolvePath(workspace, path);
  if (!resolved.ok || resolved.value.display === subject) return resolved;
  return fault(
    'file_changed',
    `${path} led to ${subject} when the call was checked and now leads to ${resolved.value.display}. ` +
      'Call the tool again.',
  );
}

/** Where list_files and search_text start: one folder or file, or every folder of the workspace. */
export function startTarget(workspace: Workspace, path: string | null | undefined): Result<Target> {
  return isWholeWorkspace(path) ? ok({ subject: '.', writes: [] }) : pathTarget(workspace, path, 'reads');
}

export function startPaths(
  workspace: Workspace,
  path: string | null | undefined,
  subject: string,
): Result<readonly WorkspacePath[]> {
  if (!isWholeWorkspace(path)) {
    const one = approvedPath(workspace, path, subject);
    return one.ok ? ok([one.value]) : one;
  }
  const starts: WorkspacePath[] = [];
  for (const root of workspace.roots) {
    const start = resolveRoot(workspace, root);
    if (!start.ok) return start;
    starts.push(start.value);
  }
  return ok(starts);
}

/** Whether one of several folders is hidden. The one that was asked for by name was permitted. */
export function isHiddenStart(
  start: WorkspacePath,
  { subject, hidden }: { readonly subject: string; readonly hidden: HiddenPaths },
): boolean {
  return start.display !== subject && hidden.hides(start.display);
}

function isWholeWorkspace(path: string | null | undefined): path is '.' | '' | null | undefined {
  return path === null || path === undefined || ['', '.', './'].includes(path);
}
