import type { Locator, Page } from 'playwright-core';
import { appears, until } from '../../support/browser/until.ts';
import { clicked } from './menus.ts';

/** After this it is looked for among all of them, where later ones do not come into view by themselves. */
const COMING_MS = 5000;

const CENTER = '.notifications-center';

/** A notification that is in view. */
export function toast(page: Page, words: string): Locator {
  return page.locator('.notifications-toasts .notification-toast', { hasText: words });
}

/** All with these words, in view or listed. */
export function notifications(page: Page, words: string): Locator {
  return toast(page, words).or(page.locator(`${CENTER} .notification-list-item`, { hasText: words }));
}

/**
 * A notification that has come or comes, wherever it is. It goes out of view by itself after some seconds, which may be
 * over on a busy machine, and does not come into view when three others came within the same second, as on a quick one.
 * A person looks among all of them then.
 */
export async function notification(page: Page, words: string): Promise<Locator> {
  const center = page.locator(CENTER);
  const found = notifications(page, words).first();
  await until({
    what: `the notification "${words}"`,
    timeoutMs: 60_000,
    probe: async () => {
      if (await appears(found, COMING_MS)) return true;
      // Once they are all shown, one more click would hide them again.
      if (!(await center.isVisible())) await clicked(page.locator('[id="status.notifications"]'));
      return undefined;
    },
  });
  return found;
}

/** Takes a button of a notification that has come or comes. */
export async function answerToast(page: Page, words: string, name: string): Promise<void> {
  await until({
    what: `${name} in the notification "${words}"`,
    timeoutMs: 60_000,
    probe: async () => {
      const button = (await notification(page, words)).getByRole('button', { name, exact: true });
      return (await clicked(button)) || undefined;
    },
  });
}

/** Clears a notification that has come. Its button is drawn for as long as one points at it, so it is pressed unseen. */
export async function clearToast(page: Page, words: string): Promise<void> {
  const said = await notification(page, words);
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
