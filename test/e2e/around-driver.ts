import type { Locator, Page } from 'playwright-core';
import {
  COMMANDS_KEY,
  FILES_KEY,
  quickInputBox,
  quickInputRows,
  takeFromQuickInput,
  typeInQuickInput,
} from './harness/index.ts';

/** What the tests of all that is around the chat do and see in the workbench. */

export function statusItem(page: Page): Locator {
  return page.locator('.statusbar').getByRole('button', { name: /^Ledgerline: / });
}

/** What the status bar says, once it says this. */
export async function statusSays(page: Page, words: string): Promise<Locator> {
  const item = statusItem(page).filter({ hasText: words });
  await item.waitFor();
  return item;
}

/** Whether the palette offers a command now. */
export async function isOffered(page: Page, title: string): Promise<boolean> {
  const rows = quickInputRows(page);
  const label = rows.filter({ has: page.getByText(`Ledgerline: ${title}`, { exact: true }) });
  // The palette always answers: with commands, or with the line that there are none.
  await typeInQuickInput(page, { key: COMMANDS_KEY, words: `>Ledgerline: ${title}`, line: rows });
  const offered = (await label.count()) > 0;
  await page.keyboard.press('Escape');
  await quickInputBox(page).waitFor({ state: 'hidden' });
  return offered;
}

export async function openFile(page: Page, name: string): Promise<void> {
  await takeFromQuickInput(page, { key: FILES_KEY, words: name, label: name });
  await page.getByRole('tab', { name, selected: true }).waitFor();
  await page.locator('.editor-instance .view-line').first().click();
}

/** The page of the chat; a walkthrough has pages, too. */
export function chatPage(page: Page): Locator {
  return page.locator('iframe.webview[src*="extensionId=ledgerline.ledgerline"]');
}

export async function hideChat(page: Page): Promise<void> {
  await page
    .getByRole('tab', { name: /^Explorer/ })
    .first()
    .click();
  await chatPage(page).waitFor({ state: 'hidden' });
}
