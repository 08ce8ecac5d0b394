interface Named {
  readonly kind: string;
  readonly label?: string | undefined;
  readonly path?: string | null | undefined;
}

/** Pure: what each is called. Where several have one name, as many of their folders as tell them apart. */
export function chipNames(all: readonly Named[]): readonly string[] {
  return all.map((one) => {
    const name = nameOf(one);
    const others = all.filter((other) => nameOf(other) === name && other.path !== one.path);
    const folders = foldersOf(one);
    const depth = folders.findIndex((_, index) =>
      others.every((other) => tail(foldersOf(other), index + 1) !== tail(folders, index + 1)),
    );
    if (others.length === 0 || folders.length === 0) return name;
    return `${tail(folders, depth === -1 ? folders.length : depth + 1)}/${name}`;
  });
}

function nameOf({ label, path, kind }: Named): string {
  return label ?? path ?? kind;
}

function foldersOf({ path }: Named): readonly string[] {
  return (path ?? '')
    .split(/[/\\]/u)
    .filter((part) => part !== '')
    .slice(0, -1);
}

function tail(folders: readonly string[], count: number): string {
  return folders.slice(-count).join('/');
}
