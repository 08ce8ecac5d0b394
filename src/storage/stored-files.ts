import { DiskError, type Disk, type FileStat } from './disk.ts';

/** Also looked into where the disk does not tell folders from files. */
const FOLDERS = ['sessions', 'trash', 'drafts', 'blobs', 'blobs-unused'] as const;

/** No folder of ours is that deep: one that is leads back to itself. */
const DEEPEST = 8;

export interface StoredFile extends FileStat {
  /** Below the storage folder, with `/` between names. */
  readonly path: string;
}

/** What a look at the storage folder found. */
export interface StoredFiles {
  readonly files: readonly StoredFile[];
  /** Names that were there, and had nothing behind them when they were looked at. */
  readonly vanished: readonly string[];
}

/** Every file of a storage folder, whatever it is. Throws what the disk throws. */
export async function storedFiles(disk: Disk, root: string, signal: AbortSignal): Promise<StoredFiles> {
  const files: StoredFile[] = [];
  const vanished: string[] = [];
  const look = async (folder: string): Promise<void> => {
    if (folder.split('/').length > DEEPEST) throw new DiskError('other', `${folder} is too deep`);
    const above = folder === '' ? '' : `${folder}/`;
    const names = new Set(await disk.list(folder === '' ? root : `${root}/${folder}`));
    if (folder === '') for (const known of FOLDERS) names.add(known);
    for (const name of names) {
      signal.throwIfAborted();
      const path = `${above}${name}`;
      const stat = await disk.stat(`${root}/${path}`);
      const isKnown = FOLDERS.some((known) => known === path);
      if (stat?.is_folder === true || isKnown) await look(path);
      else if (stat === null) vanished.push(path);
      else files.push({ ...stat, path });
    }
  };
  await look('');
  return { files, vanished };
}

/** What this program makes of the others, and what it says of what it removed: they keep no body alive. */
const ABOUT_OTHERS = /^(?:storage-use\.json|storage-journal\.jsonl)(?:\.|$)/;

/** Whether what a file says counts as naming a body. */
export function isNaming(path: string): boolean {
  return !ABOUT_OTHERS.test(path) && !/^blobs(?:-unused)?\//.test(path);
}
