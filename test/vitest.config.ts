import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/e2e/**', 'test/page/**', 'test/simulation/**'],
          // All cores: by default one is left to whoever watches, which is half of a machine with two.
          maxWorkers: '100%',
          // A bound for what hangs: on a busy machine a test of half a second may take ten.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          include: ['test/page/**/*.page.ts'],
          globalSetup: ['test/page/global-setup.ts'],
          setupFiles: ['test/page/person.ts'],
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
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
