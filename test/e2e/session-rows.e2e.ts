import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button, isFocused, newWorkspace, runCommand, send, setSideBarWidth, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot, until } from './harness/index.ts';
import {
  chooseFromMenu,
  expectRows,
  quickInput,
  sessionRow,
  sessionRows,
  sessionsPane,
  sessionWith,
  showSessions,
  typeAnswer,
} from './sessions-driver.ts';

const workbench = chatWindow();
let chat: Frame;
let workspace: string;

const LINK = '[restore it](command:workbench.action.toggleSidebarVisibility)';
const ICON = '$(trash) a title';

beforeAll(async () => {
  workspace = await newWorkspace({
    '.vscode/settings.json': '{ "ledgerline.maxRounds": "many", "ledgerline.turnTimeout": "long" }',
  });
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  await showSessions(workbench.page);
});

afterAll(workbench.close);

async function begin(text: string): Promise<void> {
  await button(chat, 'New session').click();
  await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
  await send(chat, text);
  await turnIn(chat, 'completed');
}

function toast(words: string): Locator {
  return workbench.page.locator('.notifications-toasts .notification-toast', { hasText: words });
}

/** Where the icon of a line begins. */
async function iconOf(row: Locator): Promise<number> {
  const box = await row.locator('.custom-view-tree-node-item-icon').boundingBox();
  return Math.round(box?.x ?? -1);
}

/** By the keyboard: a click would open the session, and the chat would take the keyboard. */
async function focusLine(index: number): Promise<void> {
  const { page } = workbench;
  await sessionsPane(page).locator('.monaco-list').focus();
  await page.keyboard.press('Home');
  for (let line = 0; line < index; line += 1) await page.keyboard.press('ArrowDown');
  await sessionRows(page).nth(index).and(page.locator('.focused')).waitFor();
}

async function heading(): Promise<string | null> {
  return chat.getByRole('heading', { level: 1 }).textContent();
}

describe('a notice of the chat', () => {
  test('that is dismissed by the keyboard hands it on, to the next one and then to the message', async () => {
    const dismiss = chat.locator('.notice').getByRole('button', { name: 'Dismiss' });
    await expect.poll(() => dismiss.count()).toBe(2);
    await dismiss.first().focus();
    await workbench.page.keyboard.press('Enter');
    await expect.poll(() => dismiss.count()).toBe(1);
    expect(await isFocused(dismiss)).toBe(true);
    await workbench.page.keyboard.press('Enter');
    await expect.poll(() => dismiss.count()).toBe(0);
    expect(await isFocused(chat.getByRole('textbox', { name: 'Message' }))).toBe(true);
  });
});

describe('the lines of the tree of sessions', () => {
  beforeAll(async () => {
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    await begin('read notes.txt');
    await expectRows(workbench.page, [/^read notes\.txt.*open/, 'help']);
  });

  test('say when, then how much, and have one icon at most', async () => {
    const { page } = workbench;
    await setSideBarWidth(page, 280);
    const row = sessionRow(page, 'read notes.txt');
    expect(await row.locator('.label-description').textContent()).toMatch(/^(now|\dm) · [\d.]+ kB · open$/);
    await row.hover();
    expect(await row.locator('.actions .action-item').count()).toBe(1);
    await screenshot(page, 'sessions-narrow');
  });

  test('take the keys of the line that has the focus, also when another one is selected', async () => {
    const { page } = workbench;
    await focusLine(1);
    await page.keyboard.press('F2');
    const box = quickInput(page).locator('input').first();
    await expect.poll(() => box.inputValue()).toBe('help');
    await typeAnswer(page, ICON);
    await expectRows(page, ['read notes.txt', ICON]);
    expect(await sessionRow(page, 'a title').locator('.monaco-icon-label .codicon-trash').count()).toBe(0);
    expect(await heading()).toBe('read notes.txt');
  });

  test('stay where they are when the first session is archived, which is found again when it is opened', async () => {
    const { page } = workbench;
    const before = await iconOf(sessionRow(page, 'read notes.txt'));
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Archive Session');
    await expectRows(page, ['read notes.txt', /^Archived1$/]);
    expect(await iconOf(sessionRow(page, 'read notes.txt'))).toBe(before);
    await runCommand(page, 'Open Session...');
    const picked = quickInput(page).getByRole('option', { name: /a title/ });
    expect(await picked.locator('.quick-input-list-label .codicon-trash').count()).toBe(0);
    await picked.click();
    await expectRows(page, ['read notes.txt', /^Archived1 · open$/, /a title.*open/]);
    await sessionRow(page, 'a title').and(page.locator('[aria-selected="true"]')).waitFor();
    await screenshot(page, 'sessions-archived');
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Take Session out of the Archive');
    await expectRows(page, ['read notes.txt', /a title.*open/]);
    await sessionRow(page, 'a title').and(page.locator('[aria-selected="true"]')).waitFor();
  });

  test('are deleted by their key, and a title makes no link in what is said of that', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'read notes.txt'), 'Rename Session...');
    await typeAnswer(page, LINK);
    await expectRows(page, [LINK, /a title/]);
    await focusLine(0);
    await page.keyboard.press('Delete');
    await expectRows(page, [/a title.*open/]);
    const said = toast('was deleted');
    expect((await said.textContent())?.replaceAll('\u2060', '')).toContain(LINK);
    expect(await said.locator('.notification-list-item-message a').count()).toBe(0);
    await screenshot(page, 'sessions-deleted-link');
    await button(said, 'Undo').click();
    await expect.poll(() => sessionRows(page).count()).toBe(2);
  });

  test('are all safe from Enter, pressed at once, when a session to delete is asked for', async () => {
    const { page } = workbench;
    await runCommand(page, 'Delete Session');
    await quickInput(page)
      .getByRole('option', { name: /a title/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await quickInput(page)
      .getByRole('option', { name: /a title/ })
      .waitFor();
    await screenshot(page, 'sessions-delete-picker');
    await page.keyboard.press('Escape');
    expect(await sessionRows(page).count()).toBe(2);
  });

  test('say where an export is, and open it', async () => {
    const { page } = workbench;
    const id = await sessionWith(workbench.vscode, 'a fixed script');
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Export Session...');
    await quickInput(page)
      .getByRole('option', { name: /^Log as it is/ })
      .click();
    await quickInput(page).getByRole('button', { name: 'OK' }).waitFor();
    await page.keyboard.press('Enter');
    const file = path.join(workspace, `${id}.jsonl`);
    const said = toast(`The session was exported to ${file}.`);
    await button(said, 'Reveal').waitFor();
    await screenshot(page, 'sessions-exported');
    await button(said, 'Open').click();
    await until({
      what: 'the export in an editor',
      probe: async () =>
        (await page.locator('.tab', { hasText: `${id}.jsonl` }).count()) > 0 ? true : undefined,
    });
    await access(file);
  });
});
