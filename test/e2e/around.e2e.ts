import { execFile } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events, HANG, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import {
  button,
  cards,
  isFocused,
  lastTurn,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setApiKey,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import {
  callIsRemembered,
  hideChat,
  isOffered,
  openFile,
  reloadHidden,
  statusItem,
  statusSays,
} from './around-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  appears,
  chatFrame,
  chooseFrom,
  COMMANDS_KEY,
  leaveWorkbench,
  openLedgerline,
  openMenu,
  screenshot,
  takeFromQuickInput,
  until,
} from './harness/index.ts';

/** Everything around the chat, in one window that goes on from test to test. */

const KEY = 'sk-around-0123456789';
const ECHO = { call_id: 'call_1', name: 'run_command', args: { command: 'echo hi', timeout_s: null } };
const PROMPT = 'Say the unusual word quixotry.';

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
  folder = await newWorkspace();
  await writeFile(path.join(folder, 'broken.json'), '{ "a": oops }\n');
  await git('git', ['init', '-q', folder]);
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  await git('git', ['-C', folder, 'add', '.']);
  await git('git', ['-C', folder, ...identity, 'commit', '-q', '-m', 'Begin']);
  chat = await workbench.open({
    workspace: folder,
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'git.enabled': true,
    },
  });
  await setApiKey(workbench.page, KEY);
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

test('before the first message the palette offers only what applies', async () => {
  const { page } = workbench;
  expect(await isOffered(page, 'New Session')).toBe(true);
  expect(await isOffered(page, 'Stop')).toBe(false);
  expect(await isOffered(page, 'Take Over Session')).toBe(false);
  expect(await isOffered(page, 'Open Log')).toBe(false);
  expect(await isOffered(page, 'Go to Pending Decision')).toBe(false);
  expect(await isOffered(page, 'Fix Problem')).toBe(false);
  expect(await statusItem(page).count()).toBe(0);
});

test('the status bar says what runs, the palette offers Stop, and its key stops', async () => {
  const { page } = workbench;
  replies.push(stream([events(responseEvents({ text: 'x' }).slice(0, 2)), HANG]));
  await send(chat, PROMPT);
  await turnIn(chat, 'running');
  const item = await statusSays(page, 'Working: ');
  await screenshot(page, 'around-running');
  expect(await item.getAttribute('aria-label')).toContain(PROMPT);
  expect(await isOffered(page, 'Stop')).toBe(true);
  await message().focus();
  // The key counts once the host has heard where the keyboard is.
  await until({
    what: 'the end of the turn',
    probe: async () => {
      await page.keyboard.press('Control+Escape');
      return (await lastTurn(chat).getAttribute('data-state')) === 'interrupted' ? true : undefined;
    },
  });
  await turnIn(chat, 'interrupted');
  await statusSays(page, 'Response interrupted');
  expect(await isOffered(page, 'Stop')).toBe(false);
});

test('a notification on a hidden view leads to the card', async () => {
  const { page } = workbench;
  let release: (() => void) | undefined;
  const rest = new Promise<void>((resolve) => {
    release = resolve;
  });
  const call = responseEvents({ calls: [ECHO] });
  replies.push(stream([events(call.slice(0, 1)), wait(rest), events(call.slice(1))]));
  await send(chat, 'Run echo.');
  await turnIn(chat, 'running');
  await hideChat(page);
  release?.();
  const toast = page.locator('.notification-toast', { hasText: 'Ledgerline needs you: 1 approval.' });
  await toast.waitFor();
  await statusSays(page, 'Needs you: 1 approval');
  await screenshot(page, 'around-needs-you');
  expect(await page.locator('.notification-toast').count()).toBe(1);
  await toast.getByRole('button', { name: 'Show' }).click();
  chat = await chatFrame(page);
  await waitingCards(chat, 1);
  await until({
    what: 'the keyboard on the card',
    probe: async () => ((await isFocused(button(cards(chat), 'Approve'))) ? true : undefined),
  });
});

