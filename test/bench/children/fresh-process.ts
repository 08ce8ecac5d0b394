import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const MOST_PRINTED = 1024 * 1024;

/** What a process prints that loads nothing but what it measures. */
export async function inFreshProcess<T>(...args: readonly string[]): Promise<T> {
  const program = join(dirname(process.argv[1] ?? ''), 'children-part.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, ...args], {
    maxBuffer: MOST_PRINTED,
  });
  return JSON.parse(stdout) as T;
}
