import { folderOf, isDiskError, type Disk, type DiskFile } from './disk.ts';

/**
 * Sets bytes behind the last whole line aside as `<session>.torn-<n>` and cuts the log there. The copy is
 * durable before the log is touched: the bytes are never in neither place.
 */
export async function setTornTailAside(
  disk: Disk,
  log: { readonly file: DiskFile; readonly path: string },
  from: number,
  size: number,
): Promise<string> {
  const bytes = await log.file.read(from, size - from);
  const base = log.path.replace(/\.jsonl$/, '');
  for (let n = 1; ; n += 1) {
    const path = `${base}.torn-${n}`;
    try {
      const aside = await disk.open(path, 'create_new');
      try {
        await aside.append(bytes);
        await aside.sync();
      } finally {
        await aside.close();
      }
    } catch (error) {
      if (isDiskError(error, 'exists')) continue;
      throw error;
    }
    await disk.syncFolder(folderOf(path));
    await log.file.truncate(from);
    await log.file.sync();
    return path;
  }
}
