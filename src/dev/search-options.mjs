// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './progress.mjs';

/** @typedef {{seeds: number, filters: string[]}} SearchOptions */

/**
 * @param {readonly string[]} args
 * @returns {SearchOptions}
 */
export function parseSearchOptions(args) {
  /** @type {SearchOptions} */
  const options = { seeds: 10, filters: [] };
  for (let index = 0; index < args.length; index += 1) {
    const [name = '', inline] = (args[index] ?? '').split('=', 2);
    if (name === '--seeds') {
      const value = inline ?? args[(index += 1)] ?? '';
      if (!/^[1-9]\d{0,5}$/.test(value)) throw new SetupError(`--seeds needs a number, not "${value}".`);
      options.seeds = Number(value);
    } else if (name.startsWith('-')) throw new SetupError(`unknown option ${name}: only --seeds N.`);
    else options.filters.push(name);
  }
  return options;
}

/**
 * The tests that search: those that say how long by test/support/search-runs.ts.
 * @param {{root: string, filters: readonly string[]}} options
 */
export function searchFiles({ root, filters }) {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('/search-runs.ts'))
    .sort();
}
