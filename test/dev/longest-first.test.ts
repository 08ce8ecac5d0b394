import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../../src/dev/project.mjs';
import { longFirst } from '../support/longest-first.ts';

test('files that take long are begun first, and the others in the order that they had', () => {
  const files = globSync('test/{dev,runtime,storage}/**/*.test.ts', { cwd: PROJECT }).map((path) => ({
    moduleId: `${PROJECT}/${path.replaceAll('\\', '/')}`,
  }));
  const sorted = longFirst(files);
  expect(sorted.slice(0, 5).map(({ moduleId }) => moduleId.split('/').at(-1))).toEqual([
    'session-interleavings.test.ts',
    'killed-writer.test.ts',
    'changed-fields.test.ts',
    'cut-endings.test.ts',
    'cut-rounds.test.ts',
  ]);
  const first = new Set(sorted.slice(0, 5));
  expect(sorted.slice(5)).toEqual(files.filter((file) => !first.has(file)));
});
