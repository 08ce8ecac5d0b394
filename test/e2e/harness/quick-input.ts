import type { Locator, Page } from 'playwright-core';
import { appears, disappears, inTime, until } from '../../support/browser/until.ts';
import { clicked } from './menus.ts';

export const COMMANDS_KEY = 'F1';
export const FILES_KEY = 'Control+P';

export function quickInputBox(page: Page): Locator {
  return page.locator('.quick-input-widget input').first();
}

export function quickInputRows(page: Page): Locator {
  return page.locator('.quick-input-list .monaco-list-row');
}

/**
 * Opens the quick input and types, until a line is there for it. A part of the window that takes the focus late
 * closes it again; a person presses the key once more then.
 */
export async function typeInQuickInput(
  page: Page,
  { key, words, line }: { readonly key: string; readonly words: string; readonly line: Locator },
): Promise<void> {
  const box = quickInputBox(page);
  await until({
    what: `"${words}" in the quick input`,
    probe: async (patience) => {
      if (!(await box.isVisible())) await page.keyboard.press(key);
      const isThere = await inTime(async () => {
        await box.fill(words, { timeout: patience });
        await line.first().waitFor({ timeout: patience });
      });
      // What applies now is looked up when it opens, and the same words again would change nothing.
      if (isThere !== true && (await box.isVisible()))
        await inTime(() => box.press('Escape', { timeout: patience }));
      return isThere;
    },
  });
}

/** Types, and takes the line that VS Code proposes for it. */
export async function takeFromQuickInput(
  page: Page,
  { key, words, label }: { readonly key: string; readonly words: string; readonly label: string },
): Promise<void> {
  const line = page.locator('.quick-input-list .monaco-list-row.focused', { hasText: label });
  await typeInQuickInput(page, { key, words, line });
  // In the box, whatever took the keyboard meanwhile.
  await quickInputBox(page).press('Enter');
}

/**
 * Opens a list and takes a line of it, also where a part of the window that took the focus late has closed it before it
 * could be clicked.
 */
export async function chooseFromQuickInput(
  page: Page,
  { open, hasText }: { readonly open: () => Promise<void>; readonly hasText: string | RegExp },
): Promise<void> {
  const line = quickInputRows(page).filter({ hasText });
  let landed = false;
  await until({
    what: `${String(hasText)} to be chosen from a list`,
    timeoutMs: 60_000,
    probe: async (patience) => {
      // A list that is closed still has its lines, out of sight.
      if (await line.first().isVisible()) {
        landed = (await clicked(line.first())) || landed;
        if (landed) await disappears(line.first(), patience);
      } else if (landed) return true;
      else {
        await open();
        await appears(line.first(), patience);
      }
      return undefined;
    },
  });
}
