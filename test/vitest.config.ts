import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';
import { filesThatReplaceModules } from './support/module-mocks.ts';
import { searchRuns } from './support/search-runs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Tests wait for disks and processes half of the time: one worker more than there are cores keeps these busy. */
const WORKERS = availableParallelism() + 1;

const UNIT = {
  include: ['test/**/*.test.{ts,tsx}'],
  exclude: ['test/e2e/**', 'test/page/**', 'test/simulation/**'],
  globalSetup: ['test/support/scratch-folder.ts'],
  setupFiles: ['test/support/fresh-double.ts'],
  maxWorkers: WORKERS,
  // Files share a process: what a test replaces or sets is as it was before the next one.
  restoreMocks: true,
  unstubEnvs: true,
  unstubGlobals: true,
  // A bound for what hangs: on a busy machine a test of half a second may take ten.
  testTimeout: searchRuns(30_000),
  // What is asked for again and again is mostly there a few milliseconds later.
  expect: { poll: { interval: 5, timeout: 15_000 } },
  hookTimeout: 30_000,
};
const ALONE = filesThatReplaceModules(root, 'test/**/*.test.{ts,tsx}');

export default defineConfig({
  root,
  test: {
    // A test that was left as the only one would take the others away, and the run would still succeed.
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...UNIT,
          name: 'unit',
          exclude: [...UNIT.exclude, ...ALONE],
          // Loading the same modules for each of 400 files took longer than a fifth of the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...UNIT, name: 'unit-isolated', include: [...ALONE] },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          maxWorkers: '100%',
          testTimeout: searchRuns(300_000),
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['test/page/**/*.page.ts'],
          globalSetup: ['test/support/scratch-folder.ts', 'test/page/global-setup.ts'],
          setupFiles: ['test/page/person.ts'],
          // More would have more than these cores to do: each has a renderer of the browser beside it.
          maxWorkers: Math.min(WORKERS, 3),
          testTimeout: 60_000,
          // What opens a page waits for a busy machine as patiently as a test.
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          globalSetup: ['test/e2e/global-setup.ts'],
          // The browser's profile is shared by files: what VS Code loads stays in its cache.
          isolate: false,
          // One real VS Code and one browser at a time: they take two cores by themselves.
          fileParallelism: false,
          maxWorkers: 1,
          testTimeout: 120_000,
          // What follows an action is drawn by another process: it is asked for until it is so.
          expect: { poll: { timeout: 15_000 } },
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
