import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../../src/dev/project.mjs';
import { filesThatReplaceModules, replacesModules } from './module-mocks.ts';

/** Vitest runs this setup file anew for each test file (test/vitest.config.ts). */
const RUN_FOR_EACH_FILE = 'test/support/fresh-double.ts';

test.each([
  ["mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);", false],
  ["mock('vscode', () => ({ env: {} }));", true],
  ["doMock('../../src/app/sessions.ts');", true],
  ['resetModules();', true],
  ['useFakeTimers();', false],
])('vi.%s needs a process of its own: %s', (call, alone) => {
  expect(replacesModules(`vi.${call}`)).toBe(alone);
});

test('the few files that replace modules are found', () => {
  const found = filesThatReplaceModules(PROJECT, 'test/**/*.test.{ts,tsx}');
  expect(found).toContain('test/webview/l10n.test.ts');
  expect(found).not.toContain('test/host/leaving.test.ts');
});

test('what tests share has no hooks of its own: they would hold for the first file that loads it, and no other', () => {
  const shared = globSync('test/**/*.{ts,tsx}', { cwd: PROJECT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== RUN_FOR_EACH_FILE && !/\.test\.|^test\/(?:e2e|page)\//u.test(path));
  const hooked = shared.filter((path) =>
    /^(?:before|after)(?:All|Each)\(/mu.test(readFileSync(join(PROJECT, path), 'utf8')),
  );
  expect(shared.length).toBeGreaterThan(50);
  expect(hooked).toEqual([]);
});
