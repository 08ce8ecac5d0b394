import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { openChild, recordChild } from '../storage/child-log.ts';
import { TALK, type Ready } from '../storage/recorded-session.ts';
import { button, newWorkspace, send, turnIn, turns } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { changeTheme, inEachTheme, screenshot, until } from './harness/index.ts';
import { chooseFromMenu, expectRows, sessionRow, sessionWith, showSessions } from './sessions-driver.ts';

/** Children written by the real writer from another process: rows and tabs are those that people get. */

/** A window that was reloaded has to start first. */
const START_MS = 60_000;

const workbench = chatWindow();
let chat: Frame;
let store: SessionStore;
let parent: string;

beforeAll(async () => {
  const workspace = await newWorkspace();
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  await showSessions(workbench.page);
  await send(chat, 'Mend the build');
  await turnIn(chat, 'completed');
  parent = await sessionWith(workbench.vscode, 'Mend the build');
  store = new SessionStore(
    nodeStorePorts(() => undefined),
    await workbench.vscode.storageDir(),
  );
  await recordChild(store, { id: 'ses_one', of: parent, task: 'Find the flaky test' });
  await recordChild(store, { id: 'ses_two', of: parent, agent: 'worker', task: 'Mend the flaky test' });
});

afterAll(workbench.close);

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

describe('children in the list', () => {
  test('are folded below their parent, which says how many there are', async () => {
    const { page } = workbench;
    await expectRows(page, [/^Mend the build.*2 agents/u]);
    const row = sessionRow(page, 'Mend the build');
    expect(await row.getAttribute('aria-expanded')).toBe('false');
    await row.locator('.monaco-tl-twistie').click();
    await expectRows(page, [
      'Mend the build',
      /^Mend the flaky test.*Worker/u,
      /^Find the flaky test.*Explorer/u,
    ]);
    await screenshot(page, 'children');
  });
});

describe('the transcript of a child', () => {
  test('opens in a tab, says whose it is, and leaves the chat alone', async () => {
    const { page } = workbench;
    await sessionRow(page, 'Find the flaky test').click();
    const tab = await tabOf(page, 'ses_one');
    await page.locator('.tab', { hasText: 'Explorer: Find the flaky test' }).waitFor();
    await expect.poll(() => turns(tab).count()).toBe(1);
    expect(await tab.getByRole('navigation', { name: 'Parent session' }).textContent()).toBe(
      'Explorerchild of Mend the build',
    );
    expect(await chat.getByRole('heading', { level: 1 }).textContent()).toBe('Mend the build');
    await screenshot(page, 'child-tab');
    expect(workbench.violations).toEqual([]);
  });

  test('has an icon that is light on dark and dark on light', async () => {
    const { page } = workbench;
    const icon = page
      .locator('.tab', { hasText: 'Find the flaky test' })
      .locator('.monaco-icon-label-iconpath');
    const shown = (): Promise<string> => icon.evaluate((one) => getComputedStyle(one).backgroundImage);
    const seen: Record<string, string | undefined> = {};
    await inEachTheme(page, async (theme) => {
      const file = /transcript-\w+\.svg/u;
      await expect.poll(shown).toMatch(file);
      seen[theme] = file.exec(await shown())?.[0];
    });
    await changeTheme(page, 'dark');
    expect(seen).toEqual({
      dark: 'transcript-dark.svg',
      light: 'transcript-light.svg',
      'hc-dark': 'transcript-dark.svg',
      'hc-light': 'transcript-light.svg',
    });
  });

  test('can be gone on with, in its own log', async () => {
    const tab = await tabOf(workbench.page, 'ses_one');
    await send(tab, 'And then?');
    await turnIn(tab, 'completed');
    expect([await turns(tab).count(), await turns(chat).count()]).toEqual([2, 1]);
  });

  test('is opened once, also from the menu of its line', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'Find the flaky test'), 'Open Transcript');
    await expect.poll(() => page.locator('.tab', { hasText: 'Find the flaky test' }).count()).toBe(1);
  });

  test('leads to its parent in the chat', async () => {
    const { page } = workbench;
    await button(chat, 'New session').click();
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    const tab = await tabOf(page, 'ses_one');
    await button(tab, 'child of Mend the build').click();
    await chat.getByRole('heading', { level: 1, name: /Mend the build/u }).waitFor();
  });

  test('is live while another writes it, and writable when that is over', async () => {
    const { page } = workbench;
    const running: Ready = await openChild(store, { id: 'ses_three', of: parent, task: 'Look on' });
    await running.play({ ...TALK, say: 'Look on' });
    await sessionRow(page, 'Look on').click();
    const tab = await tabOf(page, 'ses_three');
    await button(tab, 'Open parent session').waitFor();
    await running.play({ ...TALK, say: 'And on' });
    await expect.poll(() => turns(tab).count()).toBe(2);
    await running.close();
    await tab.getByRole('note', { name: 'Read-only' }).waitFor({ state: 'detached' });
  });

  test('is there again after a reload of the window, whichever tab was in front', async () => {
    const { page } = workbench;
    await page.reload();
    const title = page.locator('.tab', { hasText: 'Explorer: Find the flaky test' });
    await title.waitFor({ timeout: START_MS });
    await title.click();
    const tab = await tabOf(page, 'ses_one');
    await expect.poll(() => turns(tab).count(), { timeout: START_MS }).toBe(2);
  });
});
