import { draft } from '../runtime/events.ts';
import { folderOf, isDiskError, removeQuietly, type Disk, type DiskFile } from './disk.ts';

const CHUNK = 1024 * 1024;

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
  const { path, aside } = await createNext(disk, log.path.replace(/\.jsonl$/, '.torn-'));
  try {
    for (let at = from; at < size; at += CHUNK)
      await aside.append(await log.file.read(at, Math.min(CHUNK, size - at)));
    await aside.sync();
  } catch (error) {
    await removeQuietly(disk, path);
    throw error;
  } finally {
    await aside.close();
  }
  await disk.syncFolder(folderOf(path));
  await log.file.truncate(from);
  await log.file.sync();
  return path;
}

async function createNext(disk: Disk, base: string): Promise<{ path: string; aside: DiskFile }> {
  for (let n = 1; ; n += 1) {
    const path = `${base}${n}`;
    try {
      return { path, aside: await disk.open(path, 'create_new') };
    } catch (error) {
      if (!isDiskError(error, 'exists')) throw error;
    }
  }
}

/** What the log says of a torn tail that was set aside. */
export function tornDiagnostic(torn: {
  readonly path: string;
  readonly bytes: number;
}): ReturnType<typeof draft> {
  const name = torn.path.slice(torn.path.lastIndexOf('/') + 1);
  return draft('diagnostic', {
    code: 'torn_tail',
    message: `The last write was cut off. Its ${torn.bytes} bytes were set aside in ${name}.`,
    details: { file: name, bytes: torn.bytes },
    next_actions: [],
  });
}