test('one key goes to the decision from an editor', async () => {
  const { page } = workbench;
  await openFile(page, 'notes.txt');
  await expect.poll(() => isFocused(button(cards(chat), 'Approve'))).toBe(false);
  await page.keyboard.press('Control+Alt+Enter');
  await expect.poll(() => isFocused(button(cards(chat), 'Approve'))).toBe(true);
});

test('and the decision that is made there is seen in the status bar', async () => {
  replies.push(streamOf(responseEvents({ text: 'It said hi.' })));
  await button(cards(chat), 'Approve').click();
  await turnIn(chat, 'completed');
  await statusSays(workbench.page, 'Completed');
  await screenshot(workbench.page, 'around-completed');
});

test('Explain in the context menu puts the selection into the composer, and sends nothing', async () => {
  const { page } = workbench;
  const prompts = async (): Promise<number> =>
    (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'user_message').length;
  const before = await prompts();
  await openFile(page, 'notes.txt');
  await page.keyboard.press('Control+A');
  const menu = page.locator('.monaco-menu');
  const ours = menu.getByRole('menuitem', { name: 'Ledgerline' });
  const line = page.locator('.editor-instance .view-line').first();
  await openMenu(page, { open: () => line.click({ button: 'right' }), entry: ours });
  await ours.hover();
  const explain = menu.getByRole('menuitem', { name: 'Explain' });
  await explain.waitFor();
  await screenshot(page, 'around-editor-menu');
  await chooseFrom(explain);
  await until({
    what: 'the prepared words',
    probe: async () => ((await message().inputValue()) === 'Explain notes.txt:1-2.' ? true : undefined),
  });
  expect(await prompts()).toBe(before);
  await message().fill('');
});

test('a problem offers to be fixed', async () => {
  const { page } = workbench;
  await openFile(page, 'broken.json');
  await page.locator('.squiggly-error').first().waitFor();
  await page.locator('.editor-instance .view-line').first().getByText('oops').click();
  const fix = page.locator('.action-widget').getByText('Fix with Ledgerline');
  // What fixes a problem is asked of every extension, and one may not have answered yet.
  await until({
    what: 'the fix among the actions',
    probe: async () => {
      if (await fix.isVisible()) return true;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+.');
      return appears(fix, 2000);
    },
  });
  await screenshot(page, 'around-quick-fix');
  await fix.click();
  await until({
    what: 'the prepared words',
    probe: async () =>
      (await message().inputValue()).startsWith('Fix this problem in broken.json:1:\n- ') ? true : undefined,
  });
  await message().fill('');
});

test('a commit message comes from a turn of its own, and the conversation stays', async () => {
  const { page } = workbench;
  await writeFile(path.join(folder, 'notes.txt'), 'first line\nthird line\n');
  const title = await chat.getByRole('heading', { level: 1 }).textContent();
  replies.push(streamOf(responseEvents({ text: 'Say third instead of second' })));
  await page
    .getByRole('tab', { name: /^Source Control/ })
    .first()
    .click();
  const write = page.getByRole('button', { name: 'Write Commit Message' });
  await write.waitFor();
  await screenshot(page, 'around-scm');
  await write.click();
  const input = page.locator('.scm-editor .view-lines');
  await input.filter({ hasText: 'Say third instead of second' }).waitFor();
  chat = await openLedgerline(page, workbench.vscode);
  await chat.getByRole('heading', { level: 1, name: title ?? '' }).waitFor();
  const prompts = (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'user_message');
  expect(JSON.stringify(prompts.map(({ data }) => data.attachments))).toContain('+third line');
});

