import type { Locator, Page } from 'playwright-core';

/** A page that lost the keyboard still has its active element. */
export async function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate(
    (node) => node.ownerDocument.hasFocus() && node.ownerDocument.activeElement === node,
  );
}

export async function tabBackTo(page: Page, element: Locator): Promise<void> {
  for (let steps = 0; steps < 20; steps += 1) {
    if (await isFocused(element)) return;
    await page.keyboard.press('Shift+Tab');
  }
  throw new Error('twenty steps back do not lead there');
}
