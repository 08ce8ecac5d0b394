// @ts-check
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

const HEARTBEAT_MS = 2_000;
const STALE_MS = 30_000;
const RETRY_MS = 250;
const LONGEST_WAIT_MS = 20 * 60_000;

/** @typedef {{token: string, pid: number, host: string}} Owner */

/**
 * @param {unknown} error
 * @param {string} code
 */
export function isErrorCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * A lock saves two clones from doing the same long work twice. It does not guard correctness: a folder gets
 * its final name by an atomic rename, so losing a lock to a mistaken take-over wastes work and nothing else.
 * @param {{file: string, token: string, work: (context: {abandonedBy: string[]}) => Promise<void>}} options
 */
export async function withLock({ file, token, work }) {
  const abandonedBy = await acquire({ file, token });
  const heartbeat = setInterval(() => {
    utimes(file, new Date(), new Date()).catch((/** @type {unknown} */ error) => {
      if (!isErrorCode(error, 'ENOENT')) say(`warning: ${file}: ${String(error)}`);
    });
  }, HEARTBEAT_MS);
  try {
    await work({ abandonedBy });
  } finally {
    clearInterval(heartbeat);
    const owner = await readOwner(file);
    if (owner?.token === token) await rm(file, { force: true });
  }
}

/**
 * @param {{file: string, token: string}} options
 * @returns {Promise<string[]>} the tokens of owners that died while they held the lock
 */
async function acquire({ file, token }) {
  const self = JSON.stringify({ token, pid: process.pid, host: hostname() });
  const deadline = Date.now() + LONGEST_WAIT_MS;
  /** @type {string[]} */
  const abandonedBy = [];
  let announced = false;
  while (Date.now() < deadline) {
    try {
      await writeFile(file, self, { flag: 'wx' });
      return abandonedBy;
    } catch (error) {
      if (!isErrorCode(error, 'EEXIST')) throw error;
    }
    const owner = await readOwner(file);
    if (await isAbandoned({ file, owner })) {
      if (owner !== undefined) abandonedBy.push(owner.token);
      await rm(file, { force: true });
      continue;
    }
    if (!announced)
      say(
        `Waiting for another process (pid ${owner?.pid ?? 'unknown'}) that makes ${file.replace(/\.lock$/, '')} ...`,
      );
    announced = true;
    await delay(RETRY_MS);
  }
  throw new Error(`gave up waiting for ${file}`);
}

/**
 * @param {string} file
 * @returns {Promise<Owner | undefined>} undefined while the file is gone or its owner is still writing it
 */
async function readOwner(file) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(await readFile(file, 'utf8'));
    return isOwner(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * @param {unknown} value
 * @returns {value is Owner}
 */
function isOwner(value) {
  return typeof value === 'object' && value !== null && 'token' in value && 'pid' in value && 'host' in value;
}

/** @param {{file: string, owner: Owner | undefined}} options */
async function isAbandoned({ file, owner }) {
  if (owner?.host === hostname() && !isAlive(owner.pid)) return true;
  try {
    return Date.now() - (await stat(file)).mtimeMs > STALE_MS;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isErrorCode(error, 'ESRCH');
  }
}
