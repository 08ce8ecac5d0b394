import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { chooseFromOpened, openMenu, until, type VsCode } from './harness/index.ts';
import { lineAtTop, type ScrollPlace } from '../support/browser/scroll-place.ts';

/** What the tests do with the tree of sessions, as people do. */

export function sessionsPane(page: Page): Locator {
  return page.locator('.pane').filter({ has: page.locator('.pane-header[aria-label^="Sessions"]') });
}

function sessionsHeader(page: Page): Locator {
  return page.locator('.pane-header[aria-label^="Sessions"]');
}

export async function showSessions(page: Page): Promise<void> {
  const header = sessionsHeader(page);
  await header.waitFor();
  if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
}

export async function hideSessions(page: Page): Promise<void> {
  await sessionsHeader(page).click();
  await sessionsHeader(page).and(page.locator('[aria-expanded="false"]')).waitFor();
}

export function sessionRows(page: Page): Locator {
  return sessionsPane(page).getByRole('treeitem');
}

export function sessionRow(page: Page, title: string | RegExp): Locator {
  return sessionRows(page).filter({ hasText: title });
}

/** The titles of the tree, once they are these. */
export async function expectRows(page: Page, titles: readonly (string | RegExp)[]): Promise<void> {
  let seen: readonly string[] = [];
  const fits = (): boolean =>
    seen.length === titles.length &&
    titles.every((title, at) => {
      const row = seen[at] ?? '';
      return typeof title === 'string' ? row.startsWith(title) : title.test(row);
    });
  try {
    await until({
      what: 'the rows',
      probe: async () => {
        seen = await sessionRows(page).evaluateAll((rows) =>
          rows
            .map((row) => ({ at: Number(row.getAttribute('data-index')), text: row.textContent ?? '' }))
            .sort((a, b) => a.at - b.at)
            .map(({ text }) => text),
        );
        return fits() ? true : undefined;
      },
    });
  } catch (error) {
    throw new Error(`the tree has ${JSON.stringify(seen)}, not ${titles.join(', ')}`, { cause: error });
  }
}

/** By the keyboard: a click would open the session, and the chat would take the keyboard. */
export async function focusLine(page: Page, index: number): Promise<void> {
  await sessionsPane(page).locator('.monaco-list').focus();
  await page.keyboard.press('Home');
  for (let line = 0; line < index; line += 1) await page.keyboard.press('ArrowDown');
  await sessionRows(page).nth(index).and(page.locator('.focused')).waitFor();
}

/** Chooses from the menu of a row. */
export async function chooseFromMenu(page: Page, row: Locator, entry: string): Promise<void> {
  // By its words alone: its name has its key as well.
  const item = page
    .locator('.monaco-menu')
    .getByRole('menuitem')
    .filter({ has: page.getByText(entry, { exact: true }) });
  await chooseFromOpened(page, { open: () => row.click({ button: 'right' }), entry: item });
}

/** What the menu of the chat offers. */
export async function menuOfChat(page: Page): Promise<readonly string[]> {
  const header = page.locator('.pane-header', { hasText: 'Chat' });
  const entries = page.locator('.monaco-menu [role="menuitem"]');
  await openMenu(page, {
    open: async () => {
      await header.hover();
      await header.locator('.codicon-toolbar-more').click();
    },
    entry: entries.filter({ hasText: 'Open Walkthrough' }),
  });
  const labels = await entries.allTextContents();
  await page.keyboard.press('Escape');
  await entries.first().waitFor({ state: 'detached' });
  return labels.map((label) => label.trim());
}

export function quickInput(page: Page): Locator {
  return page.locator('.quick-input-widget');
}

export async function typeAnswer(page: Page, text: string, timeout?: number): Promise<void> {
  const within = timeout === undefined ? {} : { timeout };
  const box = quickInput(page).locator('input').first();
  await box.waitFor(within);
  await box.fill(text, within);
  await box.press('Enter', within);
}

export async function logPathOf(vscode: VsCode, session: string): Promise<string> {
  return path.join(await vscode.storageDir(), 'sessions', `${session}.jsonl`);
}

/** The id of the session whose log has these words. */
export async function sessionWith(vscode: VsCode, words: string): Promise<string> {
  const folder = path.join(await vscode.storageDir(), 'sessions');
  for (const name of await readdir(folder)) {
    if (!/^ses_\w+\.jsonl$/.test(name) || name === 'ses_damaged.jsonl') continue;
    if ((await readFile(path.join(folder, name), 'utf8')).includes(words))
      return name.slice(0, -'.jsonl'.length);
  }
  throw new Error(`no log has ${words}`);
}

/** A long log made of one short one: its turns again and again, each under names of its own. */
export async function repeatLog(
  vscode: VsCode,
  from: string,
  options: { readonly to: string; readonly times: number; readonly say: (turn: number) => string },
): Promise<void> {
  const lines = (await readFile(await logPathOf(vscode, from), 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  let seq = 0;
  let text = '';
  for (let turn = 0; turn < options.times; turn += 1) {
    for (const event of events) {
      const data = { ...event.data };
      if (typeof data['turn_id'] === 'string') data['turn_id'] = `turn_${turn}`;
      if (typeof data['client_turn_id'] === 'string') data['client_turn_id'] = `client_${turn}`;
      if (event.type === 'user_message') data['text'] = options.say(turn);
      if (turn > 0 && event.type === 'session_started') continue;
      const head = { ...event, id: `event_${seq}`, session_id: options.to, seq };
      text += `${JSON.stringify({ ...head, data })}\n`;
      seq += 1;
    }
  }
  await writeFile(await logPathOf(vscode, options.to), text);
}

/** Whether the browser has words on its disk: what a window remembers is written a moment later. */
export async function remembers(page: Page, words: string): Promise<boolean> {
  return (await memoryOf(page)).some(({ text }) => text.includes(words));
}

/** What a window would come back with. */
export async function memoryOf(
  page: Page,
): Promise<readonly { readonly key: string; readonly text: string }[]> {
  return page.evaluate(async () => {
    const found: { key: string; text: string }[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open(name);
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(new Error(`no ${name}`)));
      });
      for (const store of database.objectStoreNames)
        await new Promise<void>((resolve, reject) => {
          const request = database.transaction(store).objectStore(store).openCursor();
          request.addEventListener('error', () => reject(new Error(`no ${store}`)));
          request.addEventListener('success', () => {
            const cursor = request.result;
            if (cursor === null) return resolve();
            const [key, text]: readonly unknown[] = [cursor.key, cursor.value];
            if (typeof key === 'string' && typeof text === 'string') found.push({ key, text });
            cursor.continue();
          });
        });
      database.close();
    }
    return found;
  });
}

/** Until the window would come back to what is at the top now. */
export async function placeKept(page: Page, chat: Frame): Promise<ScrollPlace> {
  return until({
    what: 'the place to be kept',
    probe: async () => {
      const line = await lineAtTop(chat);
      if (line === null) return undefined;
      return (await remembers(page, `"seq":${line.seq},"offset":${line.offset},`)) ? line : undefined;
    },
  });
}
