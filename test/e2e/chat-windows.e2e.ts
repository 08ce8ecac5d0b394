import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loggedEvents, newWorkspace, removeWorkspaces, runCommand, send, turnIn } from './chat-driver.ts';
import {
  launchBrowser,
  launchVsCode,
  openLedgerline,
  openWorkbench,
  printEvidenceOnFailure,
  type VsCode,
} from './harness/index.ts';

let browser: Browser;
let vscode: VsCode | undefined;
let page: Page | undefined;

printEvidenceOnFailure(() => ({ vscode, page }));

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await removeWorkspaces();
});

async function openChat(code: VsCode): Promise<Frame> {
  page = await openWorkbench(browser, code);
  return openLedgerline(page, code);
}

async function closeChat(): Promise<void> {
  await page?.context().close();
  await vscode?.stop();
  page = undefined;
  vscode = undefined;
}

describe('commands', () => {
  let chat: Frame;

  beforeAll(async () => {
    vscode = await launchVsCode({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.baseUrl': 'http://127.0.0.1:9/v1' },
    });
    chat = await openChat(vscode);
  });

  afterAll(closeChat);

  test('the offline model can be chosen in the view, and answers', async () => {
    await chat.getByRole('button', { name: 'Use offline model' }).click();
    await chat.getByRole('button', { name: 'Offline model', exact: true }).waitFor();
    await send(chat, 'help');
    await turnIn(chat, 'completed');
  });

  test('the log opens in an editor', async () => {
    await runCommand(page!, 'Open Log');
    await page!.getByRole('tab', { name: /\.jsonl/ }).waitFor();
  });

  test('a diagnosis opens as a document', async () => {
    await runCommand(page!, 'Diagnose Session');
    await page!.locator('.view-lines', { hasText: 'log_integrity' }).waitFor();
  });

  test('a new session is empty, and the old one keeps its log', async () => {
    await runCommand(page!, 'New Session');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    const types = (await loggedEvents(vscode!)).map((event) => event.type);
    expect(types).toContain('assistant_message');
  });
});

describe('other windows', () => {
  afterEach(closeChat);

  test('without a folder a conversation works, and its log is in global storage', async () => {
    vscode = await launchVsCode({ settings: { 'ledgerline.provider': 'offline' } });
    const chat = await openChat(vscode);
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    const folder = path.join(
      vscode.dataDir,
      'data',
      'User',
      'globalStorage',
      'ledgerline.ledgerline',
      'sessions',
    );
    expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
  });

  test('in a folder that is not trusted a conversation works without tools', async () => {
    vscode = await launchVsCode({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.provider': 'offline' },
      trust: false,
    });
    const chat = await openChat(vscode);
    await send(chat, 'read notes.txt');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.textContent()).toContain('is not offered here');
  });
});
