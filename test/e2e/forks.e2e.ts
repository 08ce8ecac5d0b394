import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import {
  button,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
  turns,
  type LoggedEvent,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openDiagnostics, row } from './diagnostics-driver.ts';
import { chooseFromOpened, inEachTheme, screenshot, until } from './harness/index.ts';
import { quickInput, sessionRow, sessionRows, showSessions } from './sessions-driver.ts';

/** Forks as a person makes them. One test goes on where the last ended. */

const workbench = chatWindow();
let chat: Frame;
let server: ResponsesServer;
let asked = 0;

beforeAll(async () => {
  server = await startResponsesServer({
    handler: ({ body }) => {
      asked += 1;
      const last = JSON.stringify(body).lastIndexOf('read the notes');
      const isRead = last >= 0 && !JSON.stringify(body).slice(last).includes('function_call_output');
      const call = { call_id: `call_${asked}`, name: 'read_file', args: { path: 'notes.txt' } };
      return streamOf(responseEvents(isRead ? { calls: [call] } : { text: `Answer number ${asked}.` }));
    },
  });
  const settings = { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' };
  chat = await workbench.open({ workspace: await newWorkspace(), settings }, { width: 1100, height: 1000 });
  await setApiKey(workbench.page, 'sk-test');
  await setSideBarWidth(workbench.page, 300);
  for (const words of ['name a colour', 'read the notes', 'name a number']) {
    await send(chat, words);
    await turnIn(chat, 'completed');
  }
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function forkMark(): Locator {
  return chat.locator('.mark', { hasText: 'Forked from' });
}

async function forks(): Promise<readonly LoggedEvent[]> {
  return (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'session_fork');
}

function forkHere(): Locator {
  const menu = workbench.page.locator('.monaco-menu');
  return menu.getByRole('menuitem', { name: 'Fork from Here', exact: true });
}

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

async function back(): Promise<void> {
  await button(forkMark(), 'Open parent session').click();
  await turns(chat).nth(2).waitFor();
  await forkMark().waitFor({ state: 'detached' });
}

async function pick(name: RegExp): Promise<void> {
  await quickInput(workbench.page).getByRole('option', { name }).click();
}

test('a prompt is edited in a fork that ends before it: its words are in the composer, and nothing is sent', async () => {
  const { page } = workbench;
  const prompt = chat.locator('.prompt', { hasText: 'name a number' });
  await prompt.hover();
  await inEachTheme(
    page,
    async (theme) => {
      await prompt.hover();
      await screenshot(page, `fork-prompt-${theme}`);
    },
    chat,
  );
  const before = server.requests.length;
  await prompt.hover();
  await button(prompt, 'Edit').click();
  await forkMark().waitFor();
  await expect.poll(() => message().inputValue()).toBe('name a number');
  await expect.poll(() => turns(chat).count()).toBe(2);
  expect(server.requests.length).toBe(before);
  await message().fill('name an animal');
  await button(chat, 'Send').click();
  await turns(chat).nth(2).waitFor();
  await turnIn(chat, 'completed');
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect([body.includes('name an animal'), body.includes('name a number')]).toEqual([true, false]);
  await back();
});

test('the menu of a call forks after its result', async () => {
  const { page } = workbench;
  const line = chat.locator('.call').first();
  const entry = forkHere();
  await chooseFromOpened(page, {
    open: () => line.locator('.call-toggle').click({ button: 'right' }),
    entry,
  });
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(2);
  await turnIn(chat, 'interrupted');
  const made = (await forks()).at(-1);
  const events = await loggedEvents(workbench.vscode);
  const results = events.filter(({ type }) => type === 'tool_result').map(({ seq }) => seq);
  expect(results).toContain(made?.data.forked_to_seq);
  await back();
});

test('the menu of a call forks by keyboard alone, and without a mouse a prompt does, too', async () => {
  const { page } = workbench;
  const before = (await forks()).length;
  const reached = page.locator('.monaco-menu .action-item.focused', { hasText: /^Fork from Here$/ });
  await chat.locator('.call').first().locator('.call-toggle').focus();
  await page.keyboard.press('Shift+F10');
  await forkHere().waitFor();
  await until({
    what: 'the entry of the menu to be reached by the arrow',
    timeoutMs: 20_000,
    probe: async () => {
      if ((await reached.count()) > 0) return true;
      await page.keyboard.press('ArrowDown');
      return undefined;
    },
  });
  await screenshot(page, 'fork-menu-by-keyboard');
  await page.keyboard.press('Enter');
  await forkMark().waitFor();
  await chat.getByText('Forked from “name a colour”').waitFor();
  await expect.poll(() => turns(chat).count()).toBe(2);
  await button(forkMark(), 'Open parent session').focus();
  await page.keyboard.press('Enter');
  await turns(chat).nth(2).waitFor();
  await forkMark().waitFor({ state: 'detached' });
  const prompt = chat.locator('.prompt', { hasText: 'name a colour' });
  await button(prompt, 'Fork from here').focus();
  await page.keyboard.press('Enter');
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(1);
  await expect.poll(async () => (await forks()).length).toBe(before + 2);
  await back();
});

test('a turn of the diagnostics tree is forked at its end', async () => {
  const { page } = workbench;
  await openDiagnostics(page);
  const turn = row(page, /^name a colour/).and(page.locator('[aria-level="2"]'));
  await chooseFromOpened(page, { open: () => turn.click({ button: 'right' }), entry: forkHere() });
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(1);
  await turnIn(chat, 'completed');
  await back();
  await page.locator('.pane-header[aria-label^="Diagnostics"]').click();
});

test('the palette asks where, and takes a summary of what is left behind along to the model', async () => {
  const { page } = workbench;
  await runCommand(page, 'Fork Session');
  await quickInput(page)
    .getByRole('option', { name: /From the end/ })
    .waitFor();
  await screenshot(page, 'fork-where');
  await pick(/^name a colour/);
  await quickInput(page)
    .getByRole('option', { name: /Without a summary/ })
    .waitFor();
  await screenshot(page, 'fork-summary-question');
  await pick(/With a summary/);
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(1);
  const line = chat.getByText('What was left behind is summed up for the model');
  await line.click();
  await chat.getByText('Files that were changed there are still changed on disk').waitFor();
  await inEachTheme(page, async (theme) => void (await screenshot(page, `fork-left-behind-${theme}`)), chat);
  await send(chat, 'go on');
  await turnIn(chat, 'completed');
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect(body).toContain('[Ledgerline note: summary of the branch left behind]');
  expect(body).toContain('read the notes');
});

test('the tree shows forks under the session that they were made of', async () => {
  const { page } = workbench;
  await showSessions(page);
  const parent = sessionRows(page).first();
  await sessionRow(page, /6 forks/).waitFor();
  // As many as have room.
  await expect.poll(() => sessionRow(page, /· fork ·/).count()).toBeGreaterThan(3);
  expect(await parent.getAttribute('aria-level')).toBe('1');
  expect(
    await sessionRow(page, /· fork ·/)
      .first()
      .getAttribute('aria-level'),
  ).toBe('2');
  await inEachTheme(page, async (theme) => void (await screenshot(page, `fork-tree-${theme}`)), chat);
  expect(workbench.violations).toEqual([]);
});
