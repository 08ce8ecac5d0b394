import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeIn } from '../bench/place.ts';
import { benchSession } from '../bench/rounds.ts';
import { button, newWorkspace, send, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openLedgerline, until } from './harness/index.ts';

const ITEMS = 3000;
/** Lines of the conversation that the page may hold: items that are shown, and never more than it keeps. */
const MOST_LINES = 900;
const FIRST_PROMPT = 'hello from the very beginning';

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
  });
  await send(chat, FIRST_PROMPT);
  await turnIn(chat, 'completed');
  const { vscode, page } = workbench;
  await page.goto('about:blank');
  await until({
    what: 'the end of the extension host',
    probe: async () => ((await vscode.extensionHosts()).length === 0 ? true : undefined),
  });
  await grow(await vscode.storageDir());
  await page.goto(vscode.url);
  chat = await openLedgerline(page, vscode);
  await turnIn(chat, 'completed');
});

afterAll(workbench.close);

/** Goes on with the session that the window had, which nobody else has open. */
async function grow(storage: string): Promise<void> {
  const names = await readdir(path.join(storage, 'sessions'));
  const [log = ''] = names.filter((name) => name.endsWith('.jsonl'));
  const session = await benchSession(storeIn(storage), log.replace(/\.jsonl$/, ''));
  while (session.events() < ITEMS) await session.turn(15);
  await session.close();
}

interface View {
  readonly lines: number;
  readonly canGoBack: boolean;
  readonly fromEnd: number;
}

async function view(): Promise<View> {
  return chat.evaluate(() => {
    const log = document.querySelector('.log');
    if (log === null) throw new Error('no conversation');
    return {
      lines: document.querySelectorAll('.turn > *').length,
      canGoBack: [...log.querySelectorAll('.more')].some((one) => one.textContent === 'Show earlier'),
      fromEnd: log.scrollHeight - log.scrollTop - log.clientHeight,
    };
  });
}

test('a long session shows its end, and holds no more than that', async () => {
  const { lines, canGoBack, fromEnd } = await view();
  expect(lines).toBeLessThan(MOST_LINES);
  expect(canGoBack).toBe(true);
  expect(fromEnd).toBeLessThan(2);
});

test('earlier items are one press away for who does not scroll', async () => {
  const earlier = button(chat, 'Show earlier');
  const first = await chat.locator('.turn > *').first().innerText();
  await earlier.focus();
  await earlier.press('Enter');
  await until({
    what: 'earlier items',
    probe: async () => ((await chat.locator('.turn > *').first().innerText()) === first ? undefined : true),
  });
  expect(await chat.evaluate(() => document.activeElement === document.body)).toBe(false);
});
