import { foldName, pathsOf, type Platform } from './path-syntax.ts';

export interface WorkspaceRoot {
  readonly name: string;
  readonly path: string;
}

/** Roots with distinct names, so that "name/..." always means one of them. */
export function distinctRoots(roots: readonly WorkspaceRoot[], platform: Platform): readonly WorkspaceRoot[] {
  const taken = new Set<string>();
  return roots.map((root) => {
    let name = root.name;
    for (let n = 2; taken.has(foldName(name, platform)); n += 1) name = `${root.name}-${n}`;
    taken.add(foldName(name, platform));
    return { name, path: pathsOf(platform).resolve(root.path) };
  });
}
