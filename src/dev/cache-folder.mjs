// @ts-check
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { isErrorCode, withLock } from './cache-lock.mjs';

/**
 * Where everything provisioned lives, shared by all clones of this user.
 * @param {{platform?: NodeJS.Platform, env?: NodeJS.ProcessEnv, home?: string}} [machine]
 * @returns {string}
 */
export function cacheFolder({ platform = process.platform, env = process.env, home = homedir() } = {}) {
  if (platform === 'win32') {
    return path.win32.join(env['LOCALAPPDATA'] ?? path.win32.join(home, 'AppData', 'Local'), 'ledgerline');
  }
  // The XDG specification says that a relative path is to be ignored.
  const xdg = env['XDG_CACHE_HOME'];
  return path.join(xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, '.cache'), 'ledgerline');
}

/** @param {string} file */
async function exists(file) {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/**
 * Gives the folder of that name in the cache, making it first when it is not there. The name carries the
 * version, so a folder never changes once it exists. It appears by one rename when it is whole: a crash or
 * a second clone at the same time can waste work, but never leaves a half-made folder under that name.
 * @param {{name: string, make: (folder: string) => Promise<void>, cache?: string}} options
 * @returns {Promise<string>}
 */
export async function provision({ name, make, cache = cacheFolder() }) {
  const folder = path.join(cache, name);
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const token = randomUUID().slice(0, 8);
  /** @param {string} owner */
  const makingFolder = (owner) => path.join(cache, `${name}.making-${owner}`);
  await withLock({
    file: `${folder}.lock`,
    token,
    work: async ({ abandonedBy }) => {
      for (const owner of abandonedBy) await rm(makingFolder(owner), { recursive: true, force: true });
      if (await exists(folder)) return;
      const making = makingFolder(token);
      try {
        await mkdir(making);
        await make(making);
        await renameUnlessThere({ from: making, to: folder });
      } finally {
        await rm(making, { recursive: true, force: true });
      }
    },
  });
  return folder;
}

/** @param {{from: string, to: string}} options */
async function renameUnlessThere({ from, to }) {
  try {
    await rename(from, to);
  } catch (error) {
    // Another owner of a stolen lock finished first; its folder is as whole as this one.
    if (!(await exists(to))) throw error;
  }
}
