// @ts-check
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { isErrorCode } from './cache-lock.mjs';
import { npm } from './npm.mjs';
import { SetupError, say, step } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';

const STAMP = projectPath('node_modules', '.ledgerline-lock-hash');

/** @typedef {Readonly<Record<string, {version?: string, optional?: boolean}>>} LockedPackages */

/** Installs what the lock file names when node_modules is missing or was made from another lock file. */
export async function ensureDependencies() {
  const lock = await readFile(projectPath('package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  if ((await readIfThere(STAMP)) === hash) return;
  // npm's own record of what it installed: where it matches, somebody has run npm by hand already.
  const record = await readIfThere(projectPath('node_modules', '.package-lock.json'));
  if (record === undefined || !satisfies({ wanted: packagesOf(lock), present: packagesOf(record) })) {
    await step('Installing dependencies', install);
  }
  await writeFile(STAMP, hash);
}

/**
 * `npm ci` refuses a lock file that lacks a package of another platform, as npm itself writes it when that
 * package could not be seen. `npm install` takes the same versions from the same lock file without that.
 */
async function install() {
  // Each package has its hash in the lock file: what npm's cache has need not be asked about again.
  const options = ['--include=dev', '--include=optional', '--prefer-offline'];
  try {
    await npm({ what: 'npm ci', cwd: PROJECT, args: ['ci', ...options] });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say('npm ci refused the lock file; trying npm install');
    await npm({ what: 'npm install', cwd: PROJECT, args: ['install', '--no-save', ...options] });
  }
}

/**
 * Optional packages that are absent are those of other platforms.
 * @param {{wanted: LockedPackages, present: LockedPackages}} options
 */
export function satisfies({ wanted, present }) {
  return Object.entries(wanted).every(([name, { version, optional }]) => {
    const found = present[name];
    return name === '' || (found === undefined ? optional === true : found.version === version);
  });
}

/**
 * @param {string} lock
 * @returns {LockedPackages}
 */
function packagesOf(lock) {
  /** @type {{packages?: LockedPackages}} */
  const value = JSON.parse(lock);
  return value.packages ?? {};
}

/** @param {string} file */
async function readIfThere(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
