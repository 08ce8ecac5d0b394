import type { Locator, Page } from 'playwright-core';
import { until } from './harness/index.ts';

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
  await page.keyboard.press('F1');
  const box = page.locator('.quick-input-widget input').first();
  await box.fill(`>Ledgerline: ${title}`);
  const rows = page.locator('.quick-input-list .monaco-list-row');
  const label = rows.filter({ has: page.getByText(`Ledgerline: ${title}`, { exact: true }) });
  // The palette always answers: with commands, or with the line that there are none.
  await rows.first().waitFor();
  const offered = (await label.count()) > 0;
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'hidden' });
  return offered;
}

export async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+P');
  const box = page.locator('.quick-input-widget input').first();
  await box.fill(name);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name, selected: true }).waitFor();
  await page.locator('.editor-instance .view-line').first().click();
}

export async function hideChat(page: Page): Promise<void> {
  await page
    .getByRole('tab', { name: /^Explorer/ })
    .first()
    .click();
  await page.locator('iframe.webview').waitFor({ state: 'hidden' });
}

/** The workbench writes down what it shows every few seconds; a reload before that would bring the chat back. */
export async function hiddenIsRemembered(page: Page): Promise<void> {
  await hideChat(page);
  await until({
    what: 'the Explorer as what the workbench will show',
    probe: async () =>
      (await page.evaluate(rememberedSideBars)).includes('workbench.view.explorer') ? true : undefined,
  });
}

/** In the page: the side bars that the databases of the workbench hold. */
async function rememberedSideBars(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (name?.startsWith('vscode-web-state-db-') !== true) continue;
    const opening = indexedDB.open(name);
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(opening.error ?? new Error(name)));
    });
    const reading = database
      .transaction('ItemTable')
      .objectStore('ItemTable')
      .get('workbench.sidebar.activeviewletid');
    await new Promise((resolve) => {
      reading.addEventListener('success', resolve);
    });
    found.push(reading.result);
    database.close();
  }
  return found;
}
