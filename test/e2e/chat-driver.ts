import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { until, type VsCode } from './harness/index.ts';

/** What the tests of the chat do and see, by the names that people and screen readers know. */

const ACTIVITY_BAR_PX = 48;

const workspaces: string[] = [];

export async function newWorkspace(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-workspace-'));
  workspaces.push(folder);
  await writeFile(path.join(folder, 'notes.txt'), 'first line\nsecond line\n');
  return folder;
}

export async function removeWorkspaces(): Promise<void> {
  for (const folder of workspaces.splice(0)) await rm(folder, { recursive: true, force: true });
}

export async function send(chat: Frame, text: string): Promise<void> {
  await chat.getByRole('textbox', { name: 'Message' }).fill(text);
  await chat.getByRole('button', { name: 'Send' }).click();
}

export function turns(chat: Frame): Locator {
  return chat.getByRole('log', { name: 'Conversation' }).getByRole('article');
}

export function lastTurn(chat: Frame): Locator {
  return turns(chat).last();
}

/** The last turn, once it is in that state. */
export async function turnIn(chat: Frame, state: string): Promise<Locator> {
  const turn = turns(chat)
    .last()
    .and(chat.locator(`[data-state="${state}"]`));
  await turn.waitFor();
  return turn;
}

export type LoggedEvent = {
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
};

/** The events of the only session that has a log. */
export async function loggedEvents(vscode: VsCode): Promise<readonly LoggedEvent[]> {
  const folder = path.join(await vscode.storageDir(), 'sessions');
  const file = await until({
    what: `a log in ${folder}`,
    probe: async () => (await readdir(folder)).find((name) => name.endsWith('.jsonl')),
  });
  const text = await readFile(path.join(folder, file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LoggedEvent);
}

/** Runs a command as a person does. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  const box = page.locator('.quick-input-widget input').first();
  await box.fill(`>Ledgerline: ${title}`);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: title }).waitFor();
  await page.keyboard.press('Enter');
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
  const box = await sideBar.boundingBox();
  if (box === null) throw new Error('the side bar is not in view');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, y);
  await page.mouse.down();
  await page.mouse.move(ACTIVITY_BAR_PX + width, y, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(ACTIVITY_BAR_PX + width + 100, y);
  await until({
    what: `a side bar of ${width} px`,
    probe: async () => {
      const now = await sideBar.boundingBox();
      return now !== null && Math.abs(now.width - width) <= 1 ? true : undefined;
    },
  });
}
