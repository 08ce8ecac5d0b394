import type { Locator, Page } from 'playwright-core';
import { appears, until } from './until.ts';

const PATIENCE_MS = 3000;

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
    probe: async () => {
      if (!(await page.locator('.monaco-menu').first().isVisible())) await open();
      return appears(entry, PATIENCE_MS);
    },
  });
}
