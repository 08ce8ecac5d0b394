import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIAGNOSTICS_VIEW, SESSIONS_VIEW } from '../../src/host/contribution-ids.ts';
import { send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { ManyChildren, SEND_ALL } from '../support/many-children.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { treeLines } from './bridge/trees.ts';
import { chatPage } from './chat-page.ts';

/** As many children as may run at once, each of which streams. */

const MANY = 64;

const view = chatPage();
const children = new ManyChildren(MANY);
let chat: Frame;
let server: ResponsesServer;

beforeAll(async () => {
  server = await startResponsesServer({ handler: children.reply });
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.subagents.maxRunning': MANY,
    },
    apiKey: 'sk-test',
  });
});

afterAll(async () => {
  children.release();
  await server?.close();
});

/** The lines of a tree outside of the chat. */
function linesOf(tree: string): Promise<readonly string[]> {
  return treeLines(view.window.vscode.trees.get(tree));
}

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

// It waits twice for up to a minute.
test(
  '64 children at work are one list, and the page takes what is typed meanwhile',
  { timeout: 120_000 },
  async () => {
    await send(chat, SEND_ALL);
    await expect.poll(states, { timeout: 60_000 }).toEqual({ running: MANY });
    await expect.poll(() => children.streaming, { timeout: 60_000 }).toBe(MANY);
    children.beat();
    const list = chat.locator('.agent-list');
    await list.getByText(`${MANY} agents: ${MANY} working`).waitFor();
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.click();
    await view.page.keyboard.type('while they work');
    expect(await message.inputValue()).toBe('while they work');
    await list.locator('.agent').last().scrollIntoViewIfNeeded();
    await expect
      .poll(() => linesOf(DIAGNOSTICS_VIEW))
      .toContainEqual(expect.stringMatching(/^Send them all, Working/u));
    expect(await states()).toEqual({ running: MANY });
  },
);

test('they all end as completed, everywhere, and are not called out one by one', async () => {
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
  await expect
    .poll(() => linesOf(DIAGNOSTICS_VIEW))
    .toContainEqual(expect.stringMatching(/^Send them all, Completed/u));
  const each = Array.from({ length: MANY }, () => expect.stringMatching(/^Look at part \d+, Completed/u));
  await expect
    .poll(() => linesOf(SESSIONS_VIEW))
    .toEqual([expect.stringMatching(new RegExp(`^Send them all, Completed, ${MANY} agents`, 'u')), ...each]);
  const said = await chat.evaluate(() => (globalThis as unknown as { said: string[] }).said);
  expect(said.filter((words) => words !== '').length).toBeLessThan(MANY / 2);
});
