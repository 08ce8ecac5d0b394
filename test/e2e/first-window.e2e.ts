import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOffered } from './around-driver.ts';
import { button, cards, newWorkspace, runCommand, send, turnIn, waitingCards } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot, until } from './harness/index.ts';

/** A window in which nothing has been done yet. */

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open({
    workspace: await newWorkspace({}),
    settings: { 'ledgerline.provider': 'offline' },
  });
});

afterAll(workbench.close);

async function offered(titles: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const title of titles) if (await isOffered(workbench.page, title)) found.push(title);
  return found;
}

/** What the palette offers of these, once it is this. */
async function offersOnly(titles: readonly string[], expected: readonly string[]): Promise<void> {
  await expect.poll(() => offered(titles), { timeout: 20_000 }).toEqual(expected);
}

function toast(words: string): Locator {
  return workbench.page.locator('.notification-toast', { hasText: words });
}

async function dismissed(words: string): Promise<void> {
  const { page } = workbench;
  await toast(words).waitFor();
  const clear = toast(words).getByRole('button', { name: /^Clear Notification/ });
  await until({
    what: `no more "${words}"`,
    probe: async () => {
      if (!(await toast(words).isVisible())) return true;
      // On a busy machine it may go by itself before it is clicked.
      await clear.click({ timeout: 3000 }).catch(() => undefined);
      return undefined;
    },
  });
  await page.mouse.move(0, 0);
}

test('an empty conversation is read from its top, however little room it has', async () => {
  const { page } = workbench;
  const heading = chat.getByRole('heading', { name: 'Every step is on record' });
  await heading.waitFor();
  const before = page.viewportSize();
  await page.setViewportSize({ width: before?.width ?? 1280, height: 330 });
  const log = chat.getByRole('log', { name: 'Conversation' });
  await until({
    what: 'too little room for all of it',
    probe: async () =>
      (await log.evaluate((element) => element.scrollHeight > element.clientHeight + 40)) ? true : undefined,
  });
  await runCommand(page, 'New Session');
  await heading.waitFor();
  await screenshot(page, 'first-window-short');
  expect(await log.evaluate((element) => element.scrollTop)).toBe(0);
  if (before !== null) await page.setViewportSize(before);
});

const ABOUT_SESSIONS = [
  'Rename Session...',
  'Pin Session',
  'Unpin Session',
  'Archive Session',
  'Take Session out of the Archive',
  'Delete Session',
  'Copy Session Id',
  'Restore Deleted Session...',
];
const ABOUT_THIS = ['Undo Changes of the Last Turn', 'Diagnose Session', 'Use Offline Model'];

test('the palette offers nothing for sessions that are not there', async () => {
  await offersOnly([...ABOUT_SESSIONS, ...ABOUT_THIS, 'Run Workflow...'], ['Run Workflow...']);
});

test('the walkthrough says where there is nothing to see yet, and does not tick it off', async () => {
  const { page } = workbench;
  await runCommand(page, 'Open Walkthrough');
  const step = (title: string): Locator => page.locator('.getting-started-step', { hasText: title });
  await step('Approve an edit').click();
  await page.getByRole('button', { name: 'Go to Pending Decision' }).click();
  await dismissed('Nothing waits for you.');
  await step('Look at the evidence').click();
  await page.getByRole('button', { name: 'Diagnose Session' }).click();
  await dismissed('This session has no log yet.');
  await screenshot(page, 'first-window-walkthrough');
  expect(await step('Look at the evidence').locator('.codicon.complete').count()).toBe(0);
});

test('after a turn without edits there is a session to pin and nothing to undo', async () => {
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  await offersOnly(
    [...ABOUT_SESSIONS, ...ABOUT_THIS],
    [
      'Rename Session...',
      'Pin Session',
      'Archive Session',
      'Delete Session',
      'Copy Session Id',
      'Diagnose Session',
    ],
  );
});

test('an edit can be undone until it is undone', async () => {
  await send(chat, 'write note.txt: hello');
  await waitingCards(chat, 1);
  await button(cards(chat), 'Approve').click();
  await turnIn(chat, 'completed');
  await offersOnly(['Undo Changes of the Last Turn'], ['Undo Changes of the Last Turn']);
  await runCommand(workbench.page, 'Undo Changes of the Last Turn');
  await offersOnly(['Undo Changes of the Last Turn'], []);
});
