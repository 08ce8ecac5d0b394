import { readNames } from './blob-names.ts';
import { BLOB_NAME } from './blobs.ts';
import { DiskError } from './disk.ts';
import type { StorePorts } from './session-store.ts';
import { isNaming, storedFiles, type StoredFile } from './stored-files.ts';

/** What no file names, or why that cannot be said: then nothing may be taken for unnamed. */
export type Unnamed =
  | { readonly kind: 'known'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string }
  /** Files came and went for as long as they were looked at. */
  | { readonly kind: 'unsettled' };

const MOST_LOOKS = 8;

/**
 * Which of some bodies no file names. Reads every file anew and trusts no cache. A body that is named may itself name
 * others. Files may be moved between folders meanwhile, so it looks until nothing is new and nothing has vanished.
 */
export async function unnamedAmong(
  ports: Pick<StorePorts, 'disk'>,
  root: string,
  options: {
    readonly among: ReadonlySet<string>;
    readonly signal: AbortSignal;
    /** Files that are about to go: what only they name is not named. */
    readonly except?: (path: string) => boolean;
  },
): Promise<Unnamed> {
  const { disk } = ports;
  const { signal, except = () => false } = options;
  const left = new Set(options.among);
  const visit = (name: string): void => void left.delete(name);
  /** How far each file was read. */
  const done = new Map<string, number>();
  let at = '';
  let seen: ReadonlySet<string> = new Set();
  const read = async (file: StoredFile): Promise<'read' | 'gone'> => {
    at = file.path;
    try {
      const from = done.get(keyOf(file)) ?? 0;
      const upto = await readNames(disk, `${root}/${file.path}`, { from, signal, visit });
      done.set(keyOf(file), Math.max(from, upto));
      return 'read';
    } catch (error) {
      if (error instanceof DiskError && error.kind === 'missing') return 'gone';
      throw error;
    }
  };
  try {
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      at = '';
      const { files, vanished } = await storedFiles(disk, root, signal);
      const naming = files.filter(({ path }) => isNaming(path) && !except(path));
      const fresh = naming.filter((file) => !done.has(keyOf(file)));
      const grown = naming.filter((file) => (done.get(keyOf(file)) ?? file.size) < file.size);
      let gone = vanished.length;
      for (const file of [...fresh, ...grown]) if ((await read(file)) === 'gone') gone += 1;
      // Bodies that are named, or too young to be asked about, speak for others.
      const bodies = new Map(
        files.flatMap((file) => {
          const name = file.path.startsWith('blobs/') ? file.path.slice('blobs/'.length) : '';
          return BLOB_NAME.test(name) ? [[name, file]] : [];
        }),
      );
      for (const count = { of: -1 }; count.of !== left.size;) {
        count.of = left.size;
        for (const [name, file] of bodies)
          if (!left.has(name) && !done.has(keyOf(file)) && (await read(file)) === 'gone') gone += 1;
      }
      // What was only written anew in its place came from nowhere else.
      const isStill = gone === 0 && fresh.every(({ path }) => seen.has(path));
      if (isStill || left.size === 0) return { kind: 'known', names: left };
      seen = new Set(files.map(({ path }) => path));
    }
    return { kind: 'unsettled' };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { kind: 'unreadable', path: at, reason: error.message };
  }
}

/** Under another name a file is read anew: some disks have one identity for all files. */
function keyOf({ path, identity }: StoredFile): string {
  return `${identity} ${path}`;
}
