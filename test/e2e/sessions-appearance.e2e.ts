import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newWorkspace, setSideBarWidth, turns } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { type ColorTheme, screenshot } from './harness/index.ts';
import { DAMAGED, SCENES, writeScenes } from './session-scenes.ts';
import { sessionRow, sessionRows, sessionsPane, showSessions } from './sessions-driver.ts';

const THEMES: readonly ColorTheme[] = ['dark', 'light', 'hc-dark', 'hc-light'];

const workbench = chatWindow();

describe.each(THEMES)('sessions in %s', (colorTheme) => {
  let chat: Frame;

  beforeAll(async () => {
    chat = await workbench.open(
      { workspace: await newWorkspace(), settings: { 'ledgerline.provider': 'offline' } },
      { colorTheme, width: 900, height: 800 },
    );
    await setSideBarWidth(workbench.page, 300);
    await showSessions(workbench.page);
  });

  afterAll(workbench.close);

  test('every state has its icon, and the header fits', async () => {
    const { page } = workbench;
    await sessionsPane(page).getByText('There is no session in this workspace yet.').waitFor();
    await screenshot(page, `${colorTheme}-sessions-welcome`);
    await writeScenes(await workbench.vscode.storageDir());
    await sessionRow(page, DAMAGED.title).waitFor();
    await sessionRow(page, 'Archived').click();
    for (const { title, icon } of SCENES) {
      const row = sessionRow(page, title);
      await row.waitFor();
      expect([title, await row.locator(`.${icon}`).count()]).toEqual([title, 1]);
    }
    expect(await sessionRows(page).first().textContent()).toContain('Publish the new version');
    await sessionRow(page, 'Why does login').click();
    await turns(chat).filter({ hasText: 'The clock.' }).waitFor();
    await sessionRow(page, /Why does login.*open/).waitFor();
    await page
      .locator('.activitybar')
      .getByText('1')
      .or(page.locator('.activitybar .badge-content'))
      .first()
      .waitFor();
    await screenshot(page, `${colorTheme}-sessions-tree`);
    const title = chat.getByRole('heading', { level: 1 }).getByRole('button');
    expect(await title.getAttribute('title')).toMatch(/^Why does login.*Mondays\?$/);
    const overflow = await chat.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await title.click();
    await page.locator('.quick-input-list').getByText('Publish the new version').waitFor();
    await screenshot(page, `${colorTheme}-sessions-picker`);
    await page.keyboard.press('Escape');
  });
});
