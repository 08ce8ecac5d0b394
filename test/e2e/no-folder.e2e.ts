import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import { themeFile, themeOf, usedVariables } from '../page/bridge/themes.ts';
import { THEMES } from '../support/browser/color-themes.ts';
import { button } from '../support/browser/cards.ts';
import { send, turnIn } from '../support/browser/turns.ts';
import { chatWindow } from './chat-window.ts';
import { inEachTheme } from './harness/index.ts';
import { expectKeptPage, keepIfAsked } from './webview-page.ts';

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open({ settings: { 'ledgerline.provider': 'offline' } });
});

afterAll(workbench.close);

/** The logs of windows without a folder; other tests may have left some. */
async function logs(): Promise<readonly string[]> {
  const storage = ['data', 'User', 'globalStorage', 'ledgerline.ledgerline'];
  const folder = path.join(workbench.vscode.dataDir, ...storage);
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.startsWith(`sessions${path.sep}`) && name.endsWith('.jsonl'));
}

/** Pages are tried without a workbench, in this style: with LEDGERLINE_TAKE_THEMES it is taken once more. */
test('the style and the colours that pages are tried in are those of VS Code', async () => {
  const { style } = await expectKeptPage(chat, 'current');
  const own = await readFile(projectPath('dist', 'webview', 'main.css'), 'utf8');
  const used = usedVariables([own, ...style].join('\n'));
  const className = (): Promise<string> => chat.evaluate(() => document.body.className);
  const reduced = ' vscode-reduce-motion';
  expect(await className()).toContain(reduced);
  await workbench.page.emulateMedia({ reducedMotion: 'no-preference' });
  await expect.poll(className).not.toContain(reduced);
  await inEachTheme(
    workbench.page,
    async (name) => {
      const variables = await chat.evaluate(
        (names) =>
          Object.fromEntries(
            names
              .map((one) => [one, document.documentElement.style.getPropertyValue(one)] as const)
              .filter(([, value]) => value !== ''),
          ),
        used,
      );
      const theme = { kind: THEMES[name].kind, className: await className(), variables };
      await keepIfAsked(themeFile(name), theme);
      expect(themeOf(name)).toEqual(theme);
    },
    chat,
  );
  await workbench.page.emulateMedia({ reducedMotion: 'reduce' });
});

test('without a folder a conversation works, and its log is in global storage', async () => {
  await chat.getByText('No folder is open: you can chat').waitFor();
  const before = await logs();
  await send(chat, 'read notes.txt');
  expect(await (await turnIn(chat, 'completed')).textContent()).toContain('is not offered here');
  expect((await logs()).length).toBe(before.length + 1);
  await button(chat, 'Open folder').click();
  await workbench.page.getByText('Open Folder', { exact: true }).first().waitFor();
});
