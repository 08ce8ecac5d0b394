import { readdir, realpath } from 'node:fs/promises';
import type { ActiveSkill } from '../runtime/ports.ts';
import { readWhole } from '../tools/opened-files.ts';
import { foldName, pathsOf } from '../tools/path-syntax.ts';
import { systemCode } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';
import { nodeHasher } from './node-ports.ts';
import { readSkillFile } from './skill-file.ts';

/** Below each folder that is looked at, in this order: of two skills with one name the first counts. */
export const SHELVES = [
  ['.agents', 'skills'],
  ['.ledgerline', 'skills'],
] as const;
const FILE = 'SKILL.md';

/** `count` of each shelf: all of them are read whenever a person begins with `/`, and for every run. */
export const SKILL_LIMITS = { count: 200, bytes: 64 * 1024 } as const;

export interface SkillPorts {
  readonly workspace: Workspace;
  /** The person's own folder; null where there is none to look at. */
  readonly home: string | null;
  /** Whether the rules let a file be read, by the path that they know it by. */
  readonly mayRead: (display: string) => boolean;
  readonly warn: (message: string) => void;
}

interface SkillPlace {
  readonly name: string;
  /** As people, rules and the log know it. */
  readonly path: string;
  /** Where to look at it. */
  readonly file: string;
  readonly origin: 'user' | 'workspace';
}

export type FoundSkill = SkillPlace &
  (
    | ({
        readonly ok: true;
        readonly description: string;
        readonly when_to_use: string | null;
        readonly for_model: boolean;
      } & ActiveSkill)
    | {
        readonly ok: false;
        readonly reason: string;
        /** Nothing is wrong with it: another of its name counts. */
        readonly hidden?: true;
      }
  );

/**
 * The skills there are, by name. What they say is read, and nothing in them runs. Those of the person come first: a
 * repository cannot put its own in the place of what they trust.
 */
export async function findSkills(ports: SkillPorts): Promise<readonly FoundSkill[]> {
  const found = new Map<string, FoundSkill>();
  const hidden: FoundSkill[] = [];
  for (const shelf of await shelvesOf(ports)) {
    if (shelf.away !== undefined) found.set(shelf.away.path, shelf.away);
    for (const folder of shelf.away === undefined ? await foldersIn(shelf.path, ports.warn) : []) {
      const skill = await skillIn(folder, shelf, ports);
      if (skill === null) continue;
      const other = found.get(skill.name);
      if (other === undefined) found.set(skill.name, skill);
      else hidden.push(hiddenBy(skill, other));
    }
  }
  return [...found.values(), ...hidden].toSorted(
    (a, b) => compare(a.name, b.name) || Number(isHidden(a)) - Number(isHidden(b)) || compare(a.path, b.path),
  );
}

/** The one that a name stands for. */
export function skillOf(found: readonly FoundSkill[], name: string): FoundSkill | undefined {
  return found.find((one) => one.name === name && !isHidden(one));
}

export function isHidden(skill: FoundSkill): boolean {
  return !skill.ok && skill.hidden === true;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hiddenBy({ name, path, file, origin }: FoundSkill, other: FoundSkill): FoundSkill {
  const reason =
    other.origin === 'user' && origin === 'workspace'
      ? `Your own skill of this name counts: ${other.path}.`
      : `Another skill of this name counts: ${other.path}.`;
  return { name, path, file, origin, ok: false, reason, hidden: true };
}

interface Shelf {
  readonly origin: SkillPlace['origin'];
  readonly path: string;
  /** Where links may lead. */
  readonly within: Workspace;
  /** The path of a file in it, for people. */
  readonly display: (inside: string) => string;
  /** Set where it is no folder of the workspace: what is there is none of its business, not even by name. */
  readonly away?: FoundSkill;
}

async function shelvesOf({ workspace, home, warn }: SkillPorts): Promise<readonly Shelf[]> {
  const paths = pathsOf(workspace.platform);
  const shelves: Shelf[] = [];
  const seen = new Set<string>();
  for (const shelf of home === null ? [] : SHELVES) {
    const real = await realFolder(paths.join(home ?? '', ...shelf), warn);
    if (real === null) continue;
    seen.add(foldName(real, workspace.platform));
    const root = { name: 'skills', path: real };
    shelves.push({
      origin: 'user',
      path: real,
      within: { ...workspace, roots: [root] },
      display: (inside) => ['~', ...shelf, inside].join('/'),
    });
  }
  for (const { name, path } of workspace.roots)
    for (const shelf of SHELVES) {
      const folder = paths.join(path, ...shelf);
      const real = await realFolder(folder, warn);
      // Whoever opens their own folder as a workspace has each skill once.
      if (real === null || seen.has(foldName(real, workspace.platform))) continue;
      const inside = resolvePath(workspace, folder).ok;
      const shown = [...(workspace.roots.length > 1 ? [name] : []), ...shelf].join('/');
      shelves.push({
        origin: 'workspace',
        path: folder,
        within: workspace,
        display: (file) => file,
        ...(inside ? {} : { away: awayShelf(shown, folder) }),
      });
    }
  return shelves;
}

function awayShelf(path: string, file: string): FoundSkill {
  const reason = 'It leads out of the workspace, so no skill is looked for there.';
  return { name: path, path, file, origin: 'workspace', ok: false, reason };
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
      .toSorted((a, b) => compare(a.name, b.name));
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
async function skillIn(folder: Folder, shelf: Shelf, ports: SkillPorts): Promise<FoundSkill | null> {
  const { origin, within, display } = shelf;
  const file = `${folder.path}/${FILE}`;
  const place = resolvePath(within, file);
  const path = place.ok ? display(place.value.display) : display(`${folder.name}/${FILE}`);
  const unusable = (reason: string): FoundSkill => ({
    name: folder.name,
    path,
    file,
    origin,
    ok: false,
    reason,
  });
  if (!place.ok)
    return unusable(place.error.kind === 'outside_workspace' ? AWAY[origin] : place.error.message);
  if (!ports.mayRead(path)) return unusable('A rule keeps it from being read.');
  const { platform } = within;
  const { signal } = new AbortController();
  const read = await readWhole(place.value, { platform, limit: SKILL_LIMITS.bytes, signal });
  if (!read.ok) {
    const { kind, message } = read.error;
    if (kind === 'not_found') return null;
    return unusable(kind === 'too_large' ? TOO_LARGE : message);
  }
  const { bytes } = read.value;
  const content = bytes.toString('utf8');
  // What is on record has to have the hash of what was read.
  if (!Buffer.from(content).equals(bytes)) return unusable('It is not text in UTF-8.');
  const head = readSkillFile(content, folder.name);
  if (!head.ok) return unusable(head.reason);
  return { ...head, path, file, origin, content, content_hash: nodeHasher.sha256(content) };
}

const AWAY = {
  user: 'Its file is not inside the folder of your skills, where links have to stay.',
  workspace: 'Its file is outside of the workspace.',
} as const satisfies Record<SkillPlace['origin'], string>;
const TOO_LARGE = `It has more than ${SKILL_LIMITS.bytes} bytes.`;
