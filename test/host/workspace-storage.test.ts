import { expect, test } from 'vitest';
import { workspaceStorage } from '../../src/host/workspace-storage.ts';

const exists = (folder: string): boolean =>
  ['/data/workspaceStorage/-63b8fc77', '/data/workspaceStorage/0a1b2c'].includes(folder);

test.each([
  ['/data/workspaceStorage/-63b8fc77-1/us', '/data/workspaceStorage/-63b8fc77/us'],
  ['/data/workspaceStorage/0a1b2c-12/us', '/data/workspaceStorage/0a1b2c/us'],
])('a further window of a workspace has the storage of the first: %s', (given, shared) => {
  expect(workspaceStorage(given, exists)).toBe(shared);
});

test.each([
  '/data/workspaceStorage/-63b8fc77/us',
  '/data/workspaceStorage/-12345678/us',
  // Not of any window that was here before.
  '/data/workspaceStorage/ffff-1/us',
  '/data/globalStorage/us',
  '/data/workspaceStorage/ext-dev/us',
])('any other folder is as VS Code gave it: %s', (given) => {
  expect(workspaceStorage(given, exists)).toBe(given);
});
