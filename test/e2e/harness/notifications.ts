import type { Locator, Page } from 'playwright-core';
import { appears, until } from '../../support/browser/until.ts';
import { clicked } from './menus.ts';

/** After this it is looked for among all of them, where later ones do not come into view by themselves. */
const COMING_MS = 5000;

/** A notification that is in view. */
export function toast(page: Page, words: string): Locator {
  return page.locator('.notifications-toasts .notification-toast', { hasText: words });
}

/**
 * Takes a button of a notification that has come or comes. It goes out of view by itself after some seconds, which may
 * be over on a busy machine; a person looks among all of them then.
 */
export async function answerToast(page: Page, words: string, name: string): Promise<void> {
  const center = page.locator('.notifications-center');
  const listed = center.locator('.notification-list-item', { hasText: words });
  const button = toast(page, words).or(listed).getByRole('button', { name, exact: true }).first();
  await until({
    what: `${name} in the notification "${words}"`,
    timeoutMs: 60_000,
    probe: async () => {
      if (await appears(button, COMING_MS)) return (await clicked(button)) || undefined;
      // Once they are all shown, one more click would hide them again.
      if (!(await center.isVisible())) await clicked(page.locator('[id="status.notifications"]'));
      return undefined;
    },
  });
}

/** Clears a notification that has come. Its button is drawn for as long as one points at it, so it is pressed unseen. */
export async function clearToast(page: Page, words: string): Promise<void> {
  const said = toast(page, words);
  await said.waitFor();
  await until({
    what: `no more "${words}"`,
    probe: async () => {
      if ((await said.count()) === 0) return true;
      await said
        .locator('.codicon-notifications-clear')
        .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
      return undefined;
    },
  });
}
