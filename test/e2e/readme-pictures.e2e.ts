import { cp, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import {
  button,
  cards,
  newWorkspace,
  pointAway,
  send,
  setSideBarWidth,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot } from './harness/index.ts';

/**
 * The scenes that the README shows: the offline model fixes the bug of the sample workspace. They run in every test
 * run, and write the pictures into the repository only when LEDGERLINE_README_SHOTS is set (`npm run pictures`).
 */

const LARGEST_BYTES = 60 * 1024;
/** The editor beside it has nothing to say. */
const SIDE_BAR = { x: 0, y: 36, width: 490, height: 604 };

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  const folder = await newWorkspace();
  await cp(projectPath('test', 'sample-workspace'), folder, { recursive: true });
  chat = await workbench.open(
    { workspace: folder, settings: { 'ledgerline.provider': 'offline', 'editor.minimap.enabled': false } },
    { width: 1000, height: 640 },
  );
  await setSideBarWidth(workbench.page, 440);
});

afterAll(workbench.close);

async function picture(name: string): Promise<void> {
  const { page } = workbench;
  if (process.env['LEDGERLINE_README_SHOTS'] === undefined) {
    await screenshot(page, `readme-${name}`);
    return;
  }
  const folder = projectPath('media', 'screenshots');
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${name}.png`);
  await page.screenshot({ path: file, clip: SIDE_BAR });
  expect((await stat(file)).size).toBeLessThan(LARGEST_BYTES);
}

test('a command waits for approval, then an edit does, with its diff', async () => {
  await send(chat, 'fix');
  await waitingCards(chat, 1);
  await button(cards(chat), 'Approve').click();
  await cards(chat).getByText('Edit').first().waitFor();
  await waitingCards(chat, 1);
  await pointAway(chat);
  await picture('approval');
});

test('a completed turn shows what was done', async () => {
  await button(cards(chat), 'Approve').click();
  await cards(chat).getByText('Run').first().waitFor();
  await waitingCards(chat, 1);
  await pointAway(chat);
  await button(cards(chat), 'Approve').click();
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.evidence > .disclosure').click();
  await turn.locator('.evidence-details').scrollIntoViewIfNeeded();
  await picture('completed');
});
