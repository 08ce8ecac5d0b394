import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLACES } from '../../src/host/contribution-ids.ts';
import { storeIn } from '../bench/place.ts';
import { benchSession } from '../bench/rounds.ts';
import { button } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { lineAtTop, type ScrollPlace } from '../support/browser/scroll-place.ts';
import { message } from '../support/browser/composer-driver.ts';
import { until } from '../support/browser/until.ts';
import { chatPage } from './chat-page.ts';

const ITEMS = 3000;
/** Lines of the conversation that the page may hold: items that are shown, and never more than it keeps. */
const MOST_LINES = 900;
const FIRST_ANSWER = 'words from the very beginning';
const SESSION = 'ses_long';

let storage: string;
afterAll(() => rm(storage, { recursive: true, force: true }));
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  storage = await mkdtemp(path.join(tmpdir(), 'ledgerline-page-'));
  const session = await benchSession(storeIn(storage), SESSION);
  await session.turn(1, FIRST_ANSWER);
  while (session.events() < ITEMS) await session.turn(15);
  await session.close();
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
    storage,
  });
  await view.window.vscode.run('ledgerline.openSession', SESSION);
  await turnIn(chat, 'completed');
});

interface Shown {
  readonly lines: number;
  readonly canGoBack: boolean;
  readonly fromEnd: number;
}

async function shown(): Promise<Shown> {
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
  await expect.poll(async () => (await shown()).fromEnd).toBeLessThan(2);
  const { lines, canGoBack } = await shown();
  expect(lines).toBeLessThan(MOST_LINES);
  expect(canGoBack).toBe(true);
});

test('reading back loads what comes before by itself, moves nothing, and stays bounded', async () => {
  for (let screens = 0; (await shown()).canGoBack; screens += 1) {
    expect(screens).toBeLessThan(30);
    expect(await readOn('back')).toBeLessThan(2);
    expect((await shown()).lines).toBeLessThan(MOST_LINES);
  }
  await chat.getByText(FIRST_ANSWER).first().waitFor();
});

test('reading forward again moves nothing either, and one press leads to the end', async () => {
  for (let screens = 0; screens < 3; screens += 1) expect(await readOn('forward')).toBeLessThan(2);
  expect((await shown()).lines).toBeLessThan(MOST_LINES);
  await button(chat, 'Jump to latest').click();
  await expect.poll(async () => (await shown()).fromEnd).toBeLessThan(2);
  await expect.poll(() => isFocused(chat.getByRole('log', { name: 'Conversation' }))).toBe(true);
  await turnIn(chat, 'completed');
});

test('earlier items are one press away for who does not scroll', async () => {
  const earlier = button(chat, 'Show earlier');
  const first = await chat.locator('.turn > :not(h2)').first().innerText();
  await earlier.focus();
  await earlier.press('Enter');
  await expect.poll(() => chat.locator('.turn > :not(h2)').first().innerText()).not.toBe(first);
  await expect.poll(() => chat.evaluate(() => document.activeElement === document.body)).toBe(false);
});

/** What the window would come back to. */
function keptPlace(): ScrollPlace | undefined {
  const kept = view.window.vscode.state.workspaceState.get(PLACES);
  return new Map((kept ?? []) as readonly (readonly [string, ScrollPlace])[]).get(SESSION);
}

async function leaveTheEnd(): Promise<void> {
  while ((await button(chat, 'Jump to latest').count()) === 0) await readOn('back');
}

test('a window that is loaded again shows what was being read', async () => {
  await leaveTheEnd();
  await chat.getByRole('log', { name: 'Conversation' }).evaluate((log) => log.scrollBy(0, 40));
  const read = await until({
    what: 'the place to be kept',
    probe: async () => {
      const [kept, line] = [keptPlace(), await lineAtTop(chat)];
      return line !== null && kept?.seq === line.seq && kept.offset === line.offset ? line : undefined;
    },
  });
  chat = await view.reload();
  await expect
    .poll(() => lineAtTop(chat))
    .toEqual({
      seq: read.seq,
      offset: expect.toSatisfy((offset: number) => Math.abs(offset - read.offset) < 3),
    });
});

test('what is sent is at the end, wherever the reader was', async () => {
  await leaveTheEnd();
  await message(chat).fill('hello again');
  await button(chat, 'Send').click();
  await chat.locator('.turn .prompt', { hasText: 'hello again' }).waitFor();
  await turnIn(chat, 'completed');
  await expect.poll(async () => (await shown()).fromEnd).toBeLessThan(30);
});
