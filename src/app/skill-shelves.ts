import { readdir, realpath } from 'node:fs/promises';
import { foldName, pathsOf } from '../tools/path-syntax.ts';
import { systemCode } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';

/** Below each folder that is looked at, in this order: of two skills with one name the first counts. */
export const SHELVES = [
  ['.agents', 'skills'],
  ['.ledgerline', 'skills'],
] as const;

/** Of each shelf: all of them are read whenever a person begins with `/`, and for every run. */
export const MOST_SKILLS = 200;

export interface SkillPorts {
  readonly workspace: Workspace;
  /** The person's own folder; null where there is none to look at. */
  readonly home: string | null;
  /** Whether the rules let a file be read, by the path that they know it by. */
  readonly mayRead: (display: string) => boolean;
  readonly warn: (message: string) => void;
}

/** A folder in which each folder can be a skill. */
export interface Shelf {
  readonly origin: 'user' | 'workspace';
  readonly path: string;
  /** The same, for people. */
  readonly shown: string;
  /** Where links may lead. */
  readonly within: Workspace;
  /** The path of a file in it, for people and rules. */
  readonly display: (inside: string) => string;
  /** It is no folder of the workspace: what is there is none of its business, not even by name. */
  readonly away: boolean;
}

export interface ShelfFolder {
  readonly name: string;
  readonly path: string;
}

/** Those of the person come first: a repository cannot put its own in the place of what they trust. */
export async function shelvesOf({ workspace, home, warn }: SkillPorts): Promise<readonly Shelf[]> {
  const paths = pathsOf(workspace.platform);
  const shelves: Shelf[] = [];
  const seen = new Set<string>();
  for (const shelf of home === null ? [] : SHELVES) {
    const real = await realFolder(paths.join(home ?? '', ...shelf), warn);
    if (real === null) continue;
    seen.add(foldName(real, workspace.platform));
    shelves.push({
      origin: 'user',
      path: real,
      shown: ['~', ...shelf].join('/'),
      within: { ...workspace, roots: [{ name: 'skills', path: real }] },
      display: (inside) => ['~', ...shelf, inside].join('/'),
      away: false,
    });
  }
  for (const { name, path } of workspace.roots)
    for (const shelf of SHELVES) {
      const folder = paths.join(path, ...shelf);
      const real = await realFolder(folder, warn);
      // Whoever opens their own folder as a workspace has each skill once.
      if (real === null || seen.has(foldName(real, workspace.platform))) continue;
      shelves.push({
        origin: 'workspace',
        path: folder,
        shown: [...(workspace.roots.length > 1 ? [name] : []), ...shelf].join('/'),
        within: workspace,
        display: (file) => file,
        away: !resolvePath(workspace, folder).ok,
      });
    }
  return shelves;
}

/** Null where there is none: most folders have no skills. */
async function realFolder(path: string, warn: SkillPorts['warn']): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`skills could not be looked for: ${String(error)}`);
    return null;
  }
}

/** The folders of a shelf, and why these are not all of them; one that cannot be read keeps nobody from what else there is. */
export async function foldersIn(
  shelf: Shelf,
): Promise<{ readonly folders: readonly ShelfFolder[]; readonly fault: string | null }> {
  if (shelf.away)
    return { folders: [], fault: 'It leads out of the workspace, so no skill is looked for there.' };
  try {
    const entries = await readdir(shelf.path, { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => ({ name, path: `${shelf.path}/${name}` }))
      .toSorted((a, b) => compare(a.name, b.name));
    const fault =
      folders.length > MOST_SKILLS
        ? `It has ${folders.length} folders, and only the first ${MOST_SKILLS} by name are looked at.`
        : null;
    return { folders: folders.slice(0, MOST_SKILLS), fault };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // It was taken away since, or is a file.
    if (code === 'ENOENT' || code === 'ENOTDIR') return { folders: [], fault: null };
    return { folders: [], fault: `It cannot be read (${code}).` };
  }
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
