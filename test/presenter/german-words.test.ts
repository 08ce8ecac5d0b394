import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { projectPath } from '../../src/dev/project.mjs';

const bundle = await bundleOf('de');
const manifest: unknown = JSON.parse(
  await readFile(projectPath('media', 'l10n', 'package.nls.de.json'), 'utf8'),
);
const titles = typeof manifest === 'object' && manifest !== null ? Object.entries(manifest) : [];
const all: readonly string[] = [...Object.values(bundle), ...titles.map(([, words]) => String(words))];

/** For one thing one word: on the left those that were not chosen. */
const CHOSEN: readonly (readonly [RegExp, string])[] = [
  [/Datenstrom/u, 'Übertragung'],
  [/Überlegung/u, 'Gedanken'],
  [/abgetrennt/iu, 'losgelöst'],
  [/geheime\w* Speicher/u, 'sicherer Speicher'],
  [/freiwillig/u, 'optional'],
  [/\bId\b/u, 'ID'],
  [/Beenden und verlassen/u, 'Stoppen und verlassen'],
  [/modus wählen/u, 'modus auswählen'],
  [/Ctrl\+|\+Enter\b|\+Option\b/u, 'Strg+, +Eingabe, +Alt'],
];

test.each(CHOSEN)('%s is said in another word', (other) => {
  expect(all.filter((words) => other.test(words))).toEqual([]);
});

test('titles of commands that ask for more end as those of VS Code do', () => {
  const commands = titles.filter(([key]) => key.startsWith('command.')).map(([, words]) => String(words));
  expect(commands.filter((title) => title.includes('…') || title.endsWith(' ...'))).toEqual([]);
});

test('the reports about a session are asked for in German', () => {
  const named = new Map<string, unknown>(titles);
  expect([named.get('command.diagnose'), named.get('command.inspectRequest')]).toEqual([
    'Sitzung prüfen',
    'Anfrage untersuchen',
  ]);
});

test('answering is a verb on a button, and an answer a noun', () => {
  expect([bundle['Answer'], bundle['Your answer'], bundle['Answer of the model']]).toEqual([
    'Antworten',
    'Ihre Antwort',
    'Antwort des Modells',
  ]);
});
