import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/browser/until.ts';
import { clicked } from './menus.ts';

/** A notification that is in view. */
export function toast(page: Page, words: string): Locator {
  return page.locator('.notifications-toasts .notification-toast', { hasText: words });
}

/**
 * Takes a button of a notification that has come or comes. It goes out of view by itself after some seconds, which may
 * be over on a busy machine; a person looks among all of them then.
 */
export async function answerToast(page: Page, words: string, name: string): Promise<void> {
  await toast(page, words).waitFor();
  const listed = page.locator('.notifications-center .notification-list-item', { hasText: words });
  const button = toast(page, words).or(listed).getByRole('button', { name, exact: true }).first();
  await until({
    what: `${name} in the notification "${words}"`,
    probe: async () => {
      if (await button.isVisible()) return (await clicked(button)) || undefined;
      await page.locator('[id="status.notifications"]').click();
      return undefined;
    },
  });
}

/** Until a notification that has come is out of the way. */
export async function clearToast(page: Page, words: string): Promise<void> {
  const said = toast(page, words);
  await said.waitFor();
  await until({
    what: `no more "${words}"`,
    probe: async () => {
      const box = (await said.count()) === 0 ? null : await said.boundingBox();
      if (box === null) return true;
      // Its button is there for as long as it is pointed at.
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await clicked(said.getByRole('button', { name: /^Clear Notification/ }));
      return undefined;
    },
  });
}
