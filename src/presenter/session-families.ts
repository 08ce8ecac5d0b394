/** Sessions by family: children are sessions of their own, and stand under the one that they work for. */

export interface Member {
  readonly session_id: string;
  readonly parent: { readonly session_id: string } | null;
}

export interface Families<T> {
  /** Those that stand by themselves, in the order given. */
  readonly roots: readonly T[];
  /** By the id of the parent, in the order given. */
  readonly children: ReadonlyMap<string, readonly T[]>;
}

/**
 * Pure. One whose parent is not among them stands by itself, and so does one that is its own forebear: logs may say
 * anything, and nothing is to be lost from sight.
 */
export function familiesOf<T extends Member>(
  members: readonly T[],
  standsUnder: (child: T, parent: T) => boolean = () => true,
  /** The id of the one that it would stand under. */
  aboveOf: (one: T) => string | null = ({ parent }) => parent?.session_id ?? null,
): Families<T> {
  const byId = new Map(members.map((one) => [one.session_id, one]));
  const parentOf = (one: T): T | null => {
    const above = aboveOf(one);
    const parent = above === null ? undefined : byId.get(above);
    return parent !== undefined && standsUnder(one, parent) ? parent : null;
  };
  const roots: T[] = [];
  const children = new Map<string, T[]>();
  for (const one of members) {
    const parent = parentOf(one);
    if (parent === null || isOwnForebear(one, parentOf)) roots.push(one);
    else (children.get(parent.session_id) ?? begun(children, parent.session_id)).push(one);
  }
  return { roots, children };
}

/** Pure: all below one, those of its children among them. */
export function descendantsOf<T extends Member>({ children }: Families<T>, sessionId: string): readonly T[] {
  const found = [...(children.get(sessionId) ?? [])];
  // It grows while it is gone through.
  for (const one of found) found.push(...(children.get(one.session_id) ?? []));
  return found;
}

function begun<T>(children: Map<string, T[]>, id: string): T[] {
  const list: T[] = [];
  children.set(id, list);
  return list;
}

function isOwnForebear<T extends Member>(one: T, parentOf: (one: T) => T | null): boolean {
  const seen = new Set<T>();
  for (let up = parentOf(one); up !== null && !seen.has(up); up = parentOf(up)) {
    if (up === one) return true;
    seen.add(up);
  }
  return false;
}
