import type { Locator } from 'playwright-core';
import { button } from './cards.ts';

/** What a turn did, as it is read and used below the turn. */

/** The facts of a turn, opened. */
export async function evidence(turn: Locator): Promise<Locator> {
  const line = evidenceLine(turn);
  if ((await line.getAttribute('aria-expanded')) !== 'true') await line.click();
  const details = turn.locator('.evidence-details');
  await details.waitFor();
  return details;
}

/** Their one line. */
export function evidenceLine(turn: Locator): Locator {
  return turn.locator('.evidence > .disclosure');
}

/** What is behind the button of a file, or of all of them, in view. */
export async function more(details: Locator, of: string): Promise<void> {
  const opener = button(details, `More for ${of}`);
  if ((await opener.getAttribute('aria-expanded')) !== 'true') await opener.click();
}

/** The files that are as they were before the turn. */
export function undone(details: Locator): Locator {
  return details.locator('.fact[data-standing="undone"]');
}
