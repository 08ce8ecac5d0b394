import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('a hidden view is thrown away: nothing asks VS Code to keep its page', async () => {
  const users: string[] = [];
  for await (const file of glob(['src/**/*.ts', 'webview/**/*.{ts,tsx}', 'package.json'])) {
    if ((await readFile(file, 'utf8')).includes('retainContextWhenHidden')) users.push(file);
  }
  expect(users).toEqual([]);
});
