import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { hoverWith, textWith } from './diagnostics-driver.ts';
import { acceptProposedName } from './export-driver.ts';
import { chooseFromQuickInput, notification } from './harness/index.ts';
import { quickInput, sessionWith } from './sessions-driver.ts';

const workbench = chatWindow();

afterAll(workbench.close);

test('where VS Code speaks German, so does all that Ledgerline shows in it', async () => {
  const workspace = await newWorkspace({ '.vscode/settings.json': '{ "ledgerline.maxRounds": "many" }' });
  const chat = await workbench.open(
    { workspace, settings: { 'ledgerline.provider': 'offline' } },
    { language: 'de' },
  );
  const { page } = workbench;

  // A setting of the workspace that is not valid is one notice, with what it has to be.
  await expect
    .poll(() => chat.locator('.notice p', { hasText: 'ledgerline.maxRounds' }).allTextContents())
    .toEqual([
      'ledgerline.maxRounds in den Einstellungen des Arbeitsbereichs ist nicht gültig. Es muss eine ganze Zahl von 1 bis 1000 sein. Bis zur Korrektur wird der Wert übergangen.',
    ]);

  // The status bar says that somebody is asked.
  expect(await chat.locator('html').getAttribute('lang')).toBe('de');
  await chat.getByRole('textbox', { name: 'Nachricht' }).fill('write note.txt: hello');
  await button(chat, 'Senden').click();
  const status = page.locator('.statusbar');
  await status.getByRole('button', { name: /^Ledgerline: Braucht Sie: 1 Genehmigung/u }).waitFor();
  await button(chat, 'Genehmigen').click();
  await chat.getByRole('log', { name: 'Unterhaltung' }).getByText('Abgeschlossen').waitFor();

  // The tree proves its states.
  const pane = page.locator('.pane', { has: page.locator('.pane-header[aria-label^="Diagnose"]') });
  await pane.locator('.pane-header').click();
  const turn = pane.getByRole('treeitem', { name: /^write note\.txt: hello, Abgeschlossen, 1 Aufruf/u });
  const evidence = await hoverWith(page, turn, 'Abgeschlossen: Antwort bei seq');
  expect(evidence).toContain('1 von 1 Aufrufen haben ihr Ergebnis, nichts offen.');

  // A report is a document.
  await runCommand(page, 'Sitzung prüfen');
  expect(await textWith(page, '# Diagnose: Bereit')).toMatch(/(\d+) von \1 in Ordnung/u);

  // An export is a list, a notification and a file.
  await chooseFromQuickInput(page, {
    open: async () => {
      await runCommand(page, 'Sitzung exportieren...');
      await quickInput(page).getByText('„write note.txt: hello“ exportieren').waitFor();
    },
    hasText: /^Markdown\s*Alle Runden mit ihren Belegen, als Text für Menschen/u,
  });
  await acceptProposedName(page);
  const file = path.join(workspace, `${await sessionWith(workbench.vscode, 'write note.txt')}.md`);
  await notification(page, `Die Sitzung wurde nach ${file} exportiert.`);
  expect(await readFile(file, 'utf8')).toContain('- Zustand: Abgeschlossen\n- Beleg: ');
});
