import { readdir } from 'node:fs/promises';
import type { ActiveSkill } from '../runtime/extensions/skills.ts';
import { readWhole } from '../tools/opened-files.ts';
import { pathsOf } from '../tools/path-syntax.ts';
import { systemCode } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';
import { nodeHasher } from './node-ports.ts';
import { readSkillFile } from './skill-file.ts';

/** Below each folder of the workspace, in this order: of two skills with one name the first counts. */
export const SHELVES = [
  ['.agents', 'skills'],
  ['.ledgerline', 'skills'],
] as const;
const FILE = 'SKILL.md';

/** `count` of each shelf: all of them are read whenever a person begins with `/`. */
export const SKILL_LIMITS = { count: 200, bytes: 64 * 1024 } as const;

export interface SkillPorts {
  readonly workspace: Workspace;
  /** Whether the rules let a file be read, by the path that they know it by. */
  readonly mayRead: (display: string) => boolean;
  readonly warn: (message: string) => void;
}

export type FoundSkill =
  | ({ readonly ok: true; readonly description: string } & ActiveSkill)
  | { readonly ok: false; readonly name: string; readonly reason: string };

/** The skills of a workspace, by name. What they say is read, and nothing in them runs. */
export async function findSkills(ports: SkillPorts): Promise<readonly FoundSkill[]> {
  const found = new Map<string, FoundSkill>();
  for (const { path } of ports.workspace.roots)
    for (const shelf of SHELVES)
      for (const folder of await foldersIn(
        pathsOf(ports.workspace.platform).join(path, ...shelf),
        ports.warn,
      )) {
        const skill = await skillIn(folder, ports);
        if (skill !== null && !found.has(skill.name)) found.set(skill.name, skill);
      }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Folder {
  readonly name: string;
  readonly path: string;
}

export async function foldersIn(shelf: string, warn: SkillPorts['warn']): Promise<readonly Folder[]> {
  try {
    const entries = await readdir(shelf, { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => ({ name, path: `${shelf}/${name}` }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const { count } = SKILL_LIMITS;
    if (folders.length > count)
      warn(`${shelf} has ${folders.length} folders: only the first ${count} by name are looked at`);
    return folders.slice(0, count);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Most workspaces have no such folder; one that cannot be read keeps nobody from what else there is.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`skills could not be looked for: ${String(error)}`);
    return [];
  }
}

/** Null where there is no such file. */
async function skillIn({ name, path }: Folder, ports: SkillPorts): Promise<FoundSkill | null> {
  const { workspace, mayRead } = ports;
  const unusable = (reason: string): FoundSkill => ({ ok: false, name, reason });
  const place = resolvePath(workspace, `${path}/${FILE}`);
  if (!place.ok) return unusable(place.error.message);
  if (!mayRead(place.value.display)) return unusable('A rule keeps it from being read.');
  const { platform } = workspace;
  const { signal } = new AbortController();
  const read = await readWhole(place.value, { platform, limit: SKILL_LIMITS.bytes, signal });
  if (!read.ok) return read.error.kind === 'not_found' ? null : unusable(read.error.message);
  const content = read.value.bytes.toString('utf8');
  const file = readSkillFile(content, name);
  if (!file.ok) return unusable(file.reason);
  return {
    ok: true,
    name: file.name,
    description: file.description,
    path: place.value.display,
    content,
    content_hash: nodeHasher.sha256(read.value.bytes),
  };
}
