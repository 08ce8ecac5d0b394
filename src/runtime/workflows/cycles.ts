/** What each of some things depends on, by their names. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

interface Visit {
  readonly id: string;
  /** The next of its dependencies to follow. */
  next: number;
}

/**
 * Pure: a path for every dependency that closes a circle, from a thing back to itself. Names of nothing and of the
 * thing itself are not followed. Goes by a list and not by calls, so that no depth is too deep.
 */
export function cyclesOf(dependencies: Dependencies): readonly (readonly string[])[] {
  const cycles: (readonly string[])[] = [];
  const done = new Set<string>();
  for (const start of dependencies.keys()) {
    if (done.has(start)) continue;
    const path: Visit[] = [{ id: start, next: 0 }];
    const places = new Map([[start, 0]]);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { id } = visit;
      const next = dependencies.get(id)?.[visit.next];
      visit.next += 1;
      if (next === undefined) {
        done.add(id);
        places.delete(id);
        path.pop();
      } else if (next !== id && !done.has(next) && dependencies.has(next)) {
        const place = places.get(next);
        if (place === undefined) {
          places.set(next, path.length);
          path.push({ id: next, next: 0 });
        } else {
          cycles.push([...path.slice(place).map((one) => one.id), next]);
        }
      }
    }
  }
  return cycles;
}
