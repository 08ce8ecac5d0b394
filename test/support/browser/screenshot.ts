import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { folderOfDisk } from '../scratch-folder.ts';

/** @returns the file, in the folder named by LEDGERLINE_SHOTS or else in the folder for temporary files */
export async function screenshot(page: Page, name: string): Promise<string> {
  const folder = process.env['LEDGERLINE_SHOTS'] ?? path.join(folderOfDisk(), 'ledgerline-shots');
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
  await page.screenshot({ path: file });
  return file;
}
