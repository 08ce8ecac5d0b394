// @ts-check
import { seconds } from './progress.mjs';

/** @typedef {{passed: number, failed: number}} Counts */
/** @typedef {Counts & {name: string, ms: number}} PartResult */

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
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{status: string, assertionResults: {status: string}[]}[]} testResults
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
  return {
    lines: [
      ...parts.map(
        (part) =>
          `${part.name.padEnd(width)}  ${seconds(part.ms).padStart(7)}  ${part.passed} passed, ${part.failed} failed`,
      ),
      `${'total'.padEnd(width)}  ${seconds(ms).padStart(7)}`,
      `${passed} passed, ${failed} failed`,
    ],
    exitCode: failed > 0 || passed === 0 ? 1 : 0,
  };
}
