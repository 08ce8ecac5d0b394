import type { Locator, Page } from 'playwright-core';
import { loggedEvents } from '../support/browser/log-record.ts';
import {
  COMMANDS_KEY,
  FILES_KEY,
  quickInputBox,
  quickInputRows,
  returnToWorkbench,
  takeFromQuickInput,
  typeInQuickInput,
  until,
  type VsCode,
} from './harness/index.ts';
import { memoryOf, remembers } from './sessions-driver.ts';

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

/** Of these commands, those that the palette offers now. */
export async function offered(page: Page, titles: readonly string[]): Promise<readonly string[]> {
  const all = await offeredCommands(page);
  return titles.filter((title) => all.includes(title));
}

/** Our commands that the palette offers now. */
async function offeredCommands(page: Page): Promise<readonly string[]> {
  const rows = quickInputRows(page);
  const found = new Map<number, string>();
  await typeInQuickInput(page, { key: COMMANDS_KEY, words: '>Ledgerline: ', line: rows });
  await until({
    what: 'all lines of the palette',
    probe: async () => {
      const drawn = await rows.evaluateAll((all) =>
        all.map((row) => ({
          at: Number(row.getAttribute('data-index')),
          of: Number(row.getAttribute('aria-setsize')),
          label: row.querySelector('.label-name')?.textContent ?? '',
        })),
      );
      for (const { at, label } of drawn) found.set(at, label);
      if (drawn.length > 0 && found.size >= (drawn[0]?.of ?? 0)) return true;
      await page.keyboard.press('PageDown');
      return undefined;
    },
  });
  await page.keyboard.press('Escape');
  await quickInputBox(page).waitFor({ state: 'hidden' });
  return [...found.values()].flatMap((label) => /^Ledgerline: (.+)$/u.exec(label)?.[1] ?? []);
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

/** Reloads with another view in the place of the chat, once the workbench would come back with that one. */
export async function reloadHidden(page: Page, vscode: VsCode): Promise<void> {
  await hideChat(page);
  await until({
    what: 'the view that the workbench comes back with',
    probe: async () => {
      const shown = (await memoryOf(page)).find(({ key }) => key === 'workbench.sidebar.activeviewletid');
      // That it is the explorer is not written down: nothing is.
      return shown === undefined ? true : undefined;
    },
  });
  await returnToWorkbench(page, vscode);
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
