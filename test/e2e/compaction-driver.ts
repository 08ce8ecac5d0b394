import type { Page } from 'playwright-core';

export * from '../support/browser/compaction-driver.ts';

/** The tab that is in front, by its name. */
export async function tabInFront(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, selected: true }).waitFor();
}
