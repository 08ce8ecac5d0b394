import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  lastTurn,
  loggedEvents,
  lookAway,
  newWorkspace,
  runCommand,
  send,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openLedgerline, openWorkbench, quickInputRows, screenshot, until } from './harness/index.ts';

const workbench = chatWindow();

function readOnly(chat: Frame): Locator {
  return chat.getByRole('note', { name: 'Read-only' });
}

async function promptCount(): Promise<number> {
  return (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'user_message').length;
}

/** In one window that goes on from test to test. */
describe('with the offline model', () => {
  let chat: Frame;

  beforeAll(async () => {
    chat = await workbench.open({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.baseUrl': 'http://127.0.0.1:9/v1' },
    });
  });

  afterAll(workbench.close);

  test('which is chosen in the view, an answer is shown, and the log has the prompt before it', async () => {
    await chat.getByRole('button', { name: 'Use offline model' }).click();
    await chat.getByRole('button', { name: 'Offline model', exact: true }).waitFor();
    await send(chat, 'help');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.textContent()).toContain('a fixed script, not a real model');
    const types = (await loggedEvents(workbench.vscode)).map((event) => event.type);
    expect(types.filter((type) => type.endsWith('_message'))).toEqual(['user_message', 'assistant_message']);
  });

  test('a tool call is one line that opens in place', async () => {
    await send(chat, 'read notes.txt');
    const turn = await turnIn(chat, 'completed');
    const line = turn.locator('.call-head', { hasText: 'notes.txt' });
    expect(await line.textContent()).toMatch(/^Read.*ok$/);
    await line.locator('.outcome').click({ force: true });
    await turn.getByText('second line').first().waitFor();
  });

  test('a draft is kept when the view is closed and opened', async () => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('half a thou');
    chat = await lookAway(workbench);
    await expect.poll(() => chat.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thou');
    await turnIn(chat, 'completed');
  });

  test('the log opens in an editor', async () => {
    await runCommand(workbench.page, 'Open Log');
    await workbench.page.getByRole('tab', { name: /\.jsonl/ }).waitFor();
  });

  test('a diagnosis opens as a document', async () => {
    await runCommand(workbench.page, 'Diagnose Session');
    await workbench.page.locator('.view-lines', { hasText: '# Diagnosis' }).waitFor();
  });

  test('a new session is empty, and the old one keeps its log', async () => {
    await runCommand(workbench.page, 'New Session');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    const types = (await loggedEvents(workbench.vscode)).map((event) => event.type);
    expect(types).toContain('assistant_message');
  });

  test('Control+N in the chat begins a session, and elsewhere a file', async () => {
    const { page } = workbench;
    const message = chat.getByRole('textbox', { name: 'Message' });
    // Whoever has got an answer was heard having the focus, too.
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    await message.press('Control+N');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    const file = page.getByRole('tab', { name: /Untitled/ });
    expect(await file.count()).toBe(0);
    const editors = page.locator('.editor-group-container').first();
    await until({
      what: 'a new file',
      probe: async () => {
        // Until the host has heard that the chat lost the keyboard, the key begins a session and takes it back.
        await editors.click();
        await page.keyboard.press('Control+N');
        return (await file.count()) > 0 ? true : undefined;
      },
    });
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
  });

  test('a second window has the same sessions: one is seen there as it goes on, and can be taken over', async () => {
    const { page: own, vscode } = workbench;
    const before = await promptCount();
    await send(chat, 'hello from the first window');
    await turnIn(chat, 'completed');
    const browser = own.context().browser();
    if (browser === null) throw new Error('no browser');
    // What was chosen in the view is known to the first window alone.
    await vscode.updateSettings({ 'ledgerline.provider': 'offline' });
    const page = await openWorkbench(browser, vscode);
    const second = await openLedgerline(page, vscode);
    await runCommand(page, 'Open Session...');
    await quickInputRows(page).filter({ hasText: 'hello from the first window' }).click();
    await readOnly(second).waitFor();
    await send(chat, 'read notes.txt');
    await turnIn(chat, 'completed');
    await second.locator('.turn[data-state="completed"]', { hasText: 'read notes.txt' }).waitFor();
    await send(chat, 'slow');
    const words = second.locator('.turn[data-state="running"] .answer', { hasText: /\w+ \w+/ });
    await words.waitFor();
    await screenshot(page, 'read-along');
    await button(second, 'Take over').click();
    await readOnly(second).waitFor({ state: 'detached' });
    expect(await (await turnIn(second, 'interrupted')).locator('.answer').textContent()).toMatch(/\w+ \w+/);
    await readOnly(chat).waitFor();
    await turnIn(chat, 'interrupted');
    await send(second, 'help');
    await turnIn(second, 'completed');
    expect((await promptCount()) - before).toBe(4);
    await page.context().close();
  });

  test('the page asks for nothing that its policy refuses', () => {
    expect(workbench.violations).toEqual([]);
  });
});

describe('other windows', () => {
  afterEach(workbench.close);

  test('without a folder a conversation works, and its log is in global storage', async () => {
    const chat = await workbench.open({ settings: { 'ledgerline.provider': 'offline' } });
    await chat.getByText('No folder is open: you can chat').waitFor();
    await send(chat, 'read notes.txt');
    expect(await (await turnIn(chat, 'completed')).textContent()).toContain('is not offered here');
    await button(chat, 'Open folder').click();
    await workbench.page.getByText('Open Folder', { exact: true }).first().waitFor();
    await screenshot(workbench.page, 'no-folder');
    const folder = path.join(
      workbench.vscode.dataDir,
      'data',
      'User',
      'globalStorage',
      'ledgerline.ledgerline',
      'sessions',
    );
    expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
  });

  test('in a folder that is not trusted a conversation works without tools', async () => {
    const chat = await workbench.open({
      workspace: await newWorkspace(),
      // The page about trust is to lie over nothing.
      settings: { 'ledgerline.provider': 'offline', 'workbench.editor.useModal': 'off' },
      trust: false,
    });
    await chat.getByText('Restricted mode: you can chat').waitFor();
    await send(chat, 'read notes.txt');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.textContent()).toContain('is not offered here');
    await setSideBarWidth(workbench.page, 300);
    await screenshot(workbench.page, 'restricted');
    await button(chat, 'Manage workspace trust').click();
    await workbench.page.getByRole('button', { name: 'Trust', exact: true }).first().click();
    await chat.getByText('Restricted mode: you can chat').waitFor({ state: 'detached' });
    await send(chat, 'read notes.txt');
    await lastTurn(chat).getByText('notes.txt').first().waitFor();
    expect(await (await turnIn(chat, 'completed')).textContent()).not.toContain('is not offered here');
  });
});
