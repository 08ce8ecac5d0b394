// @ts-check
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundles } from './bundles.mjs';
import { describeCheck, runChecks } from './checks.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { FILE_TIMES } from './file-times.mjs';
import { say } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { passThrough } from './subprocess.mjs';
import { describeCounts, passedBudgets, sumOf } from './test-budgets.mjs';
import { countTests, failures } from './test-report.mjs';
import { packageVsix } from './vsix.mjs';
import { ensureVsCodeServer } from './vscode-server.mjs';

/** @typedef {import('./test-report.mjs').Counts} Counts */
/** @typedef {(filters: readonly string[]) => Promise<Counts>} Part */

/** Of what a failed check said, at the end of a run: all of it is further up. */
const FIRST_LINES = 20;

const SUCCESS = { passed: 0, failed: 0 };

/**
 * Parts that make something for later ones are timed, and count only when they fail.
 * @type {Readonly<Record<string, Part>>}
 */
export const PARTS = {
  install: async () => {
    await ensureDependencies();
    return SUCCESS;
  },
  tools: async () => {
    await Promise.all([ensureVsCodeServer(), ensureVsCodeServer('oldest'), ensureChromium()]);
    return SUCCESS;
  },
  browser: async () => {
    await ensureChromium();
    return SUCCESS;
  },
  check: async () => {
    const results = await runChecks();
    for (const result of results) say(describeCheck(result));
    const failed = results.filter((result) => !result.ok);
    return {
      passed: results.length - failed.length,
      failed: failed.length,
      failures: failed.map((result) => describeCheck(result).split('\n').slice(0, FIRST_LINES).join('\n')),
    };
  },
  build: async () => {
    await buildBundles({ mode: 'production' });
    return SUCCESS;
  },
  package: async () => {
    await packageVsix();
    return SUCCESS;
  },
  unit: (filters) => vitest({ part: 'unit', projects: ['unit', 'unit-isolated'], filters }),
  simulation: (filters) => vitest({ part: 'simulation', filters }),
  page: (filters) => vitest({ part: 'page', filters }),
  e2e: (filters) => vitest({ part: 'e2e', filters }),
};

/**
 * What to run, in order, for each word a person may give; a part listed before another makes what it needs.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PLANS = {
  all: ['install', 'tools', 'check', 'build', 'package', 'unit', 'simulation', 'page', 'e2e'],
  check: ['install', 'check'],
  unit: ['install', 'unit'],
  simulation: ['install', 'simulation'],
  page: ['install', 'browser', 'build', 'page'],
  e2e: ['install', 'tools', 'build', 'package', 'e2e'],
};

/**
 * Parts that need only the processor, and that no clock watches: those after them run meanwhile.
 * @type {readonly string[]}
 */
export const BESIDE = ['check'];

/**
 * Parts that are not worth running, or would test something stale, after another has failed.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const REQUIRES = {
  check: ['install'],
  build: ['install'],
  package: ['build'],
  unit: ['install'],
  simulation: ['install'],
  page: ['tools', 'browser', 'build'],
  e2e: ['tools', 'build'],
};

/** @param {{part: string, projects?: readonly string[], filters: readonly string[]}} options */
async function vitest({ part, projects = [part], filters }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-report-'));
  try {
    const file = path.join(folder, 'report.json');
    const timesFile = path.join(folder, 'times.json');
    const countsFolder = path.join(folder, 'counts');
    await mkdir(countsFolder);
    const exitCode = await passThrough({
      command: process.execPath,
      args: [
        projectPath('node_modules', 'vitest', 'vitest.mjs'),
        'run',
        `--config=${projectPath('test', 'vitest.config.ts')}`,
        ...projects.map((project) => `--project=${project}`),
        '--reporter=default',
        '--reporter=json',
        `--reporter=${projectPath('src', 'dev', 'file-times.mjs')}`,
        `--outputFile.json=${file}`,
        // What is asked for may be in another part; without a word for it there is always something.
        ...(filters.length === 0 ? [] : ['--passWithNoTests']),
        ...filters,
      ],
      cwd: PROJECT,
      env: { ...process.env, LEDGERLINE_COUNTS: countsFolder, [FILE_TIMES]: timesFile },
    });
    const report = await readJson(file, 'report');
    const counts = await readCounts(countsFolder);
    const passed = passedBudgets({ part, counts });
    for (const line of passed) say(line);
    const tests = countTests({ report, exitCode });
    return {
      passed: tests.passed,
      failed: tests.failed + passed.length,
      files: await readTimes(timesFile),
      failures: [...failures({ report, root: PROJECT }), ...passed],
      opened: describeCounts({ part, counts }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function readCounts(folder) {
  const names = await readdir(folder);
  return sumOf(
    await Promise.all(names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8')))),
  );
}

/**
 * @param {string} file
 * @returns {Promise<import('./test-report.mjs').FileTime[]>}
 */
async function readTimes(file) {
  const times = await readJson(file, 'times of files');
  return Array.isArray(times) ? times : [];
}

/**
 * @param {string} file
 * @param {string} what
 * @returns {Promise<unknown>}
 */
async function readJson(file, what) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    say(`vitest left no ${what}: ${String(error)}`);
    return undefined;
  }
}
