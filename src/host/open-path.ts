import { statSync } from 'node:fs';
import type { Denial } from '../runtime/permissions/denied-paths.ts';
import { unreachable } from '../runtime/unreachable.ts';
import { systemCode } from '../tools/tool-faults.ts';
import { judgePath, type Resolution, type Workspace, type WorkspacePath } from '../tools/workspace-paths.ts';
import type { Translate } from './translation.ts';

/** Why a path that came from a page does not lead to a file. */
export type NoFile =
  | 'not_found'
  | 'not_a_file'
  | 'outside_workspace'
  | 'invalid_path'
  | 'unreadable'
  | `denied_${Denial}`;

export type FoundFile =
  | { readonly kind: 'file'; readonly path: WorkspacePath }
  /** Nothing is there, but a file could be made. */
  | { readonly kind: 'free'; readonly path: WorkspacePath }
  | { readonly kind: 'none'; readonly reason: NoFile };

/**
 * Which file of the workspace a path means that a model wrote. The same rules as for the tools: links are followed
 * to their end, and only what ends inside a folder of the workspace and is not denied counts.
 */
export function findFile(workspace: Workspace, path: string): FoundFile {
  const resolved = judgePath(workspace, path);
  if (!resolved.ok) return { kind: 'none', reason: reasonOf(resolved) };
  const kind = kindOf(resolved.value.real);
  switch (kind) {
    case 'file':
      return { kind: 'file', path: resolved.value };
    case 'nothing':
      return { kind: 'free', path: resolved.value };
    case 'other':
      return { kind: 'none', reason: 'not_a_file' };
  }
}

function kindOf(real: string): 'file' | 'nothing' | 'other' {
  try {
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats === undefined) return 'nothing';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 'other';
  }
}

function reasonOf({ error, denial }: Extract<Resolution, { ok: false }>): NoFile {
  if (denial !== undefined) return `denied_${denial}`;
  const { kind } = error;
  return kind === 'not_found' || kind === 'outside_workspace' || kind === 'invalid_path'
    ? kind
    : 'unreadable';
}

/** Why nothing was opened or changed, and what the person can do about it. */
export function noFileWords(path: string, reason: NoFile, t: Translate): string {
  switch (reason) {
    case 'not_found':
      return t('{0} does not exist in this workspace.', path);
    case 'not_a_file':
      return t('{0} is not a file.', path);
    case 'outside_workspace':
      return t(
        '{0} is outside of the workspace, and the chat opens and changes only files inside. To see it, open it yourself with File > Open File.',
        path,
      );
    case 'invalid_path':
      return t('{0} is not the path of a file in this workspace. Nothing was opened or changed.', path);
    case 'unreadable':
      return t('The file system does not let {0} be looked up. Check its permissions.', path);
    case 'denied_secret':
      return t(
        '{0} may hold secrets (.env files, keys, credentials), which are denied in the chat. To see it, open it yourself in the Explorer.',
        path,
      );
    case 'denied_version_control':
      return t(
        '{0} is inside version control (.git and the like), which is denied in the chat. To see it, open it yourself with File > Open File.',
        path,
      );
    case 'denied_storage':
      return t(
        '{0} is in Ledgerline’s own storage, which is denied in the chat. To see a session, use Open Log.',
        path,
      );
    default:
      return unreachable(reason);
  }
}
