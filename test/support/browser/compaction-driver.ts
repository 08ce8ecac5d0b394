import type { Frame, Locator } from 'playwright-core';
import { until } from './until.ts';

/** What the tests of context and compaction do and see. */

/** The panel behind the meter, open. */
export async function openMeter(chat: Frame): Promise<Locator> {
  const panel = meterPanel(chat);
  if ((await panel.count()) === 0) await meterButton(chat).click();
  await panel.waitFor();
  return panel;
}

export function meterButton(chat: Frame): Locator {
  return chat.getByRole('button', { name: /^Context/u });
}

export function meterPanel(chat: Frame): Locator {
  return chat.getByRole('group', { name: 'Context window' });
}

export async function closeMeter(chat: Frame): Promise<void> {
  await meterButton(chat).press('Escape');
  await meterPanel(chat).waitFor({ state: 'detached' });
}

export async function meterSays(chat: Frame, percent: string): Promise<void> {
  await until({
    what: percent,
    probe: async () => ((await meterButton(chat).textContent()) === percent ? true : undefined),
  });
}

/** What is said of the window, by name. */
export async function meterFacts(panel: Locator): Promise<Readonly<Record<string, string>>> {
  return panel.evaluate((root) =>
    Object.fromEntries(
      [...root.querySelectorAll('dt')].map((name) => [
        name.textContent,
        name.nextElementSibling?.textContent ?? '',
      ]),
    ),
  );
}

/** What fills it, by name. */
export async function meterParts(panel: Locator): Promise<Readonly<Record<string, string>>> {
  return panel.evaluate((root) =>
    Object.fromEntries(
      [...root.querySelectorAll('.meter-parts li')].map((part) => [
        part.querySelector('.part-name')?.textContent ?? '',
        part.querySelector('.part-tokens')?.textContent ?? '',
      ]),
    ),
  );
}

/** The lines where history was compacted, in order. */
export function checkpoints(chat: Frame): Locator {
  return chat.locator('.checkpoint', { has: chat.getByRole('separator', { name: 'Checkpoint' }) });
}

/** In place, with what it says. */
export async function openedCheckpoint(line: Locator): Promise<Locator> {
  const head = line.getByRole('button', { name: /^History compacted/ });
  if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click();
  const details = line.locator('.evidence-details');
  await details.waitFor();
  return details;
}
