import { execFile } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { events, HANG, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import {
  callIsRemembered,
  hideChat,
  offered,
  openFile,
  reloadHidden,
  statusItem,
  statusSays,
} from './around-driver.ts';
import { button, cards, waitingCards } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { setApiKey } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  answerToast,
  appears,
  chatFrame,
  chooseFromOpened,
  clearToast,
  COMMANDS_KEY,
  openLedgerline,
  openMenu,
  takeFromQuickInput,
  toast,
  until,
  notification,
  notifications,
} from './harness/index.ts';
import { sessionRow, showSessions } from './sessions-driver.ts';

/** Everything around the chat, in one window that goes on from test to test and is reloaded at the end. */

const KEY = 'sk-around-0123456789';
const ECHO = { call_id: 'call_1', name: 'run_command', args: { command: 'echo hi', timeout_s: null } };
const PROMPT = 'Say the unusual word quixotry.';
const NEEDS_YOU = 'Ledgerline needs you: 1 approval.';

const server = scriptedServer();
const workbench = chatWindow();
const git = promisify(execFile);
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({
    'broken.json': '{ "a": oops }\n',
    'private/plan.txt': 'the old plan\n',
  });
  await git('git', ['init', '-q', folder]);
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  await git('git', ['-C', folder, 'add', '.']);
  await git('git', ['-C', folder, ...identity, 'commit', '-q', '-m', 'Begin']);
  chat = await workbench.open({
    workspace: folder,
    settings: {
      ...server.settings,
      'ledgerline.permissions': { allow: [], ask: [], deny: ['read_file(private/**)'] },
      'git.enabled': true,
    },
  });
  await setApiKey(workbench.page, KEY);
});

afterAll(workbench.close);

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

function prepared(words: RegExp): Promise<void> {
  return expect.poll(() => message().inputValue()).toMatch(words);
}

const APPLY_LATER = ['Stop', 'Take Over Session', 'Open Log', 'Go to Pending Decision', 'Fix Problem'];

test('before the first message the palette offers only what applies', async () => {
  const { page } = workbench;
  expect(await offered(page, ['New Session', ...APPLY_LATER])).toEqual(['New Session']);
  expect(await statusItem(page).count()).toBe(0);
});

