import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { button, loggedEvents, newWorkspace } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot } from './harness/index.ts';

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open(
    { workspace: await newWorkspace(), settings: { 'ledgerline.provider': 'offline' } },
    { language: 'de' },
  );
});

afterAll(workbench.close);

test('where VS Code speaks German, so does the chat, and the log stays as it is', async () => {
  expect(await chat.locator('html').getAttribute('lang')).toBe('de');
  await chat.getByRole('heading', { name: 'Jeder Schritt ist belegt' }).waitFor();
  await screenshot(workbench.page, 'german-empty');
  await chat.getByRole('textbox', { name: 'Nachricht' }).fill('write note.txt: hello');
  await button(chat, 'Senden').click();
  const conversation = chat.getByRole('log', { name: 'Unterhaltung' });
  const card = conversation.getByRole('group', { name: 'Genehmigung' });
  await card.waitFor();
  expect(await card.locator('.change-head').textContent()).toBe('note.txtneue Datei+1 −0Diff');
  expect(await conversation.locator('.phrase').textContent()).toBe('Braucht Sie: 1 Genehmigung');
  await workbench.page
    .locator('.statusbar')
    .getByRole('button', { name: /^Ledgerline: Braucht Sie: 1 Genehmigung/u })
    .waitFor();
  await screenshot(workbench.page, 'german-approval');
  await button(card, 'Genehmigen').click();
  await conversation.getByText('Abgeschlossen').waitFor();
  expect(await conversation.locator('.call-head').textContent()).toMatch(/^Schreibennote\.txt.*okDiff$/u);
  await screenshot(workbench.page, 'german-completed');
  const kinds = (await loggedEvents(workbench.vscode)).filter((event) => event.type === 'tool_call_decision');
  expect(kinds.map(({ data }) => data['action'])).toEqual(['resume']);
});
