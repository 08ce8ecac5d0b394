import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { isFocused } from '../support/browser/keyboard.ts';
import { send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';

/** A chat in which nothing has been said yet. */

const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: {
      'ledgerline.provider': 'offline',
      'ledgerline.maxRounds': 'many',
      'ledgerline.turnTimeout': 'long',
    },
  });
});

test('a notice that is dismissed by the keyboard hands it on, to the next one and then to the message', async () => {
  const dismiss = chat.locator('.notice').getByRole('button', { name: 'Dismiss' });
  await expect.poll(() => dismiss.count()).toBe(2);
  await dismiss.first().focus();
  await view.page.keyboard.press('Enter');
  await expect.poll(() => dismiss.count()).toBe(1);
  expect(await isFocused(dismiss)).toBe(true);
  await view.page.keyboard.press('Enter');
  await expect.poll(() => dismiss.count()).toBe(0);
  expect(await isFocused(chat.getByRole('textbox', { name: 'Message' }))).toBe(true);
});

test('an empty conversation is read from its top, however little room it has', async () => {
  const heading = chat.getByRole('heading', { name: 'Every step is on record' });
  const log = chat.getByRole('log', { name: 'Conversation' });
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  await view.page.setViewportSize({ width: 300, height: 220 });
  await view.window.vscode.run('ledgerline.newSession');
  await heading.waitFor();
  await expect
    .poll(() => log.evaluate((element) => element.scrollHeight - element.clientHeight))
    .toBeGreaterThan(40);
  expect(await log.evaluate((element) => element.scrollTop)).toBe(0);
});
