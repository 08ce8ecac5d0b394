import type { Locator, Page } from 'playwright-core';
import { appears, inTime, until } from '../../support/browser/until.ts';

/**
 * Opens a menu until an entry of it is there. A part of the window that takes the focus late, or a toolbar that is drawn
 * anew, closes it again; a person clicks once more then.
 */
export async function openMenu(
  page: Page,
  { open, entry }: { readonly open: () => Promise<void>; readonly entry: Locator },
): Promise<void> {
  await until({
    what: 'the entry of a menu',
    probe: async (patience) => {
      if (!(await page.locator('.monaco-menu').first().isVisible())) await open();
      return appears(entry, patience);
    },
  });
}

/** Long enough that one which lands is never taken for one that did not, also on a busy machine. */
const CLICK_MS = 8000;

/**
 * Opens a menu and chooses from it, also where it was closed by something else before it could be clicked: one that has
 * just opened takes no click yet, and one that took it is gone.
 */
export async function chooseFromOpened(
  page: Page,
  menu: { readonly open: () => Promise<void>; readonly entry: Locator },
): Promise<void> {
  let landed = false;
  await until({
    what: 'the entry of a menu to be chosen',
    timeoutMs: 30_000,
    probe: async () => {
      if ((await menu.entry.count()) > 0) landed = (await clicked(menu.entry)) || landed;
      else if (landed) return true;
      else await openMenu(page, menu);
      return undefined;
    },
  });
}

/** Whether a click has landed in time: what is about to go may be gone before. */
export async function clicked(item: Locator, timeout = CLICK_MS): Promise<boolean> {
  return (await inTime(() => item.click({ timeout }))) ?? false;
}
