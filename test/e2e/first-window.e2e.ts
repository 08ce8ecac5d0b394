import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import { screenshot } from '../support/browser/screenshot.ts';
import { offered } from './around-driver.ts';
import { button, cards, waitingCards } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { pointAway, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setSideBarWidth } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  appears,
  chooseFromQuickInput,
  clearToast,
  openLedgerline,
  openWorkbenchIn,
  until,
} from './harness/index.ts';

/** What somebody does who has just installed it, in one window that goes on from test to test, and in a second one. */

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace();
  await cp(projectPath('test', 'sample-workspace'), folder, { recursive: true });
  chat = await workbench.open(
    {
      workspace: folder,
      settings: { 'ledgerline.baseUrl': 'http://127.0.0.1:9/v1', 'editor.minimap.enabled': false },
    },
    { width: 1000, height: 640 },
  );
});

afterAll(workbench.close);

/** What the palette offers of these, once it is this. */
function offersOnly(titles: readonly string[], expected: readonly string[]): Promise<void> {
  return expect.poll(() => offered(workbench.page, titles), { timeout: 30_000 }).toEqual(expected);
}

function isEmpty(): Promise<void> {
  return chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
}

function step(title: string): Locator {
  return workbench.page.locator('.getting-started-step', { hasText: title });
}

const ABOUT_SESSIONS = [
  'Rename Session...',
  'Pin Session',
  'Unpin Session',
  'Archive Session',
  'Take Session out of the Archive',
  'Delete Session',
  'Copy Session Id',
  'Restore Deleted Session...',
];
const ABOUT_THIS = ['Undo Changes of the Last Turn', 'Diagnose Session', 'Use Offline Model'];

describe('before anything was said', () => {
  test('the palette offers nothing for sessions that are not there', async () => {
    await offersOnly(
      [...ABOUT_SESSIONS, ...ABOUT_THIS, 'Run Workflow...'],
      ['Use Offline Model', 'Run Workflow...'],
    );
  });

  test('the walkthrough has five steps, says where there is nothing to see yet, and does not tick it off', async () => {
    const { page } = workbench;
    await runCommand(page, 'Open Walkthrough');
    await page.getByText('Get Started with Ledgerline').first().waitFor();
    await expect.poll(() => page.locator('.getting-started-step').count()).toBe(5);
    await step('Approve an edit').click();
    await page.getByRole('button', { name: 'Go to Pending Decision' }).click();
    await clearToast(page, 'Nothing waits for you.');
    await step('Look at the evidence').click();
    await page.getByRole('button', { name: 'Diagnose Session' }).click();
    await clearToast(page, 'This session has no log yet.');
    expect(await step('Look at the evidence').locator('.codicon.complete').count()).toBe(0);
  });
});

describe('with the offline model', () => {
  test('which is chosen in the view, an answer is shown, and the log has the prompt before it', async () => {
    await button(chat, 'Use offline model').click();
    await button(chat, 'Offline model').waitFor();
    await send(chat, 'help');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.textContent()).toContain('a fixed script, not a real model');
    const types = (await loggedEvents(workbench.vscode)).map((event) => event.type);
    expect(types.filter((type) => type.endsWith('_message'))).toEqual(['user_message', 'assistant_message']);
  });

  test('there is then a session to pin and nothing to undo', async () => {
    await offersOnly(
      [...ABOUT_SESSIONS, ...ABOUT_THIS],
      [
        'Rename Session...',
        'Pin Session',
        'Archive Session',
        'Delete Session',
        'Copy Session Id',
        'Diagnose Session',
      ],
    );
  });

  test('the diagnosis and the log open as documents, and the walkthrough ticks that off', async () => {
    const { page } = workbench;
    await runCommand(page, 'Diagnose Session');
    await page.locator('.view-lines', { hasText: '# Diagnosis' }).waitFor();
    await page
      .getByRole('tab', { name: /^(?:Welcome|Walkthrough)/ })
      .first()
      .click();
    await step('Look at the evidence').locator('.codicon.complete').waitFor();
    await runCommand(page, 'Open Log');
    await page.getByRole('tab', { name: /\.jsonl/ }).waitFor();
  });
});

/**
 * The scenes that the README shows. They are played in every run, and written into the repository only when
 * LEDGERLINE_README_SHOTS is set (`npm run pictures`).
 */
