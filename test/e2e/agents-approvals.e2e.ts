import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recordChild } from '../storage/child-log.ts';
import { storeOf } from '../support/browser/recorded-talk.ts';
import { button, cards, waitingCards } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { callRecord, type CallRecord, turnEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openDiagnostics, row } from './diagnostics-driver.ts';
import {
  changeTheme,
  chooseFromQuickInput,
  endGroup,
  inEachTheme,
  isGroupRunning,
  until,
} from './harness/index.ts';
import {
  chooseFromMenu,
  expectRows,
  hideSessions,
  sessionRow,
  sessionWith,
  showSessions,
} from './sessions-driver.ts';

/** What a window does about work that waits, ended badly, or is done by children. One test goes on where the last ended. */

/** A window that was reloaded has to start first. */
const START_MS = 60_000;

const APPROVED: CallRecord = {
  decisions: ['resume by user'],
  permissions: ['ask by policy', 'allow by user'],
  results: ['ok'],
};

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({
    '.ledgerline/workflows/look.json': JSON.stringify({
      name: 'Look around',
      description: 'Reads a file and lists the rest.',
      parameters: { file: { type: 'string', description: 'Which file', default: 'notes.txt' } },
      steps: [
        { id: 'read', task: 'read ${file}', agent: 'explorer' },
        { id: 'list', task: 'list', agent: 'explorer', depends_on: ['read'] },
      ],
    }),
  });
  chat = await workbench.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
  await send(chat, 'Mend the build');
  await turnIn(chat, 'completed');
});

afterAll(workbench.close);

/** Of the command that a turn runs, once the log says so. */
async function commandGroup(turn: Locator): Promise<number | undefined> {
  return (await turnEvents(workbench.vscode, turn))
    .map(({ data }) => data['process'])
    .flatMap((one) => (typeof one === 'object' && one !== null && 'group' in one ? [Number(one.group)] : []))
    .at(0);
}

/** The page of a session's tab, once it shows what its log says. */
async function tabOf(page: Page, sessionId: string): Promise<Frame> {
  const frame = await until({
    what: `the tab of ${sessionId}`,
    timeoutMs: START_MS,
    probe: async () => {
      for (const one of page.frames()) {
        const found = await one
          .locator(`#app[data-session="${sessionId}"]`)
          .count()
          .catch(() => 0);
        if (found > 0) return one;
      }
      return undefined;
    },
  });
  await frame.locator('.log[aria-busy="false"]').waitFor({ timeout: START_MS });
  return frame;
}

test('a command with an unknown outcome is a choice after a crash, and what still runs can be ended', async () => {
  await send(chat, 'run sleep 300');
  await button(await waitingCards(chat, 1), 'Approve').click();
  const group = await until({ what: 'a running command', probe: () => commandGroup(lastTurn(chat)) });
  onTestFinished(() => endGroup(group));
  await workbench.vscode.killExtensionHost();
  chat = await workbench.reload();
  const card = await waitingCards(chat, 1, 'Unknown outcome');
  await card.getByText('Whether it finished is unknown').waitFor();
  const still = card.getByText(/^Process \d+ is still running\.$/);
  await still.waitFor();
  for (const name of ['Run again', 'Mark done', 'Skip']) await button(card, name).waitFor();
  expect(await isGroupRunning(group)).toBe(true);
  await button(card, 'End it').click();
  await still.waitFor({ state: 'detached' });
  expect(await isGroupRunning(group)).toBe(false);
  expect(await lastTurn(chat).getAttribute('data-state')).toBe('waiting');
  await button(card, 'Mark done').click();
  const turn = await turnIn(chat, 'completed');
  expect(await callRecord(workbench.vscode, turn)).toEqual({
    ...APPROVED,
    decisions: ['resume by user', 'resume by user'],
  });
  expect(await turn.locator('.answer').last().textContent()).toContain('confirmed that this was done');
});