async function writeMessage(): Promise<void> {
  const { page } = workbench;
  await page
    .getByRole('tab', { name: /^Source Control/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Write Commit Message' }).click();
}

describe('a commit message', () => {
  test('is not asked for where no file may be sent, and that is said', async () => {
    await writeFile(path.join(folder, 'private', 'plan.txt'), 'the secret plan\n');
    await writeMessage();
    await clearToast(
      workbench.page,
      'All changes are in files that tools may not read, so there is nothing to send.',
    );
    expect(server.requests.length).toBe(0);
  });

  test('is of new files, too, has no tools, and leaves an empty chat and its draft as they are', async () => {
    const { page } = workbench;
    chat = await openLedgerline(page, workbench.vscode);
    await message().fill('half a thought');
    await writeFile(path.join(folder, 'fresh.txt'), 'a fresh line\n');
    server.says({ calls: [ECHO] });
    server.says({ text: 'Add a fresh file' });
    await writeMessage();
    const input = page.locator('.scm-editor .view-lines');
    await input.filter({ hasText: 'Add a fresh file' }).waitFor();
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies.length).toBe(2);
    for (const body of bodies) {
      expect(body).toContain('+a fresh line');
      expect(body).not.toContain('secret plan');
      expect(body).toContain('"tools":[]');
    }
    expect(await toast(page, 'needs you').count()).toBe(0);
    const logged = await loggedEvents(workbench.vscode);
    expect(logged.filter(({ type }) => type === 'user_message').map(({ data }) => data.tools)).toEqual([
      'none',
    ]);
    expect(logged.filter(({ type }) => type === 'tool_result').map(({ data }) => data.ok)).toEqual([false]);
    chat = await openLedgerline(page, workbench.vscode);
    await prepared(/^half a thought$/);
    expect(await turns(chat).count()).toBe(0);
    await showSessions(page);
    await sessionRow(page, 'Commit message: Add a fresh file').waitFor();
  });
});

test('the status bar says what runs, the palette offers Stop, and its key stops', async () => {
  const { page } = workbench;
  server.replies.push(stream([events(responseEvents({ text: 'x' }).slice(0, 2)), HANG]));
  await send(chat, PROMPT);
  await turnIn(chat, 'running');
  const item = await statusSays(page, 'Working: ');
  expect(await item.getAttribute('aria-label')).toContain(PROMPT);
  expect(await offered(page, APPLY_LATER)).toEqual(['Stop', 'Open Log']);
  await message().focus();
  // The key counts once the host has heard where the keyboard is.
  await until({
    what: 'the end of the turn',
    probe: async () => {
      await page.keyboard.press('Control+Escape');
      return (await lastTurn(chat).getAttribute('data-state')) === 'interrupted' ? true : undefined;
    },
  });
  await statusSays(page, 'Response interrupted');
  expect(await offered(page, APPLY_LATER)).toEqual(['Open Log']);
});

/** The call comes when nobody looks. */
async function waitsBehindAnotherView(prompt: string): Promise<void> {
  const { page } = workbench;
  const { promise: hidden, resolve: isHidden } = Promise.withResolvers<void>();
  const call = responseEvents({ calls: [ECHO] });
  server.replies.push(stream([events(call.slice(0, 1)), wait(hidden), events(call.slice(1))]));
  await send(chat, prompt);
  await turnIn(chat, 'running');
  await hideChat(page);
  isHidden();
  await notification(page, NEEDS_YOU);
}

describe('a decision', () => {
  test('that waits behind another view calls with a notification, which leads to the card', async () => {
    const { page } = workbench;
    await waitsBehindAnotherView('Run echo.');
    expect(await notifications(page, '').count()).toBe(1);
    await answerToast(page, NEEDS_YOU, 'Show');
    chat = await chatFrame(page);
    await waitingCards(chat, 1);
    await statusSays(page, 'Needs you: 1 approval');
    await expect.poll(() => isFocused(button(cards(chat), 'Approve'))).toBe(true);
  });

  test('is one key away from an editor and from a terminal', async () => {
    const { page } = workbench;
    const approve = button(cards(chat), 'Approve');
    await openFile(page, 'notes.txt');
    await expect.poll(() => isFocused(approve)).toBe(false);
    await page.keyboard.press('Control+Alt+Enter');
    await expect.poll(() => isFocused(approve)).toBe(true);
    const words = '>Terminal: Create New Terminal';
    await takeFromQuickInput(page, { key: COMMANDS_KEY, words, label: 'Create New Terminal' });
    const terminal = page.locator('.terminal-wrapper.active');
    await terminal.locator('.xterm').click();
    await expect.poll(() => isFocused(terminal.locator('.xterm-helper-textarea'))).toBe(true);
    expect(await isFocused(approve)).toBe(false);
    await page.keyboard.press('Control+Alt+Enter');
    await expect.poll(() => isFocused(approve)).toBe(true);
  });

  test('that is made is seen in the status bar', async () => {
    server.says({ text: 'It said hi.' });
    await button(cards(chat), 'Approve').click();
    await turnIn(chat, 'completed');
    await statusSays(workbench.page, 'Completed');
  });
});

test('Explain in the context menu puts the selection into the composer, and sends nothing', async () => {
  const { page } = workbench;
  const asked = server.requests.length;
  await openFile(page, 'notes.txt');
  await page.keyboard.press('Control+A');
  const menu = page.locator('.monaco-menu');
  const ours = menu.getByRole('menuitem', { name: 'Ledgerline' });
  const line = page.locator('.editor-instance .view-line').first();
  await chooseFromOpened(page, {
    open: async () => {
      await openMenu(page, { open: () => line.click({ button: 'right' }), entry: ours });
      await ours.hover();
    },
    entry: menu.getByRole('menuitem', { name: 'Explain' }),
  });
  await prepared(/^Explain notes\.txt:1-2\.$/);
  expect(server.requests.length).toBe(asked);
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
    probe: async (patience) => {
      if (await fix.isVisible()) return true;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+.');
      return appears(fix, patience);
    },
  });
  await fix.click();
  await prepared(/^Fix this problem in broken\.json:1:\n- /);
  await message().fill('');
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

test('what was called for still waits after a reload with the view hidden, and is not called for again', async () => {
  const { page, vscode } = workbench;
  await waitsBehindAnotherView('Run echo again.');
  await callIsRemembered(page, vscode);
  await reloadHidden(page, vscode);
  // By now the session is open: a notification would have come with what the status bar shows.
  await statusSays(page, 'Needs you: 1 approval');
  expect(await toast(page, NEEDS_YOU).count()).toBe(0);
  await statusItem(page).click();
  chat = await chatFrame(page);
  await waitingCards(chat, 1);
  // The browser keeps no secrets over a reload, as desktop VS Code does.
  await setApiKey(page, KEY);
  server.says({ text: 'It said hi.' });
  await button(cards(chat), 'Approve').click();
  await turnIn(chat, 'completed');
});
