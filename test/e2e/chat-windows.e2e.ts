import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loggedEvents, newWorkspace, runCommand, send, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';

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

  test('in a folder that is not trusted a conversation works without tools', async () => {
    const chat = await workbench.open({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.provider': 'offline' },
      trust: false,
    });
    await send(chat, 'read notes.txt');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.textContent()).toContain('is not offered here');
  });
});