describe('children', () => {
  test('are folded below their parent in the list of sessions, which says how many there are', async () => {
    const { page, vscode } = workbench;
    const of = await sessionWith(vscode, 'Mend the build');
    const store = await storeOf(vscode);
    await recordChild(store, { id: 'ses_one', of, task: 'Find the flaky test' });
    await recordChild(store, { id: 'ses_two', of, agent: 'worker', task: 'Mend the flaky test' });
    await showSessions(page);
    await expectRows(page, [/^Mend the build.*2 agents/u]);
    const parent = sessionRow(page, 'Mend the build');
    expect(await parent.getAttribute('aria-expanded')).toBe('false');
    await parent.locator('.monaco-tl-twistie').click();
    await expectRows(page, [
      'Mend the build',
      /^Mend the flaky test.*Worker/u,
      /^Find the flaky test.*Explorer/u,
    ]);
  });

  test('open their transcript in a tab, once, and the chat stays', async () => {
    const { page } = workbench;
    const before = await turns(chat).count();
    await sessionRow(page, 'Find the flaky test').click();
    const tab = await tabOf(page, 'ses_one');
    const title = page.locator('.tab', { hasText: 'Explorer: Find the flaky test' });
    await title.waitFor();
    await expect.poll(() => turns(tab).count()).toBe(1);
    expect(await turns(chat).count()).toBe(before);
    expect(await chat.getByRole('heading', { level: 1 }).textContent()).toBe('Mend the build');
    await chooseFromMenu(page, sessionRow(page, 'Find the flaky test'), 'Open Transcript');
    await expect.poll(() => page.locator('.tab', { hasText: 'Find the flaky test' }).count()).toBe(1);
    expect(workbench.violations).toEqual([]);
  });

  test('have an icon that is light on dark and dark on light', async () => {
    const { page } = workbench;
    const icon = page
      .locator('.tab', { hasText: 'Find the flaky test' })
      .locator('.monaco-icon-label-iconpath');
    const shown = (): Promise<string> => icon.evaluate((one) => getComputedStyle(one).backgroundImage);
    const files = {
      dark: 'transcript-dark.svg',
      light: 'transcript-light.svg',
      'hc-dark': 'transcript-dark.svg',
      'hc-light': 'transcript-light.svg',
    };
    await inEachTheme(page, (theme) => expect.poll(shown).toContain(files[theme]));
    await changeTheme(page, 'dark');
  });

  test('are asked about in the chat, where a key leads, and show what they propose in the diff editor', async () => {
    const { page } = workbench;
    await send(chat, 'agent write made.txt: by a child');
    const asked = chat.getByRole('group', { name: 'Approval' });
    await asked.waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).click();
    const diff = asked.getByRole('button', { name: 'Diff' });
    await until({
      what: 'the card to have the keyboard',
      probe: async () => {
        // The key counts once VS Code has heard that something waits.
        await page.keyboard.press('Control+Alt+Enter');
        return (await isFocused(diff)) ? true : undefined;
      },
    });
    await diff.click();
    await page.locator('.tab', { hasText: 'made.txt (proposed by Ledgerline)' }).waitFor();
    await button(asked, 'Approve').click();
    await turnIn(chat, 'completed');
    expect(await readFile(path.join(folder, 'made.txt'), 'utf8')).toBe('by a child');
    await sessionRow(page, /^Mend the build.*3 agents/u).waitFor();
    await hideSessions(page);
  });
});

test('a workflow is picked in the palette, asked for its parameters, and is a line of the tree', async () => {
  const { page } = workbench;
  const input = page.locator('.quick-input-widget');
  await chooseFromQuickInput(page, {
    open: () => runCommand(page, 'Run Workflow'),
    hasText: 'Reads a file and lists the rest.',
  });
  await input
    .getByText(/Which file/u)
    .first()
    .waitFor();
  await input.locator('input').first().press('Enter');
  const card = chat.getByRole('group', { name: 'Workflow Look around' });
  await card.and(chat.locator('[data-state="completed"]')).waitFor();
  await turnIn(chat, 'completed');
  const pane = await openDiagnostics(page);
  await row(page, /^Look around.*Completed/u)
    .first()
    .waitFor();
  await pane.locator('.pane-header').click();
});

describe('after a reload', () => {
  test('a pending approval is there again, and the turn goes on', async () => {
    await send(chat, 'write reloaded.txt: here');
    await waitingCards(chat, 1);
    chat = await workbench.reload();
    const card = await waitingCards(chat, 1);
    expect(await card.getByRole('region').textContent()).toContain('+here');
    expect(await readdir(folder)).not.toContain('reloaded.txt');
    // Disabled until the host of the window before has let go of the log.
    await button(card, 'Approve').click();
    const turn = await turnIn(chat, 'completed');
    expect(await cards(chat).count()).toBe(0);
    expect(await readFile(path.join(folder, 'reloaded.txt'), 'utf8')).toBe('here');
    expect(await callRecord(workbench.vscode, turn)).toEqual(APPROVED);
    const prompts = (await turnEvents(workbench.vscode, turn)).filter(({ type }) => type === 'user_message');
    expect(prompts).toHaveLength(1);
  });

  test('the transcript of a child is there again, though another tab was in front', async () => {
    const { page } = workbench;
    const title = page.locator('.tab', { hasText: 'Explorer: Find the flaky test' });
    await title.waitFor({ timeout: START_MS });
    await title.click();
    const tab = await tabOf(page, 'ses_one');
    await expect.poll(() => turns(tab).count(), { timeout: START_MS }).toBe(1);
  });
});
