import { statSync } from 'node:fs';
import { systemCode } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace, type WorkspacePath } from '../tools/workspace-paths.ts';

/** Why a path that came from a page does not lead to a file. */
export type NoFile = 'not_in_workspace' | 'not_found' | 'not_a_file';

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
  const resolved = resolvePath(workspace, path);
  if (!resolved.ok) {
    const isMissing = resolved.error.kind === 'not_found';
    return { kind: 'none', reason: isMissing ? 'not_found' : 'not_in_workspace' };
  }
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
