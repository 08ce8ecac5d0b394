import { folderOf, isDiskError, type Disk } from './disk.ts';

/** Has both names before it loses the old one, where the file system can do that; else it is renamed. */
export async function moveFile(disk: Disk, from: string, to: string): Promise<void> {
  const linked = await tryLink(disk, from, to);
  if (!linked) await disk.rename(from, to);
  await disk.syncFolder(folderOf(to));
  if (linked) await disk.remove(from);
  await disk.syncFolder(folderOf(from));
}

/** False where a file cannot have two names. True also when a move that was cut off has made the second. */
export async function tryLink(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.link(from, to);
    return true;
  } catch (error) {
    if (isDiskError(error, 'exists') && (await isSameFile(disk, from, to))) return true;
    if (isDiskError(error, 'exists') || isDiskError(error, 'missing') || isDiskError(error, 'full'))
      throw error;
    return false;
  }
}

export async function isSameFile(disk: Disk, one: string, other: string): Promise<boolean> {
  const [a, b] = [await disk.stat(one), await disk.stat(other)];
  return a !== null && a.identity === b?.identity;
}
