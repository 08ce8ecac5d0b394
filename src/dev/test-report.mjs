// @ts-check
import path from 'node:path';
import { seconds } from './progress.mjs';

/** @typedef {{passed: number, failed: number, files?: readonly FileTime[], failures?: readonly string[], opened?: string}} Counts */
/** @typedef {Counts & {name: string, ms: number}} PartResult */
/** @typedef {{name: string, ms: number}} FileTime */

const SLOWEST = 10;

/**
 * Counts from what vitest's JSON reporter wrote. A file that did not load has no tests to count, and an
 * error outside of any test only shows in the exit code: each is at least one failure.
 * @param {{report: unknown, exitCode: number}} options `report` is undefined when vitest left none
 * @returns {Counts}
 */
export function countTests({ report, exitCode }) {
  if (!isReport(report)) return { passed: 0, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return { passed: report.numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}

/**
 * What failed and with which words, for the end of a long run: what vitest prints of it is far above by then.
 * @param {{report: unknown, root: string}} options
 * @returns {string[]} such as `test/a.test.ts > adds up: expected 3 to be 4`
 */
export function failures({ report, root }) {
  if (!isReport(report)) return [];
  return report.testResults
    .filter((file) => file.status === 'failed')
    .flatMap(({ name = '', message = '', assertionResults }) => {
      const file = path.relative(root, name);
      const tests = assertionResults.filter((test) => test.status === 'failed');
      if (tests.length === 0) return [`${file}: ${firstLine(message)}`];
      return tests.map(
        ({ ancestorTitles = [], title = '', failureMessages: [words = ''] = [] }) =>
          `${[file, ...ancestorTitles, title].join(' > ')}: ${firstLine(words)}`,
      );
    });
}

/** @param {string} words */
function firstLine(words) {
  const [line = ''] = words.trim().split('\n');
  return line === '' ? 'it gives no reason' : line;
}

/**
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {FileResult[]} testResults
 *
 * @typedef {object} FileResult
 * @property {string} status
 * @property {string} [name]
 * @property {string} [message] why it did not load
 * @property {{status: string, ancestorTitles?: string[], title?: string, failureMessages?: string[]}[]} assertionResults
 */

/**
 * @param {unknown} value
 * @returns {value is Report}
 */
function isReport(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    'numPassedTests' in value &&
    typeof value.numPassedTests === 'number' &&
    'numFailedTests' in value &&
    typeof value.numFailedTests === 'number' &&
    'testResults' in value &&
    Array.isArray(value.testResults)
  );
}

/**
 * @param {{parts: readonly PartResult[], ms: number}} options
 * @returns {{lines: string[], exitCode: number}} the last line is the one that counts everything
 */
export function summarise({ parts, ms }) {
  const passed = parts.reduce((sum, part) => sum + part.passed, 0);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  const width = Math.max(...parts.map((part) => part.name.length), 5);
  const slowest = parts
    .flatMap(({ files = [] }) => files)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  const broken = parts.flatMap(({ failures = [] }) => failures);
  return {
    lines: [
      ...(broken.length === 0 ? [] : ['Failed:']),
      ...broken.map((line) => `  ${line}`),
      ...(slowest.length === 0 ? [] : ['Slowest files:']),
      ...slowest.map((file) => `${seconds(file.ms).padStart(9)}  ${file.name}`),
      ...parts.map(
        (part) =>
          `${part.name.padEnd(width)}  ${seconds(part.ms).padStart(7)}  ${part.passed} passed, ${part.failed} failed${part.opened === undefined || part.opened === '' ? '' : `  (${part.opened})`}`,
      ),
      `${'total'.padEnd(width)}  ${seconds(ms).padStart(7)}`,
      `${passed} passed, ${failed} failed`,
    ],
    exitCode: failed > 0 || passed === 0 ? 1 : 0,
  };
}
