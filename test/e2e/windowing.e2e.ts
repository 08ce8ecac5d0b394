import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeIn } from '../bench/place.ts';
import { benchSession } from '../bench/rounds.ts';
import { button, isFocused, newWorkspace, send, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { leaveWorkbench, openLedgerline, until } from './harness/index.ts';
import { placeKept, remembers } from './sessions-driver.ts';

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
  const session = await onlySession(await vscode.storageDir());
  await until({
    what: 'the session to be remembered',
    probe: async () => ((await remembers(page, `"ledgerline.lastSession":"${session}"`)) ? true : undefined),
  });
  await leaveWorkbench(page, vscode);
  await grow(await vscode.storageDir(), session);
  await page.goto(vscode.url);
  chat = await openLedgerline(page, vscode);
  await turnIn(chat, 'completed');
});

afterAll(workbench.close);

async function onlySession(storage: string): Promise<string> {
  const names = await readdir(path.join(storage, 'sessions'));
  const [log = ''] = names.filter((name) => name.endsWith('.jsonl'));
  return log.replace(/\.jsonl$/, '');
}

/** Goes on with the session that the window had, which nobody else has open. */
async function grow(storage: string, id: string): Promise<void> {
  const session = await benchSession(storeIn(storage), id);
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
      lines: document.querySelectorAll('.turn > :not(h2)').length,
      canGoBack: [...log.querySelectorAll('.more')].some((one) => one.textContent === 'Show earlier'),
      fromEnd: log.scrollHeight - log.scrollTop - log.clientHeight,
    };
  });
}

/** Scrolls to near an edge, waits until more is there, and tells how far what was being read has moved by that. */
async function readOn(direction: 'back' | 'forward'): Promise<number | null> {
  return chat.evaluate(async (where) => {
    const log = document.querySelector('.log');
    if (log === null) throw new Error('no conversation');
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this runs in the page
    const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);
    const edge = (): Element | null | undefined =>
      where === 'back'
        ? log.querySelector('.turn > :not(h2)')
        : [...log.querySelectorAll('.turn > :not(h2)')].at(-2);
    const before = edge();
    log.scrollTop = where === 'back' ? 200 : log.scrollHeight - log.clientHeight - 200;
    await frame();
    const top = log.getBoundingClientRect().top;
    const read = [...log.querySelectorAll('.turn > :not(h2)')].find(
      (one) => one.getBoundingClientRect().bottom > top + 100,
    );
    const at = read?.getBoundingClientRect().top ?? 0;
    const deadline = performance.now() + 10_000;
    while (edge() === before && performance.now() < deadline) await frame();
    if (edge() === before) return null;
    await frame();
    return read?.isConnected === true ? Math.abs(read.getBoundingClientRect().top - at) : Infinity;
  }, direction);
}

test('a long session shows its end, and holds no more than that', async () => {
  const { lines, canGoBack, fromEnd } = await view();
  expect(lines).toBeLessThan(MOST_LINES);
  expect(canGoBack).toBe(true);
  expect(fromEnd).toBeLessThan(2);
});

test(
  'reading back loads what comes before by itself, moves nothing, and stays bounded',
  { timeout: 180_000 },
  async () => {
    for (let screens = 0; (await view()).canGoBack; screens += 1) {
      expect(screens).toBeLessThan(30);
      expect(await readOn('back')).toBeLessThan(2);
      expect((await view()).lines).toBeLessThan(MOST_LINES);
    }
    await chat.getByText(FIRST_PROMPT).first().waitFor();
  },
);

test('reading forward again moves nothing either, and one press leads to the end', async () => {
  for (let screens = 0; screens < 3; screens += 1) expect(await readOn('forward')).toBeLessThan(2);
  expect((await view()).lines).toBeLessThan(MOST_LINES);
  await button(chat, 'Jump to latest').click();
  await until({ what: 'the end', probe: async () => ((await view()).fromEnd < 2 ? true : undefined) });
  await expect.poll(() => isFocused(chat.getByRole('log', { name: 'Conversation' }))).toBe(true);
  await turnIn(chat, 'completed');
});

test('earlier items are one press away for who does not scroll', async () => {
  const earlier = button(chat, 'Show earlier');
  const first = await chat.locator('.turn > :not(h2)').first().innerText();
  await earlier.focus();
  await earlier.press('Enter');
  await until({
    what: 'earlier items',
    probe: async () =>
      (await chat.locator('.turn > :not(h2)').first().innerText()) === first ? undefined : true,
  });
  await expect.poll(() => chat.evaluate(() => document.activeElement === document.body)).toBe(false);
});

test('a window that is loaded again shows what was being read', async () => {
  while ((await chat.getByRole('button', { name: 'Jump to latest' }).count()) === 0) await readOn('back');
  await chat.getByRole('log', { name: 'Conversation' }).evaluate((log) => log.scrollBy(0, 40));
  const before = await placeKept(workbench.page, chat);
  chat = await workbench.reload();
  // By the same line: with fractions of a pixel, the one above it may be the first in view by now.
  const distance = (): Promise<number> =>
    chat.evaluate(({ seq, offset }) => {
      const line = document.querySelector(`.turn > [data-seq="${seq}"]`);
      const top = document.querySelector('.log')?.getBoundingClientRect().top ?? 0;
      return line === null ? Infinity : Math.abs(line.getBoundingClientRect().top - top - offset);
    }, before);
  await expect.poll(distance).toBeLessThan(3);
});

test('what is sent is at the end, wherever the reader was', async () => {
  while ((await chat.getByRole('button', { name: 'Jump to latest' }).count()) === 0) await readOn('back');
  await chat.getByRole('textbox', { name: 'Message' }).fill('hello again');
  await button(chat, 'Send').click();
  await chat.locator('.turn .prompt', { hasText: 'hello again' }).waitFor();
  await turnIn(chat, 'completed');
  expect((await view()).fromEnd).toBeLessThan(30);
});
