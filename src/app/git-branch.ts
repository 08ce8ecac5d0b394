import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** The branch of a working tree, read from git's own files; null when there is none or HEAD is detached. */
export async function gitBranch(root: string): Promise<string | null> {
  const pointer = await text(join(root, '.git'));
  const folder = pointer?.startsWith('gitdir:') === true ? pointer.slice('gitdir:'.length).trim() : '.git';
  const head = await text(join(isAbsolute(folder) ? folder : join(root, folder), 'HEAD'));
  const match = head === null ? null : /^ref: refs\/heads\/(.+)$/.exec(head.trim());
  return match?.[1]?.slice(0, 200) ?? null;
}

async function text(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // No repository, or one this user cannot read: the branch is simply unknown.
    return null;
  }
}
