import type { ActiveSkill } from '../runtime/ports.ts';
import { readWhole } from '../tools/opened-files.ts';
import { resolvePath } from '../tools/workspace-paths.ts';
import { nodeHasher } from './node-ports.ts';
import { readSkillFile } from './skill-file.ts';
import {
  compare,
  foldersIn,
  shelvesOf,
  type Shelf,
  type ShelfFolder,
  type SkillPorts,
} from './skill-shelves.ts';

const FILE = 'SKILL.md';
export const LARGEST_SKILL = 64 * 1024;

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
        /** No skill, but a folder of skills that are not all looked at. */
        readonly shelf?: true;
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
    const { folders, fault } = await foldersIn(shelf);
    if (fault !== null) found.set(shelf.shown, faultyShelf(shelf, fault));
    for (const folder of folders) {
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

function hiddenBy({ name, path, file, origin }: FoundSkill, other: FoundSkill): FoundSkill {
  const reason =
    other.origin === 'user' && origin === 'workspace'
      ? `Your own skill of this name counts: ${other.path}.`
      : `Another skill of this name counts: ${other.path}.`;
  return { name, path, file, origin, ok: false, reason, hidden: true };
}

function faultyShelf({ shown, path, origin }: Shelf, reason: string): FoundSkill {
  return { name: shown, path: shown, file: path, origin, ok: false, reason, shelf: true };
}

/** Null where there is no such file. */
async function skillIn(folder: ShelfFolder, shelf: Shelf, ports: SkillPorts): Promise<FoundSkill | null> {
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
  const read = await readWhole(place.value, { platform, limit: LARGEST_SKILL, signal });
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
const TOO_LARGE = `It has more than ${LARGEST_SKILL} bytes.`;
