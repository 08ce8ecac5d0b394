import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from './appearance-stage.ts';
import { inEachTheme, screenshot } from './harness/index.ts';
import { DAMAGED, writeScenes } from './session-scenes.ts';
import { hideSessions, sessionRow, sessionsPane, showSessions } from './sessions-driver.ts';

/** In a workspace that has no session yet. */
export function sessionsInEveryTheme(stage: Stage): void {
  describe('sessions, in every theme', () => {
    beforeAll(() => showSessions(stage.page));
    afterAll(() => hideSessions(stage.page));

    test('without one, and with some in several states', async () => {
      const { page, vscode } = stage;
      await sessionsPane(page).getByText('There is no session in this folder yet.').waitFor();
      await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-sessions-welcome`)));
      await writeScenes(await vscode.storageDir());
      const damaged = sessionRow(page, DAMAGED.title);
      await damaged.waitFor();
      await inEachTheme(page, async (theme) => {
        expect(await damaged.locator('.codicon-warning').count()).toBe(1);
        await screenshot(page, `${theme}-sessions-tree`);
      });
    });
  });
}
