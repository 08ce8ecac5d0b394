// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { seconds } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { capture } from './subprocess.mjs';

/** @typedef {{name: string, ok: boolean, output: string, ms: number}} CheckResult */

const CHECKS = [
  { name: 'tsc', package: 'typescript', args: ['--noEmit', '--pretty', 'false'] },
  { name: 'oxlint', package: 'oxlint', args: ['--deny-warnings'] },
  { name: 'oxfmt', package: 'oxfmt', args: ['--check'] },
];

/**
 * Runs all checks, also after one has failed.
 * @returns {Promise<CheckResult[]>}
 */
export async function runChecks() {
  return Promise.all(
    CHECKS.map(async (check) => {
      const started = performance.now();
      const { code, output } = await capture({
        command: process.execPath,
        args: [binOf({ packageName: check.package, bin: check.name }), ...check.args],
        cwd: PROJECT,
        background: true,
      });
      return { name: check.name, ok: code === 0, output, ms: performance.now() - started };
    }),
  );
}

/**
 * @param {CheckResult} result
 * @returns {string} one line, and below it what a failed check said
 */
export function describeCheck({ name, ok, output, ms }) {
  return ok ? `${name}: ok (${seconds(ms)})` : `${name}: FAILED (${seconds(ms)})\n${output.trimEnd()}`;
}

/**
 * The script file of a package's command, to be run with this Node: the links in node_modules/.bin are shell
 * scripts on Windows.
 * @param {{packageName: string, bin: string}} options
 * @returns {string}
 */
export function binOf({ packageName, bin }) {
  const folder = projectPath('node_modules', packageName);
  /** @type {{bin: string | Record<string, string>}} */
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[bin];
  if (file === undefined) throw new Error(`${packageName} has no command ${bin}`);
  return path.join(folder, file);
}
