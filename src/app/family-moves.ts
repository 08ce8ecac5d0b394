import { descendantsOf, familiesOf, type Families } from '../presenter/session-families.ts';
import { DiskError } from '../storage/disk.ts';
import type { Moved, Trashed } from '../storage/trash.ts';
import { nodeClock } from './node-ports.ts';
import type { Sessions } from './sessions.ts';

/** What became of a child that was to go, or to come back, with its parent. */
export interface MovedChild {
  readonly session_id: string;
  readonly moved: Moved | { readonly kind: 'failed'; readonly reason: string };
}

/** Each is moved by itself: what is told of one is true whatever became of another. */
export interface MovedFamily {
  readonly moved: Moved;
  readonly children: readonly MovedChild[];
}

type Moves = Pick<Sessions, 'delete' | 'restore' | 'deleted'>;

/** Into the trash, the parent first: where that has to stay, its children stay with it. */
export async function deleteFamily(
  sessions: Moves,
  sessionId: string,
  children: readonly string[],
): Promise<MovedFamily> {
  const at = nodeClock.now();
  const moved = await sessions.delete(sessionId, at);
  if (moved.kind !== 'moved') return { moved, children: [] };
  return { moved, children: await eachOf(children, (id) => sessions.delete(id, at)) };
}

/** With the children that were deleted together with it. */
export async function restoreFamily(sessions: Moves, name: string): Promise<MovedFamily> {
  const families = trashedFamilies(await sessions.deleted());
  const root = families.roots.find((one) => one.name === name);
  const moved = await sessions.restore(name);
  if (moved.kind !== 'moved' || root === undefined) return { moved, children: [] };
  const below = descendantsOf(families, root.session_id);
  const names = new Map(below.map((one) => [one.session_id, one.name]));
  return { moved, children: await eachOf([...names.keys()], (id) => sessions.restore(names.get(id) ?? '')) };
}

/** Pure: what was deleted together belongs together, and nothing else: a child may have gone before its parent did. */
export function trashedFamilies(trashed: readonly Trashed[]): Families<Trashed> {
  return familiesOf(trashed, (child, parent) => child.deleted_at === parent.deleted_at);
}

async function eachOf(
  ids: readonly string[],
  move: (id: string) => Promise<Moved>,
): Promise<readonly MovedChild[]> {
  const all: MovedChild[] = [];
  for (const session_id of ids) all.push({ session_id, moved: await unlessFailed(() => move(session_id)) });
  return all;
}

/** The disk may refuse one, and give all the others. */
async function unlessFailed(move: () => Promise<Moved>): Promise<MovedChild['moved']> {
  try {
    return await move();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}
