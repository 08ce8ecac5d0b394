import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { runCommand } from './workbench-driver.ts';
import { appears, chooseFromOpened, chooseFromQuickInput, until, type VsCode } from './harness/index.ts';

/** What the tests of diagnostics do and see. */

/** One that is followed late is never taken for one that is not: a second click would meet what stands there by then. */
const LINK_MS = 8000;

export async function openDiagnostics(page: Page): Promise<Locator> {
  const pane = diagnosticsPane(page);
  const header = pane.locator('.pane-header');
  await header.waitFor();
  if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
  return pane;
}

export function diagnosticsPane(page: Page): Locator {
  return page.locator('.pane', { has: page.locator('.pane-header[aria-label^="Diagnostics"]') });
}

/** A line of the tree, by what a screen reader says of it. */
export function row(page: Page, name: RegExp): Locator {
  return diagnosticsPane(page).getByRole('treeitem', { name });
}

export async function rowNames(page: Page): Promise<readonly string[]> {
  const rows = diagnosticsPane(page).getByRole('treeitem');
  return rows.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
}

export async function expand(line: Locator): Promise<void> {
  await line.waitFor();
  if ((await line.getAttribute('aria-expanded')) !== 'true') await line.click();
}

export async function inlineAction(line: Locator, name: string): Promise<void> {
  await line.hover();
  await line.getByRole('button', { name }).click();
}

export async function menuAction(page: Page, line: Locator, name: string): Promise<void> {
  const entry = page.locator('.monaco-menu').getByRole('menuitem', { name });
  await chooseFromOpened(page, { open: () => line.click({ button: 'right' }), entry });
}

/** Waits until the status bar says that this line is selected. */
export async function lineSelected(page: Page, line: number): Promise<void> {
  await selectionOf(page, line).waitFor();
}

function selectionOf(page: Page, line: number): Locator {
  const hasText = new RegExp(`^Ln ${line}, Col \\d+ \\(\\d+ selected\\)$`);
  return page.locator('[id="status.editor.selection"]', { hasText });
}

/**
 * What is said of a line of a tree, asked for by keys: words over a line that is pointed at depend on how long a pointer
 * rests. One that is drawn anew takes them with it.
 */
export async function hoverWith(page: Page, line: Locator, words: string): Promise<string> {
  const hover = page.locator('.monaco-hover', { hasText: words });
  await until({
    what: `${words} in what is said of a line`,
    timeoutMs: 30_000,
    probe: async (patience) => {
      if (await hover.isVisible()) return true;
      await focusByKeys(page, line);
      await page.keyboard.press('Control+K');
      await page.keyboard.press('Control+I');
      return appears(hover, patience);
    },
  });
  const said = (await hover.textContent()) ?? '';
  await page.keyboard.press('Escape');
  await hover.waitFor({ state: 'hidden' });
  return said;
}

async function focusByKeys(page: Page, line: Locator): Promise<void> {
  await line.locator('xpath=ancestor::*[@role="tree"][1]').focus();
  await page.keyboard.press('Home');
  await until({
    what: 'the line that has the focus',
    probe: async () => {
      if (((await line.getAttribute('class')) ?? '').split(' ').includes('focused')) return true;
      await page.keyboard.press('ArrowDown');
      return undefined;
    },
  });
}

/**
 * Follows a link of an editor to a line of the log. By place: while Control is down the editor draws the link under the
 * pointer anew, so there is no element that would stay to be clicked.
 */
export async function followLink(page: Page, link: Locator, line: number): Promise<void> {
  await follow(page, link, { what: `line ${line}`, reached: selectionOf(page, line) });
}

/** Follows a link of an editor to a document that has these words. */
export async function followLinkTo(page: Page, link: Locator, words: string): Promise<void> {
  await follow(page, link, { what: words, reached: page.locator('.view-line', { hasText: words }) });
}

async function follow(
  page: Page,
  link: Locator,
  { what, reached }: { readonly what: string; readonly reached: Locator },
): Promise<void> {
  await until({
    what: `${what}, where the link leads`,
    timeoutMs: 60_000,
    probe: async () => {
      // The document that it leads to may have come late, in the place of the one with the link.
      if (await reached.isVisible()) return true;
      // The editor finds its links a moment after it has the text.
      const box = (await link.count()) === 0 ? null : await link.boundingBox();
      if (box === null) return undefined;
      await page.keyboard.down('Control');
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await page.keyboard.up('Control');
      return appears(reached, LINK_MS);
    },
  });
}

/** Makes the tree taller, at the cost of the chat: once it stands still, because it opens with a motion. */
export async function raiseDiagnostics(page: Page, by: number): Promise<void> {
  const header = diagnosticsPane(page).locator('.pane-header');
  let last = -1;
  const top = await until({
    what: 'a tree that stands still',
    probe: async () => {
      const y = (await header.boundingBox())?.y ?? -1;
      const still = y === last && y > 0;
      last = y;
      return still ? y : undefined;
    },
  });
  await page.mouse.move(200, top);
  await page.mouse.down();
  await page.mouse.move(200, top - by, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(800, top - by);
  await until({
    what: 'a taller tree',
    probe: async () => (((await header.boundingBox())?.y ?? top) < top - by / 2 ? true : undefined),
  });
}

/** The text that the active editor shows, as far as it is in view. */
export async function shownText(page: Page): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.editor-group-container.active .view-lines .view-line')]
      .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent ?? '' }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text.replaceAll('\u00A0', ' '))
      .join('\n'),
  );
}

export async function isShown(page: Page, part: string): Promise<boolean> {
  return (await shownText(page)).includes(part);
}

/** Shown once the active editor has it. */
export async function textWith(page: Page, part: string): Promise<string> {
  return until({
    what: `an editor with ${part}`,
    probe: async () => {
      const text = await shownText(page);
      return text.includes(part) ? text : undefined;
    },
  });
}

export async function writeSession(vscode: VsCode, id: string, lines: readonly string[]): Promise<void> {
  const folder = path.join(await vscode.storageDir(), 'sessions');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${id}.jsonl`), lines.map((line) => `${line}\n`).join(''));
}

export async function openSession(page: Page, title: string): Promise<void> {
  await chooseFromQuickInput(page, { open: () => runCommand(page, 'Open Session...'), hasText: title });
}
