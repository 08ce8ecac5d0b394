import { existsSync } from 'node:fs';
import path from 'node:path';

/** A workspace's id, and the number that VS Code puts behind it for a further window. */
const NUMBERED = /^(-?[0-9a-f]+)-\d+$/;

/**
 * The storage of a workspace, shared by all of its windows. VS Code gives a window a numbered folder of its own
 * while another window, or one that was just reloaded and is not quite gone, has the first. Sessions would seem
 * lost there. Who may write which of them is settled by their leases, so one folder is enough.
 */
export function workspaceStorage(folder: string, exists: (folder: string) => boolean = existsSync): string {
  const workspace = path.dirname(folder);
  const id = NUMBERED.exec(path.basename(workspace))?.[1];
  if (id === undefined) return folder;
  const first = path.join(path.dirname(workspace), id);
  return exists(first) ? path.join(first, path.basename(folder)) : folder;
}
