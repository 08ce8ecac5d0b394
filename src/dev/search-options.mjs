// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
 * The tests that search: those that say how long by test/support/search-runs.ts, themselves or in what they import.
 * @param {{root: string, filters: readonly string[]}} options
 */
export function searchFiles({ root, filters }) {
  const searches = searchingIn(root);
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .filter((file) => searches(path.join(root, file)))
    .sort();
}

/**
 * Whether a file of the tests imports search-runs.ts, directly or by other files of the tests; each is read once.
 * @param {string} root
 * @returns {(file: string) => boolean}
 */
function searchingIn(root) {
  const tests = path.join(root, 'test') + path.sep;
  const runs = path.join(tests, 'support', 'search-runs.ts');
  /** @type {Map<string, readonly string[]>} */
  const known = new Map();
  /** @param {string} file */
  const importsOf = (file) => {
    const found = known.get(file) ?? importedBy(file).filter((one) => one.startsWith(tests));
    known.set(file, found);
    return found;
  };
  return (file) => {
    const reached = new Set([file]);
    for (const one of reached) for (const next of importsOf(one)) reached.add(next);
    return reached.has(runs);
  };
}

/**
 * The modules beside it that a file names; one that is made later, or only named in a string, is none.
 * @param {string} file
 */
function importedBy(file) {
  return [...readFileSync(file, 'utf8').matchAll(/\b(?:from|import) '(\.{1,2}\/[^']+\.tsx?)'/gu)]
    .map(([, name = '']) => path.resolve(path.dirname(file), name))
    .filter((one) => existsSync(one));
}
