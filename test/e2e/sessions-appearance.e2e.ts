import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newWorkspace, setSideBarWidth } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { inEachTheme, screenshot } from './harness/index.ts';
import { DAMAGED, writeScenes } from './session-scenes.ts';
import { sessionRow, sessionsPane, showSessions } from './sessions-driver.ts';

const workbench = chatWindow();

describe('sessions in every theme', () => {
  beforeAll(async () => {
    await workbench.open(
      { workspace: await newWorkspace(), settings: { 'ledgerline.provider': 'offline' } },
      { width: 900, height: 800 },
    );
    await setSideBarWidth(workbench.page, 300);
    await showSessions(workbench.page);
  });

  afterAll(workbench.close);

  test('without a session, and with some in several states', async () => {
    const { page } = workbench;
    await sessionsPane(page).getByText('There is no session in this folder yet.').waitFor();
    await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-sessions-welcome`)));
    await writeScenes(await workbench.vscode.storageDir());
    const damaged = sessionRow(page, DAMAGED.title);
    await damaged.waitFor();
    await inEachTheme(page, async (theme) => {
      expect(await damaged.locator('.codicon-warning').count()).toBe(1);
      await screenshot(page, `${theme}-sessions-tree`);
    });
  });
});