describe('the bug of the sample workspace', () => {
  const LARGEST_BYTES = 60 * 1024;
  /** The editor beside it has nothing to say. */
  const SIDE_BAR = { x: 0, y: 36, width: 490, height: 604 };

  async function picture(name: string): Promise<void> {
    const { page } = workbench;
    if (process.env['LEDGERLINE_README_SHOTS'] === undefined) {
      await screenshot(page, `readme-${name}`);
      return;
    }
    const shots = projectPath('media', 'screenshots');
    await mkdir(shots, { recursive: true });
    const file = path.join(shots, `${name}.png`);
    await page.screenshot({ path: file, clip: SIDE_BAR });
    expect((await stat(file)).size).toBeLessThan(LARGEST_BYTES);
  }

  beforeAll(async () => {
    await runCommand(workbench.page, 'New Session');
    await isEmpty();
    await setSideBarWidth(workbench.page, 440);
  });

  test('is looked at by a command that waits for approval, then an edit does, with its diff', async () => {
    await send(chat, 'fix');
    await waitingCards(chat, 1);
    await button(cards(chat), 'Approve').click();
    await cards(chat).getByText('Edit').first().waitFor();
    await waitingCards(chat, 1);
    await pointAway(chat);
    await picture('approval');
  });

  test('is fixed in a turn that shows what was done', async () => {
    await button(cards(chat), 'Approve').click();
    await cards(chat).getByText('Run').first().waitFor();
    await waitingCards(chat, 1);
    await pointAway(chat);
    await button(cards(chat), 'Approve').click();
    const turn = await turnIn(chat, 'completed');
    await turn.locator('.evidence > .disclosure').click();
    await turn.locator('.evidence-details').scrollIntoViewIfNeeded();
    await picture('completed');
  });

  test('is there again when the edit is undone, which can be done once', async () => {
    const { page } = workbench;
    const undo = 'Undo Changes of the Last Turn';
    const file = path.join('src', 'invoice.js');
    const source = (): Promise<string> => readFile(path.join(folder, file), 'utf8');
    const before = await readFile(projectPath('test', 'sample-workspace', file), 'utf8');
    expect(await source()).not.toBe(before);
    await offersOnly([undo], [undo]);
    await runCommand(page, undo);
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await expect.poll(() => source()).toBe(before);
    await offersOnly([undo], []);
  });
});

test('Control+N in the chat begins a session, and elsewhere a file', async () => {
  const { page } = workbench;
  await setSideBarWidth(page, 300);
  // Whoever has got an answer was heard having the focus, too.
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  await chat.getByRole('textbox', { name: 'Message' }).press('Control+N');
  await isEmpty();
  const file = page.getByRole('tab', { name: /Untitled/ });
  expect(await file.count()).toBe(0);
  const editor = page.locator('.editor-group-container .monaco-editor').first();
  await until({
    what: 'a new file',
    probe: async (patience) => {
      // The new session takes the keyboard, which may be later than this.
      await editor.click();
      await page.keyboard.press('Control+N');
      return appears(file.first(), patience);
    },
  });
  await isEmpty();
});

function readOnly(where: Frame): Locator {
  return where.getByRole('note', { name: 'Read-only' });
}

test('a second window has the same sessions: one is seen there as it goes on, and can be taken over', async () => {
  const { page: own, vscode } = workbench;
  const prompts = async (): Promise<readonly unknown[]> =>
    (await loggedEvents(vscode))
      .filter(({ type }) => type === 'user_message')
      .map(({ data }) => data['text']);
  const before = (await prompts()).length;
  await send(chat, 'hello from the first window');
  await turnIn(chat, 'completed');
  // What was chosen in the view may be known to the first window alone.
  await vscode.updateSettings({ 'ledgerline.provider': 'offline' });
  const page = await openWorkbenchIn(own.context(), vscode);
  const second = await openLedgerline(page, vscode);
  await chooseFromQuickInput(page, {
    open: () => runCommand(page, 'Open Session...'),
    hasText: 'hello from the first window',
  });
  await readOnly(second).waitFor();
  await own.bringToFront();
  await send(chat, 'read notes.txt');
  await turnIn(chat, 'completed');
  await second.locator('.turn[data-state="completed"]', { hasText: 'read notes.txt' }).waitFor();
  await send(chat, 'slow');
  await second.locator('.turn[data-state="running"] .answer', { hasText: /\w+ \w+/ }).waitFor();
  await page.bringToFront();
  await button(second, 'Take over').click();
  await readOnly(second).waitFor({ state: 'detached' });
  expect(await (await turnIn(second, 'interrupted')).locator('.answer').textContent()).toMatch(/\w+ \w+/);
  await readOnly(chat).waitFor();
  await turnIn(chat, 'interrupted');
  await send(second, 'help');
  await turnIn(second, 'completed');
  expect((await prompts()).slice(before)).toEqual([
    'hello from the first window',
    'read notes.txt',
    'slow',
    'help',
  ]);
  // Who leaves says goodbye: the host of a page that is only gone would wait for it.
  await page.goto('about:blank');
  await page.close();
});

test('the page asks for nothing that its policy refuses', () => {
  expect(workbench.violations).toEqual([]);
});
