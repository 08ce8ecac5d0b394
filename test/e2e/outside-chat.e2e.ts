import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { openFile } from './around-driver.ts';
import {
  button,
  cards,
  isFocused,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setApiKey,
  turns,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { COMMANDS_KEY, openLedgerline, screenshot, takeFromQuickInput } from './harness/index.ts';
import { sessionRow, showSessions } from './sessions-driver.ts';

/** What is done with the chat from elsewhere: from Source Control, from an editor, from a terminal. */

const ECHO = { call_id: 'call_1', name: 'run_command', args: { command: 'echo hi', timeout_s: null } };
const DRAFT = 'half a thought';

const workbench = chatWindow();
const git = promisify(execFile);
let chat: Frame;
let server: ResponsesServer;
let folder: string;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  folder = await newWorkspace({ 'private/plan.txt': 'the old plan\n', '.env.local': 'TOKEN=1\n' });
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  await git('git', ['init', '-q', folder]);
  await git('git', ['-C', folder, 'add', '.']);
  await git('git', ['-C', folder, ...identity, 'commit', '-q', '-m', 'Begin']);
  chat = await workbench.open({
    workspace: folder,
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.permissions': { allow: [], ask: [], deny: ['read_file(private/**)'] },
      'git.enabled': true,
    },
  });
  await setApiKey(workbench.page, 'sk-outside-0123456789');
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

async function write(): Promise<void> {
  const { page } = workbench;
  await page
    .getByRole('tab', { name: /^Source Control/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Write Commit Message' }).click();
}

test('where no file may be sent, nothing is, and that is said', async () => {
  const { page } = workbench;
  await writeFile(path.join(folder, 'private', 'plan.txt'), 'the secret plan\n');
  await write();
  const words = 'All changes are in files that tools may not read, so there is nothing to send.';
  const toast = page.locator('.notification-toast', { hasText: words });
  await toast.waitFor();
  await toast.hover();
  await toast.getByRole('button', { name: /^Clear Notification/ }).click();
  expect(server.requests.length).toBe(0);
});

test('a commit message is of new files, too, has no tools, and leaves an empty chat as it is', async () => {
  const { page } = workbench;
  chat = await openLedgerline(page, workbench.vscode);
  await message().fill(DRAFT);
  await writeFile(path.join(folder, 'fresh.txt'), 'a fresh line\n');
  replies.push(
    streamOf(responseEvents({ calls: [ECHO] })),
    streamOf(responseEvents({ text: 'Add a fresh file' })),
  );
  await write();
  const input = page.locator('.scm-editor .view-lines');
  await input.filter({ hasText: 'Add a fresh file' }).waitFor();
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  expect(bodies.length).toBe(2);
  for (const body of bodies) {
    expect(body).toContain('+a fresh line');
    expect(body).not.toContain('secret plan');
    expect(body).toContain('"tools":[]');
  }
  expect(await page.locator('.notification-toast', { hasText: 'needs you' }).count()).toBe(0);
  const events = await loggedEvents(workbench.vscode);
  expect(events.filter(({ type }) => type === 'user_message').map(({ data }) => data.tools)).toEqual([
    'none',
  ]);
  expect(events.filter(({ type }) => type === 'tool_result').map(({ data }) => data.ok)).toEqual([false]);
  chat = await openLedgerline(page, workbench.vscode);
  await expect.poll(() => message().inputValue()).toBe(DRAFT);
  expect(await turns(chat).count()).toBe(0);
  await showSessions(page);
  await sessionRow(page, 'Commit message: Add a fresh file').waitFor();
  await screenshot(page, 'outside-commit');
});

test('asking about a file with secrets is refused at once, and the composer stays as it is', async () => {
  const { page } = workbench;
  await openFile(page, '.env.local');
  await page.keyboard.press('Control+A');
  await runCommand(page, 'Explain');
  const words = 'may hold secrets or belongs to version control, so it is not attached.';
  await page.locator('.notification-toast', { hasText: words }).waitFor();
  await screenshot(page, 'outside-secret');
  expect(await message().inputValue()).toBe(DRAFT);
});

test('one key goes to the decision from a terminal', async () => {
  const { page } = workbench;
  replies.push(streamOf(responseEvents({ calls: [ECHO] })));
  await send(chat, 'Run echo.');
  await waitingCards(chat, 1);
  const words = '>Terminal: Create New Terminal';
  await takeFromQuickInput(page, { key: COMMANDS_KEY, words, label: 'Create New Terminal' });
  const terminal = page.locator('.terminal-wrapper.active .xterm');
  await terminal.waitFor();
  await terminal.click();
  await expect
    .poll(() => isFocused(page.locator('.terminal-wrapper.active .xterm-helper-textarea')))
    .toBe(true);
  expect(await isFocused(button(cards(chat), 'Approve'))).toBe(false);
  await page.keyboard.press('Control+Alt+Enter');
  await expect.poll(() => isFocused(button(cards(chat), 'Approve'))).toBe(true);
});
