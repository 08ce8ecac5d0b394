import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManyChildren, SEND_ALL } from '../support/many-children.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { newWorkspace, send, setApiKey, setSideBarWidth, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openDiagnostics, row } from './diagnostics-driver.ts';
import { screenshot } from './harness/index.ts';
import { expectRows, showSessions } from './sessions-driver.ts';

/** As many children as may run at once, each of which streams, in the real window. */

const MANY = 64;

const workbench = chatWindow();
const children = new ManyChildren(MANY);
let chat: Frame;
let server: ResponsesServer;

beforeAll(async () => {
  server = await startResponsesServer({ handler: children.reply });
  chat = await workbench.open({
    workspace: await newWorkspace(),
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.subagents.maxRunning': MANY,
    },
  });
  await setApiKey(workbench.page, 'sk-test');
  await setSideBarWidth(workbench.page, 300);
});

afterAll(async () => {
  children.release();
  await workbench.close();
  await server?.close();
});

/** How many lines there are in each state. */
async function states(): Promise<Readonly<Record<string, number>>> {
  return chat.locator('.agent-rows .agent').evaluateAll((all) => {
    const counts: Record<string, number> = {};
    for (const one of all) {
      const state = one.getAttribute('data-state') ?? 'none';
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  });
}

test('64 children at work are one list, and the page takes what is typed meanwhile', async () => {
  const { page } = workbench;
  await send(chat, SEND_ALL);
  await expect.poll(states, { timeout: 60_000 }).toEqual({ running: MANY });
  await expect.poll(() => children.streaming, { timeout: 60_000 }).toBe(MANY);
  children.beat();
  const list = chat.locator('.agent-list');
  await list.getByText(`${MANY} agents: ${MANY} working`).waitFor();
  const message = chat.getByRole('textbox', { name: 'Message' });
  await message.click();
  await page.keyboard.type('while they work');
  expect(await message.inputValue()).toBe('while they work');
  await list.locator('.agent').last().scrollIntoViewIfNeeded();
  await openDiagnostics(page);
  await row(page, /^Send them all, Working/u)
    .first()
    .waitFor();
  await screenshot(page, 'many-agents-working');
  expect(await states()).toEqual({ running: MANY });
});

test('they all end as completed, everywhere, and are not called out one by one', async () => {
  const { page } = workbench;
  await chat.evaluate(() => {
    const region = document.querySelector('[role="status"]');
    const said: string[] = [];
    Object.assign(globalThis, { said });
    if (region === null) return;
    new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  children.release();
  await turnIn(chat, 'completed');
  await chat.locator('.agent-list').getByText(`${MANY} agents: ${MANY} completed`).click();
  await expect.poll(states).toEqual({ completed: MANY });
  expect(await chat.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('while they work');
  await row(page, /^Send them all, Completed/u)
    .first()
    .waitFor();
  await showSessions(page);
  await expectRows(page, [new RegExp(`^Send them all.*${MANY} agents`, 'u')]);
  await screenshot(page, 'many-agents-completed');
  const said = await chat.evaluate(() => (globalThis as unknown as { said: string[] }).said);
  expect(said.filter((words) => words !== '').length).toBeLessThan(MANY / 2);
});
