import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { loggedEvents, type LoggedEvent } from '../support/browser/log-record.ts';
import { send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import { chatPage } from './chat-page.ts';

/** Forks as a person makes them. One test goes on where the last ended. */

const view = chatPage();
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
  chat = await view.open({
    workspace: await newWorkspace(),
    apiKey: 'sk-test',
    settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
  });
  for (const words of ['name a colour', 'read the notes', 'name a number']) {
    await send(chat, words);
    await turnIn(chat, 'completed');
  }
});

afterAll(() => server?.close());

function forkMark(): Locator {
  return chat.locator('.mark', { hasText: 'Forked from' });
}

async function forks(): Promise<readonly LoggedEvent[]> {
  return (await loggedEvents(view)).filter(({ type }) => type === 'session_fork');
}

function prompt(words: string): Locator {
  return chat.locator('.prompt', { hasText: words });
}

function lastRequest(): string {
  return JSON.stringify(server.requests.at(-1)?.body);
}

/** What VS Code would hand to an entry of the menu of an element: what it says, and what those around it say. */
function placeOf(element: Locator): Promise<unknown> {
  return element.evaluate((from) => {
    const around: string[] = [];
    for (let one: Element | null = from; one !== null; one = one.parentElement)
      around.unshift(one.getAttribute('data-vscode-context') ?? '{}');
    return Object.assign({}, ...around.map((text) => JSON.parse(text) as object)) as unknown;
  });
}

async function back(): Promise<void> {
  const opener = button(forkMark(), 'Open parent session');
  await opener.focus();
  await view.page.keyboard.press('Enter');
  await turns(chat).nth(2).waitFor();
  await forkMark().waitFor({ state: 'detached' });
}

test('a prompt is edited in a fork that ends before it: its words are in the composer, and nothing is sent', async () => {
  const before = server.requests.length;
  const message = chat.getByRole('textbox', { name: 'Message' });
  await prompt('name a number').hover();
  await button(prompt('name a number'), 'Edit').click();
  await forkMark().waitFor();
  await chat.getByText('Forked from “name a colour”').waitFor();
  await expect.poll(() => message.inputValue()).toBe('name a number');
  await expect.poll(() => turns(chat).count()).toBe(2);
  expect(server.requests.length).toBe(before);
  await message.fill('name an animal');
  await button(chat, 'Send').click();
  await turns(chat).nth(2).waitFor();
  await turnIn(chat, 'completed');
  const body = lastRequest();
  expect([body.includes('name an animal'), body.includes('name a number')]).toEqual([true, false]);
  await back();
});

test('a call says to its menu where it ends, and the fork is made after its result', async () => {
  const place = await placeOf(chat.locator('.call').first().locator('.call-toggle'));
  expect(place).toMatchObject({ webviewSection: 'transcriptEntry' });
  await view.window.vscode.run('ledgerline.forkHere', place);
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(2);
  await turnIn(chat, 'interrupted');
  const made = (await forks()).at(-1);
  const events = await loggedEvents(view);
  const results = events.filter(({ type }) => type === 'tool_result').map(({ seq }) => seq);
  expect(results).toContain(made?.data['forked_to_seq']);
  await back();
});

test('a prompt forks by keyboard alone', async () => {
  const before = (await forks()).length;
  await button(prompt('name a colour'), 'Fork from here').focus();
  await view.page.keyboard.press('Enter');
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(1);
  expect(await forks()).toHaveLength(before + 1);
  await back();
});

test('a summary of what is left behind goes along to the model', async () => {
  const place = await placeOf(turns(chat).first().locator('[data-vscode-context]').last());
  await view.window.vscode.run('ledgerline.forkHereWithSummary', place);
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(1);
  await chat.getByText('What was left behind is summed up for the model').click();
  await chat.getByText('Files that were changed there are still changed on disk').waitFor();
  await send(chat, 'go on');
  await turnIn(chat, 'completed');
  expect(lastRequest()).toContain('[Ledgerline note: summary of the branch left behind]');
  expect(lastRequest()).toContain('read the notes');
  expect(view.violations).toEqual([]);
});
