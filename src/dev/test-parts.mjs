// @ts-check
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundles } from './bundles.mjs';
import { describeCheck, runChecks } from './checks.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { say } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { passThrough } from './subprocess.mjs';
import { countTests } from './test-report.mjs';
import { packageVsix } from './vsix.mjs';
import { ensureVsCodeServer } from './vscode-server.mjs';

/** @typedef {import('./test-report.mjs').Counts} Counts */
/** @typedef {(filters: readonly string[]) => Promise<Counts>} Part */

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
    await Promise.all([ensureVsCodeServer(), ensureChromium()]);
    return SUCCESS;
  },
  check: async () => {
    const results = await runChecks();
    for (const result of results) say(describeCheck(result));
    const passed = results.filter((result) => result.ok).length;
    return { passed, failed: results.length - passed };
  },
  build: async () => {
    await buildBundles({ mode: 'production' });
    return SUCCESS;
  },
  package: async () => {
    await packageVsix();
    return SUCCESS;
  },
  unit: (filters) => vitest({ projects: ['unit', 'unit-isolated'], filters }),
  simulation: (filters) => vitest({ projects: ['simulation'], filters }),
  e2e: (filters) => vitest({ projects: ['e2e'], filters }),
};

/**
 * What to run, in order, for each word a person may give; a part listed before another makes what it needs.
 * Tests in `unit` run the built headless presenter, so they need a build.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PLANS = {
  all: ['install', 'tools', 'check', 'build', 'package', 'unit', 'simulation', 'e2e'],
  check: ['install', 'check'],
  unit: ['install', 'build', 'unit'],
  simulation: ['install', 'simulation'],
  e2e: ['install', 'tools', 'build', 'package', 'e2e'],
};

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
  e2e: ['tools', 'build'],
};

/** @param {{projects: readonly string[], filters: readonly string[]}} options */
async function vitest({ projects, filters }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-report-'));
  try {
    const file = path.join(folder, 'report.json');
    const exitCode = await passThrough({
      command: process.execPath,
      args: [
        projectPath('node_modules', 'vitest', 'vitest.mjs'),
        'run',
        `--config=${projectPath('test', 'vitest.config.ts')}`,
        ...projects.map((project) => `--project=${project}`),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        '--passWithNoTests',
        ...filters,
      ],
      cwd: PROJECT,
    });
    return countTests({ report: await readReport(file), exitCode });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} file
 * @returns {Promise<unknown>}
 */
async function readReport(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    say(`vitest left no report: ${String(error)}`);
    return undefined;
  }
}
