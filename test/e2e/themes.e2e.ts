import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import { themeFile, themeOf, usedVariables } from '../page/bridge/themes.ts';
import { THEMES } from '../support/browser/color-themes.ts';
import { newWorkspace } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { inEachTheme } from './harness/index.ts';

const workbench = chatWindow();

afterAll(workbench.close);

/** Pages are tried without a workbench, in these colours: with LEDGERLINE_TAKE_THEMES they are taken once more. */
test('the colours that pages are tried in are those of VS Code', async () => {
  const chat = await workbench.open({ workspace: await newWorkspace() });
  const used = usedVariables(await readFile(projectPath('dist', 'webview', 'main.css'), 'utf8'));
  await inEachTheme(
    workbench.page,
    async (name) => {
      const variables = await chat.evaluate(
        (names) =>
          Object.fromEntries(
            names
              .map((one) => [one, document.documentElement.style.getPropertyValue(one)] as const)
              .filter(([, value]) => value !== ''),
          ),
        used,
      );
      const theme = { kind: THEMES[name].kind, variables };
      if (process.env['LEDGERLINE_TAKE_THEMES'] !== undefined)
        await writeFile(themeFile(name), `${JSON.stringify(theme, undefined, 2)}\n`);
      expect(themeOf(name)).toEqual(theme);
    },
    chat,
  );
});
