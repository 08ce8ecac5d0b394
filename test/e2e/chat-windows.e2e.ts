import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  lastTurn,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openLedgerline, openWorkbench, quickInputRows, screenshot } from './harness/index.ts';

const workbench = chatWindow();

describe('commands', () => {
  let chat: Frame;

  beforeAll(async () => {
    chat = await workbench.open({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.baseUrl': 'http://127.0.0.1:9/v1' },
    });
  });

  afterAll(workbench.close);

  test('the offline model can be chosen in the view, and answers', async () => {
    await chat.getByRole('button', { name: 'Use offline model' }).click();
    await chat.getByRole('button', { name: 'Offline model', exact: true }).waitFor();
    await send(chat, 'help');
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
});

function readOnly(chat: Frame): Locator {
  return chat.getByRole('note', { name: 'Read-only' });
}

describe('other windows', () => {
  afterEach(workbench.close);

  test('without a folder a conversation works, and its log is in global storage', async () => {
    const chat = await workbench.open({ settings: { 'ledgerline.provider': 'offline' } });
    await send(chat, 'help');
    await turnIn(chat, 'completed');
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

  test('a second one has the same sessions: one is seen there as it goes on, and can be taken over', async () => {
    const first = await workbench.open({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.provider': 'offline' },
    });
    await send(first, 'hello from the first window');
    await turnIn(first, 'completed');
    const browser = workbench.page.context().browser();
    if (browser === null) throw new Error('no browser');
    const page = await openWorkbench(browser, workbench.vscode);
    const second = await openLedgerline(page, workbench.vscode);
    await runCommand(page, 'Open Session...');
    await quickInputRows(page).filter({ hasText: 'hello from the first window' }).click();
    await readOnly(second).waitFor();
    await send(first, 'read notes.txt');
    await turnIn(first, 'completed');
    await second.locator('.turn[data-state="completed"]', { hasText: 'read notes.txt' }).waitFor();
    await button(second, 'Take over').click();
    await readOnly(second).waitFor({ state: 'detached' });
    await readOnly(first).waitFor();
    await send(second, 'help');
    await turnIn(second, 'completed');
    expect((await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'user_message')).toHaveLength(
      3,
    );
    await page.context().close();
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

  test('without a folder a conversation is kept, and nothing can be read', async () => {
    const settings = { 'ledgerline.provider': 'offline' };
    const chat = await workbench.open({ settings });
    await chat.getByText('No folder is open: you can chat').waitFor();
    await send(chat, 'read notes.txt');
    expect(await (await turnIn(chat, 'completed')).textContent()).toContain('is not offered here');
    await button(chat, 'Open folder').click();
    await workbench.page.getByText('Open Folder', { exact: true }).first().waitFor();
    await screenshot(workbench.page, 'no-folder');
    const again = await workbench.reload();
    await again.getByRole('article').filter({ hasText: 'read notes.txt' }).waitFor();
  });
});
