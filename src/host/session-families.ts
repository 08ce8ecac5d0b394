import type { SessionEntry } from '../app/sessions.ts';
import { descendantsOf, familiesOf, type Families } from '../presenter/session-families.ts';

/**
 * Pure: the sessions of a list as families. A parent is as recent as its newest child, and stands where that puts it. A child that
 * was put into the archive leaves its parent, which stays where it is. A fork stands under the session that it was made of; but it
 * is a session in its own right, and goes where the person puts it.
 */
export function sessionFamilies(entries: readonly SessionEntry[]): Families<SessionEntry> {
  const families = familiesOf(entries, standsUnder, aboveOf);
  const used = new Map(families.roots.map((one) => [one.session_id, lastUse(families, one)]));
  const byLastUse = (a: SessionEntry, b: SessionEntry): number => {
    if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
    const [one, other] = [used.get(a.session_id) ?? '', used.get(b.session_id) ?? ''];
    return one === other ? 0 : one < other ? 1 : -1;
  };
  const children = new Map([...families.children].map(([id, some]) => [id, some.toSorted(byBirth)]));
  return { roots: families.roots.toSorted(byLastUse), children };
}

export function aboveOf({ parent, fork }: Pick<SessionEntry, 'parent' | 'fork'>): string | null {
  return (parent ?? fork)?.session_id ?? null;
}

function standsUnder(one: SessionEntry, above: SessionEntry): boolean {
  if (one.parent !== null) return !one.archived || above.archived;
  return one.archived === above.archived && (above.pinned || !one.pinned);
}

/** The newest first, whatever they do: lines that move under the pointer are hard to follow. */
function byBirth(a: SessionEntry, b: SessionEntry): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.session_id < b.session_id ? 1 : -1;
}

/** Of the session and of all below it. */
function lastUse(families: Families<SessionEntry>, { session_id, updated_at }: SessionEntry): string {
  return descendantsOf(families, session_id).reduce(
    (latest, one) => (one.updated_at > latest ? one.updated_at : latest),
    updated_at,
  );
}
