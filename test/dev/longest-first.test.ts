import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../../src/dev/project.mjs';
import { longFirst } from '../support/longest-first.ts';

test('files that take long are begun first, and the others in the order that they had', () => {
  const files = globSync('test/{dev,runtime,storage}/**/*.test.ts', { cwd: PROJECT }).map((path) => ({
    moduleId: `${PROJECT}/${path.replaceAll('\\', '/')}`,
  }));
  const sorted = longFirst(files);
  expect(sorted.slice(0, 4).map(({ moduleId }) => moduleId.split('/').at(-1))).toEqual([
    'changed-fields.test.ts',
    'session-interleavings.test.ts',
    'killed-writer.test.ts',
    'machines-model.test.ts',
  ]);
  const first = new Set(sorted.slice(0, 4));
  expect(sorted.slice(4)).toEqual(files.filter((file) => !first.has(file)));
});
