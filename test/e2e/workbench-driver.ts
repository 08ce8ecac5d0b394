import { type Frame, type Page } from 'playwright-core';
import { COMMANDS_KEY, openLedgerline, takeFromQuickInput, until, type VsCode } from './harness/index.ts';

/** What people do with the workbench around the chat. */

const ACTIVITY_BAR_PX = 48;

/** Runs a command as a person does. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await takeFromQuickInput(page, { key: COMMANDS_KEY, words: `>Ledgerline: ${title}`, label: title });
}

/** Gives a key as a person does. */
export async function setApiKey(page: Page, key: string): Promise<void> {
  await runCommand(page, 'Set API Key');
  const box = page.locator('.quick-input-widget input[type="password"]');
  await box.fill(key);
  await box.press('Enter');
  await box.waitFor({ state: 'hidden' });
}

export async function setSideBarWidth(page: Page, width: number): Promise<void> {
  const sideBar = page.locator('.part.sidebar');
  await until({
    what: `a side bar of ${width} px`,
    probe: async () => {
      const box = await sideBar.boundingBox();
      if (box === null) return undefined;
      if (Math.abs(box.width - width) <= 1) return true;
      // Its edge may have moved since it was looked for: then it is dragged once more.
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width, y);
      await page.mouse.down();
      await page.mouse.move(ACTIVITY_BAR_PX + width, y, { steps: 5 });
      await page.mouse.up();
      await page.mouse.move(ACTIVITY_BAR_PX + width + 100, y);
      return undefined;
    },
  });
}

/** Closes the view and opens it again, as a person does who looks at something else; the new page. */
export async function lookAway({
  page,
  vscode,
}: {
  readonly page: Page;
  readonly vscode: VsCode;
}): Promise<Frame> {
  await page
    .getByRole('tab', { name: /^Explorer/ })
    .first()
    .click();
  await page.locator('iframe.webview').waitFor({ state: 'hidden' });
  return openLedgerline(page, vscode);
}
