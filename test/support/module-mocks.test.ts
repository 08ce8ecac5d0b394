import { expect, test } from 'vitest';
import { PROJECT } from '../../src/dev/project.mjs';
import { filesThatReplaceModules, replacesModules } from './module-mocks.ts';

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
