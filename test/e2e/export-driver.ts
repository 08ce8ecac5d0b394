import type { Page } from 'playwright-core';
import { runCommand } from './workbench-driver.ts';
import { disappears, inTime, until } from './harness/index.ts';
import { quickInput, typeAnswer } from './sessions-driver.ts';

/** What the tests do to export and import, as people do, in the language of the window. */

/** VS Code's own dialog, with the name that was proposed. */
export async function acceptProposedName(page: Page): Promise<void> {
  await quickInput(page).getByRole('button', { name: 'OK' }).waitFor();
  await page.keyboard.press('Enter');
}

export async function importFile(
  page: Page,
  file: string,
  words: { readonly command: string; readonly button: string },
): Promise<void> {
  await runCommand(page, words.command);
  const take = quickInput(page).getByRole('button', { name: words.button });
  await take.waitFor();
  // The dialog writes its folder into the field when it has read it, also over what was typed meanwhile.
  await until({
    what: 'the dialog to take the file',
    probe: async (patience) => {
      // One that takes it late has no field left to type into.
      await inTime(() => typeAnswer(page, file, patience));
      return disappears(take, patience);
    },
  });
}
