import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { noticesOf, packagesIn } from '../../src/dev/notices.mjs';
import { projectPath } from '../../src/dev/project.mjs';

test('the packages of a build are told from its files', () => {
  expect(
    packagesIn([
      'src/extension.ts',
      'node_modules/zod/v4/index.js',
      'node_modules/zod/v4/core.js',
      'node_modules/@scope/name/lib/x.js',
      'node_modules/outer/node_modules/inner/x.js',
      String.raw`node_modules\preact\dist\preact.mjs`,
    ]),
  ).toEqual(['@scope/name', 'inner', 'preact', 'zod']);
});

test('each is named with its version and its licence, word for word', async () => {
  const notices = await noticesOf(['node_modules/marked/lib/marked.esm.js']);
  const licence = await readFile(projectPath('node_modules', 'marked', 'LICENSE'), 'utf8');
  expect(notices).toMatch(/^marked \d+\.\d+\.\d+ \(MIT\)$/mu);
  expect(notices).toContain(licence.trim());
});
