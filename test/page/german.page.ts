import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';

const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
    language: 'de',
  });
});

test('where VS Code speaks German, so does the chat, and the log stays as it is', async () => {
  expect(await chat.locator('html').getAttribute('lang')).toBe('de');
  await chat.getByRole('heading', { name: 'Jeder Schritt ist belegt' }).waitFor();
  await chat.getByRole('textbox', { name: 'Nachricht' }).fill('write note.txt: hello');
  await button(chat, 'Senden').click();
  const conversation = chat.getByRole('log', { name: 'Unterhaltung' });
  const card = conversation.getByRole('group', { name: 'Genehmigung' });
  await card.waitFor();
  await conversation.hover({ position: { x: 4, y: 4 } });
  expect(await card.locator('.change-head').textContent()).toBe('note.txtneue Datei+1 −0Diff');
  await expect.poll(() => conversation.locator('.phrase').textContent()).toBe('Braucht Sie: 1 Genehmigung');
  await button(card, 'Genehmigen').click();
  await conversation.getByText('Abgeschlossen').waitFor();
  expect(await conversation.locator('.call-head').textContent()).toMatch(/^Schreibennote\.txt.*okDiff$/u);
  const decisions = (await loggedEvents(view)).filter(({ type }) => type === 'tool_call_decision');
  expect(decisions.map(({ data }) => data['action'])).toEqual(['resume']);
});
