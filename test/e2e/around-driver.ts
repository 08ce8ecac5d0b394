import type { Locator, Page } from 'playwright-core';
import { loggedEvents } from './chat-driver.ts';
import {
  COMMANDS_KEY,
  FILES_KEY,
  leaveWorkbench,
  quickInputBox,
  quickInputRows,
  takeFromQuickInput,
  typeInQuickInput,
  until,
  type VsCode,
} from './harness/index.ts';
import { remembers } from './sessions-driver.ts';

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

/** The workbench writes down what it shows every few seconds: one that comes back with the chat is reloaded again. */
export async function reloadHidden(page: Page, vscode: VsCode): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    await hideChat(page);
    await leaveWorkbench(page, vscode);
    await page.goto(vscode.url);
    await statusSays(page, 'Needs you: 1 approval');
    if ((await chatPage(page).count()) === 0) return;
  }
  throw new Error('the workbench always comes back with the chat');
}

/** Until the window would not call for what waits a second time. */
export async function callIsRemembered(page: Page, vscode: VsCode): Promise<void> {
  const waiting = (await loggedEvents(vscode)).findLast(({ data }) => data['suspension'] !== undefined);
  const id = /"id":"([^"]+)"/.exec(JSON.stringify(waiting?.data['suspension'] ?? null))?.[1];
  if (id === undefined) throw new Error('nothing waits');
  await until({
    what: 'what was called for to be remembered',
    probe: async () => ((await remembers(page, id)) ? true : undefined),
  });
}
