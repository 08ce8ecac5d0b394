import { createHash } from 'node:crypto';
import type { Artifact } from '../runtime/agent-events.ts';
import { chunksOf, openFile } from '../tools/opened-files.ts';
import { systemCode, systemFault } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';

/** What is larger was made by a machine for a machine, and hashing it would hold up everything. */
export const LARGEST_ARTIFACT = 256 * 1024 * 1024;

export interface ArtifactPorts {
  readonly workspace: Workspace;
  /** What a rule keeps from being read has no hash either: few bytes can be guessed from it. */
  readonly mayRead: (display: string) => boolean;
}

/** Looks at a file that a child says it made: under the rules for every path, without keeping any of it. */
export async function artifactIn(
  { workspace, mayRead }: ArtifactPorts,
  path: string,
  signal: AbortSignal,
): Promise<Artifact> {
  const place = resolvePath(workspace, path);
  if (!place.ok) return { path, sha256: null, problem: place.error.message };
  const { display } = place.value;
  if (!mayRead(display)) return { path: display, sha256: null, problem: 'A rule keeps it from being read.' };
  const opened = await openFile(place.value, workspace.platform);
  if (!opened.ok) return { path: display, sha256: null, problem: opened.error.message };
  const { handle, size } = opened.value;
  try {
    if (size > LARGEST_ARTIFACT)
      return {
        path: display,
        sha256: null,
        bytes: size,
        problem: `It has ${size} bytes, which is too large.`,
      };
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunksOf(opened.value, signal)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (signal.aborted) return { path: display, sha256: null, problem: 'Looking at it was stopped.' };
    return { path: display, sha256: hash.digest('hex'), bytes };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { path: display, sha256: null, problem: systemFault(error, display).message };
  } finally {
    await handle.close();
  }
}
