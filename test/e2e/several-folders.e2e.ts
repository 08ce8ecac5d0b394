import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFile } from './around-driver.ts';
import { button, waitingCards } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';

/** A workspace of several folders that is not trusted until a person says so. */

const workbench = chatWindow();
let chat: Frame;
let base: string;

/** Two folders of one name, and one that is stricter than the person. */
beforeAll(async () => {
  base = await newWorkspace({
    'one/api/a.txt': 'a\n',
    'two/api/only-two.txt': 'here\n',
    'web/secret-plan.txt': 'hidden\n',
    'web/.vscode/settings.json': JSON.stringify({
      'ledgerline.permissionMode': 'ask',
      'ledgerline.permissions': { deny: ['read_file(secret-plan.txt)'] },
    }),
  });
  const workspace = path.join(base, 'all.code-workspace');
  const folders = ['one/api', 'two/api', 'web'].map((folder) => ({ path: folder }));
  await writeFile(workspace, JSON.stringify({ folders }));
  chat = await workbench.open({
    workspace,
    trust: false,
    settings: {
      'ledgerline.provider': 'offline',
      'ledgerline.permissionMode': 'auto',
      'ledgerline.permissions': { deny: ['write_file(src/generated/**)'] },
      // The page about trust is to lie over nothing.
      'workbench.editor.useModal': 'off',
    },
  });
});

afterAll(workbench.close);

test('in folders that are not trusted a conversation works without tools, and with them once they are', async () => {
  const restricted = chat.getByText('Restricted mode: you can chat');
  await restricted.waitFor();
  await send(chat, 'read api/a.txt');
  expect(await (await turnIn(chat, 'completed')).textContent()).toContain('is not offered here');
  await button(chat, 'Manage workspace trust').click();
  await workbench.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
  await restricted.waitFor({ state: 'detached' });
  await send(chat, 'read api/a.txt');
  await lastTurn(chat).getByText('api/a.txt').first().waitFor();
  expect(await (await turnIn(chat, 'completed')).textContent()).not.toContain('is not offered here');
});

test("a person's rule that denies a place denies it in every folder", async () => {
  await send(chat, 'write web/src/generated/x.txt: hi');
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.call-head', { hasText: 'denied' }).waitFor();
  expect(existsSync(path.join(base, 'web/src'))).toBe(false);
});

test('what one folder makes stricter is stricter everywhere', async () => {
  await send(chat, 'read web/secret-plan.txt');
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.call-head', { hasText: 'denied' }).waitFor();
  await send(chat, 'write api-2/free.txt: hi');
  await button(await waitingCards(chat, 1), 'Approve').click();
  await turnIn(chat, 'completed');
  expect(await readFile(path.join(base, 'two/api/free.txt'), 'utf8')).toBe('hi');
});

test('the model is told the names that paths begin with', async () => {
  const contexts = (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'developer_context');
  expect(contexts.at(-1)?.data['workspace']).toBe(
    [
      `api/ is ${path.join(base, 'one/api')}`,
      `api-2/ is ${path.join(base, 'two/api')}`,
      `web/ is ${path.join(base, 'web')}`,
    ].join(', '),
  );
});

test('a selection is named as tools name its file', async () => {
  const { page } = workbench;
  await openFile(page, 'only-two.txt');
  await page.keyboard.press('Control+A');
  await runCommand(page, 'Explain Selection');
  const message = chat.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => message.inputValue()).toBe('Explain api-2/only-two.txt:1.');
});