test('the output of a terminal can be asked about', async () => {
  const { page } = workbench;
  const words = '>Terminal: Create New Terminal';
  await takeFromQuickInput(page, { key: COMMANDS_KEY, words, label: 'Create New Terminal' });
  const terminal = page.locator('.terminal-wrapper.active .xterm');
  await terminal.waitFor();
  // The shell integration marks the first prompt when it is there.
  await page.locator('.terminal-command-decoration').first().waitFor();
  await terminal.click();
  await page.keyboard.type('echo one-$((1+1))-three');
  await page.keyboard.press('Enter');
  // And the next one when the command has ended.
  await page.locator('.terminal-command-decoration').nth(1).waitFor();
  await message().fill('');
  await runCommand(page, 'Ask about Terminal Output');
  await screenshot(page, 'around-terminal');
  await until({
    what: 'the prepared words',
    probe: async () => ((await message().inputValue()) === 'What does this output mean?' ? true : undefined),
  });
});

test('the walkthrough opens, with its five steps', async () => {
  const { page } = workbench;
  await runCommand(page, 'Open Walkthrough');
  await page.getByText('Get Started with Ledgerline').first().waitFor();
  const steps = page.locator('.getting-started-step');
  await steps.first().waitFor();
  await expect.poll(() => steps.count()).toBe(5);
  await page.keyboard.press('Control+B');
  await steps.filter({ hasText: 'Approve an edit' }).click();
  await page.getByRole('button', { name: 'Go to Pending Decision' }).waitFor();
  await screenshot(page, 'around-walkthrough');
  await page.keyboard.press('Control+B');
  await runCommand(page, 'Diagnose Session');
  await page.locator('.view-lines', { hasText: '# Diagnosis' }).waitFor();
  await page.getByRole('tab', { name: /^Welcome/ }).click();
  await steps.filter({ hasText: 'Look at the evidence' }).locator('.codicon.complete').waitFor();
});

test('the log channel has neither a prompt nor the key', async () => {
  const logs = path.join(workbench.vscode.dataDir, 'data', 'logs');
  const texts: string[] = [];
  for await (const file of glob('**/*edgerline*.log', { cwd: logs }))
    texts.push(await readFile(path.join(logs, file), 'utf8'));
  const text = texts.join('\n');
  expect(text).toMatch(/turn \S+: completed/);
  expect(text).not.toContain('quixotry');
  expect(text).not.toContain(KEY);
});

/** With the key anew: the browser keeps no secrets over a reload, as desktop VS Code does. */
async function approve(): Promise<void> {
  const { page } = workbench;
  await statusItem(page).click();
  chat = await chatFrame(page);
  await waitingCards(chat, 1);
  await setApiKey(page, KEY);
  replies.push(streamOf(responseEvents({ text: 'It said hi.' })));
  await button(cards(chat), 'Approve').click();
  await turnIn(chat, 'completed');
}

/** Who turns away sooner is called at once, in the same window. */
async function longerThanAGlance(): Promise<void> {
  const began = Date.now();
  const isOver = (): true | undefined => (Date.now() - began > 2500 ? true : undefined);
  await until({ what: 'a look that is longer than a glance', probe: async () => isOver() });
}

test('what was only seen is called for after a reload with the view hidden, and only once', async () => {
  const { page } = workbench;
  chat = await openLedgerline(page, workbench.vscode);
  replies.push(streamOf(responseEvents({ calls: [ECHO] })));
  await send(chat, 'Run echo again.');
  await waitingCards(chat, 1);
  await statusSays(page, 'Needs you: 1 approval');
  expect(await page.locator('.notification-toast').count()).toBe(0);
  await longerThanAGlance();
  await reloadHidden(page, workbench.vscode);
  const toast = page.locator('.notification-toast', { hasText: 'Ledgerline needs you: 1 approval.' });
  await toast.waitFor();
  expect(await page.locator('.notification-toast').count()).toBe(1);
  await callIsRemembered(page, workbench.vscode);
  await leaveWorkbench(page, workbench.vscode);
  await page.goto(workbench.vscode.url);
  // By now the session is open: a notification would have come with what the status bar shows.
  await statusSays(page, 'Needs you: 1 approval');
  expect(await toast.count()).toBe(0);
  await approve();
});
