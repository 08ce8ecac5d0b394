import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readSkillFile } from '../../src/app/skill-file.ts';
import { toldSkills } from '../../src/app/told-skills.ts';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { sessionCommands } from '../../src/host/session-commands.ts';
import { exportSession } from '../../src/host/session-export.ts';
import { importSession } from '../../src/host/session-import.ts';
import { searchInSessions } from '../../src/host/session-search-picker.ts';
import { pickSkill } from '../../src/host/skill-picker.ts';
import { record, ROUNDS, TALK } from '../storage/recorded-session.ts';
import { makePlace } from '../support/headless.ts';
import { openedWindow, type OpenedWindow } from './opened-window.ts';
import { double, folder, Uri, vscodeDouble } from './vscode-double.ts';

interface Line {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** The list of a search, whose person is the test. */
class SearchList {
  title = '';
  placeholder = '';
  value = '';
  busy = false;
  items: readonly Line[] = [];
  activeItems: readonly Line[] = [];
  selectedItems: readonly Line[] = [];
  private readonly changed = new vscodeDouble.EventEmitter();
  private readonly accepted = new vscodeDouble.EventEmitter();
  private readonly hidden = new vscodeDouble.EventEmitter();
  readonly onDidChangeValue = this.changed.event;
  readonly onDidTriggerButton = new vscodeDouble.EventEmitter().event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;

  show(): void {
    person.search = this;
  }

  hide(): void {
    this.hidden.fire(undefined);
  }

  dispose(): void {
    this.changed.dispose();
  }

  type(words: string): void {
    this.value = words;
    this.changed.fire(words);
  }

  take(line: Line | undefined): void {
    this.selectedItems = line === undefined ? [] : [line];
    this.accepted.fire(undefined);
  }
}

/** What was offered to the person, and what they answer. */
const person = {
  lists: [] as { readonly title: string; readonly lines: readonly string[] }[],
  search: null as SearchList | null,
  /** The file that they import, and the button of that dialog. */
  file: '',
  openLabel: '',
};

function inWords({ label, description, detail }: Line): string {
  return [label, description, detail].filter((part) => part !== undefined).join(' | ');
}

vi.mock('vscode', async () => {
  const { vscodeDouble: own } = await import('./vscode-double.ts');
  const german = await bundleOf('de');
  return {
    ...own,
    env: { ...own.env, language: 'de' },
    UIKind: { Desktop: 1, Web: 2 },
    QuickInputButtons: { Back: {} },
    l10n: {
      t: (words: string, ...values: readonly unknown[]) =>
        (german[words] ?? words).replaceAll(/\{(\d)\}/gu, (_, at: string) => String(values[Number(at)])),
    },
    window: {
      ...own.window,
      createQuickPick: () => new SearchList(),
      showQuickPick: async (items: readonly Line[], { title = '', canPickMany = false } = {}) => {
        person.lists.push({ title, lines: items.map(inWords) });
        if (canPickMany) return items;
        const label = double.answers.shift();
        return items.find((one) => one.label === label);
      },
      // They take the name that is proposed.
      showSaveDialog: async ({ defaultUri }: { defaultUri?: Uri }) => defaultUri,
      showOpenDialog: async ({ openLabel = '' }: { openLabel?: string }) => {
        person.openLabel = openLabel;
        return [Uri.file(person.file)];
      },
      withProgress: async (_: unknown, work: () => Promise<unknown>) => work(),
    },
    workspace: {
      ...own.workspace,
      get workspaceFolders() {
        return double.folders;
      },
      fs: {
        stat: async ({ fsPath }: Uri) => stat(fsPath),
        readFile: async ({ fsPath }: Uri) => readFile(fsPath),
        writeFile: async ({ fsPath }: Uri, bytes: Uint8Array) => writeFile(fsPath, bytes),
      },
    },
  };
});

let place: Awaited<ReturnType<typeof makePlace>>;
let window: OpenedWindow;

beforeEach(async () => {
  double.settings = { provider: 'offline' };
  person.lists = [];
  person.search = null;
  person.openLabel = '';
  place = await makePlace();
  double.folders = [folder(place.workspace)];
  window = openedWindow(place);
  await record(window.store, [{ ...ROUNDS, say: 'write note.txt: hello' }], 'ses_1');
});

afterEach(async () => {
  await window.close();
  await place.remove();
});

test('a search helps, finds, says what is wrong and ends in German', async () => {
  const { sessions, log } = window.parts;
  const over = searchInSessions(await sessions.sessions(), await sessions.all(), log);
  const { search: list } = person;
  if (list === null) throw new Error('no list was shown');
  expect([list.title, list.placeholder]).toEqual([
    'In allen Sitzungen suchen',
    'Wörter und Filter, etwa state:failed',
  ]);
  expect(list.items.at(-1)?.label).toBe('Beispiel');
  list.type('state:faild note');
  expect(list.items[0]?.label).toBe('„faild“ ist kein Zustand.');
  list.type('state:completed tool:write after:yesterday hello');
  list.take(list.items[0]);
  expect(list.title).toMatch(
    /^In allen Sitzungen suchen: „hello“ · Zustand: Abgeschlossen · Werkzeug: write · Gefragt seit \d+\.\d+\.\d+$/u,
  );
  await expect.poll(() => list.placeholder).toMatch(/^1 Runde enthält es\./u);
  expect(list.items.map(({ label, detail }) => [label, detail])).toEqual([
    ['write note.txt: hello', 'Nachricht · Abgeschlossen · write note.txt: hello'],
    ['Suche ändern', undefined],
  ]);
  list.take(list.items.at(-1));
  list.type('"Nobody ever said this"');
  list.take(list.items[0]);
  await expect.poll(() => list.placeholder).toBe('Es wurde nichts gefunden.');
  list.hide();
  expect(await over).toBeUndefined();
});

test('the list of skills says in German why one cannot be used', async () => {
  const file = readSkillFile('---\ndescription: d\ndisable-model-invocation:true\n---\n', 'broken');
  if (file.ok) throw new Error('the file can be used');
  const at = {
    name: 'broken',
    path: '.agents/skills/broken/SKILL.md',
    file: '/w',
    origin: 'workspace',
  } as const;
  const skills = toldSkills([{ ...at, ...file }], () => false);
  await pickSkill({ host: async () => ({ skills: async () => skills }) });
  expect(person.lists).toEqual([
    {
      title: 'Skills',
      lines: [
        'Nicht verwendbar',
        '/broken | Arbeitsbereich · .agents/skills/broken/SKILL.md | Zeile 3 ist kein Feld wie „name: Wert“.',
      ],
    },
  ]);
});

test('a bundle is chosen, shown, saved and imported in German', async () => {
  person.file = path.join(place.workspace, 'ses_1.ledgerline-bundle.jsonl');
  const texts: string[] = [];
  vi.spyOn(window.parts.documents, 'add').mockImplementation((name, _, text) => {
    texts.push(text);
    return Uri.file(name) as never;
  });
  double.answers = ['Paket für einen Fehlerbericht', 'Paket speichern…'];
  await exportSession(window.parts, 'ses_1');
  expect(person.lists).toEqual([
    {
      title: '„write note.txt: hello“ exportieren',
      lines: [
        'Markdown | Alle Runden mit ihren Belegen, als Text für Menschen',
        'HTML | Dasselbe als eine Seite, die nichts ausführt und nichts nachlädt',
        'Paket für einen Fehlerbericht | Ohne Geheimnisse, Pfade und Inhalte, wie Sie wählen; Sie sehen es, bevor es geschrieben wird',
        'Protokoll, wie es ist | Jedes Ereignis, Byte für Byte, mit allem, was gesagt wurde',
      ],
    },
    {
      title: '„write note.txt: hello“ exportieren: was entfernt wird',
      lines: [
        'Geheimnisse | Schlüssel, Tokens, Kennwörter und was danach aussieht',
        'Pfade | Ordner dieses Rechners, sein Name und der seines Benutzers, Branches',
        'Dateinamen | Dateien und Ordner des Arbeitsbereichs, durch feste Pseudonyme',
        'Inhalte | Eingaben, Antworten, Gedanken, Argumente, Ausgaben, Anhänge, Zusammenfassungen',
      ],
    },
  ]);
  const [shown, summary = ''] = texts;
  expect(summary).toMatch(/^# Was hinausgeht\n/u);
  expect(summary).toContain('Das andere Dokument ist die Datei, Byte für Byte.');
  expect(summary).toContain('## Entfernt');
  expect(await readFile(person.file, 'utf8')).toBe(shown);

  await importSession(window.parts);
  expect(person.openLabel).toBe('Importieren');
  expect(double.questions).toEqual([
    expect.stringMatching(
      /^Das ist das Paket und was daraus entfernt wurde \(\d+ kB\)\. Noch ist nichts geschrieben, und nichts wird irgendwohin gesendet\.$/u,
    ),
    `Die Sitzung wurde nach ${person.file} exportiert.`,
    'Das Paket wurde als Sitzung importiert, die gelesen und abgezweigt, aber nie verändert wird.',
  ]);
});

test('what is shown of a bundle is saved, changed or left in German, and nothing is written of one that is left', async () => {
  vi.spyOn(window.parts.documents, 'add').mockImplementation((name) => Uri.file(name) as never);
  double.answers = ['Paket für einen Fehlerbericht', 'Abbrechen'];
  await exportSession(window.parts, 'ses_1');
  expect(double.buttons).toEqual(['Paket speichern…', 'Ändern, was entfernt wird', 'Abbrechen']);
  expect(double.questions).toHaveLength(1);
  expect(await readdir(place.workspace)).toEqual([]);
});

test('an export as a page runs nothing and asks for nothing, under the name of its session', async () => {
  const say = 'help <script src="https://evil.example/x.js"></script> <img src=x onerror=alert(1)>';
  await record(window.store, [{ ...TALK, say }], 'ses_2');
  double.answers = ['HTML'];
  await sessionCommands(window.parts).exportSession('ses_2');
  const file = path.join(place.workspace, 'ses_2.html');
  expect(double.questions).toEqual([`Die Sitzung wurde nach ${file} exportiert.`]);
  const page = await readFile(file, 'utf8');
  expect(page).toMatch(/^<!doctype html>\n<html lang="de">/u);
  expect(page).toMatch(/<title>Sitzung: help &lt;script src=/u);
  const styles = [...page.matchAll(/<style>(.*?)<\/style>/gsu)].map(([, style = '']) => style);
  const hashes = styles.map((style) => createHash('sha256').update(style).digest('base64'));
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/u.exec(page)?.[1];
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    ...hashes.map((hash) => `style-src 'sha256-${hash}'`),
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
  ]);
  expect(hashes).toHaveLength(1);
  expect(page).not.toMatch(/<(?:script|link|img|iframe|object|base|form)\b|<[^>]*\son\w+=/iu);
  // What leads somewhere leads into the page itself.
  expect(page).not.toMatch(/<[^>]*\s(?:src|href|action|srcset)\s*=\s*"(?!#)|url\(|@import/iu);
});

test('what an export writes for people is German around words that are not', async () => {
  person.file = path.join(place.workspace, 'ses_1.md');
  double.answers = ['Markdown'];
  await exportSession(window.parts, 'ses_1');
  const text = await readFile(person.file, 'utf8');
  expect(text).toContain('- Zustand: Abgeschlossen\n- Beleg: ');
  expect(text).toContain('```text\nwrite note.txt: hello\n```');
});

test('a file that is no bundle is refused in German, with the line', async () => {
  person.file = path.join(place.workspace, 'bad.jsonl');
  await writeFile(person.file, '{"format":"zip"}\n');
  await importSession(window.parts);
  expect(double.questions).toEqual([
    `${person.file} wurde nicht importiert: Zeile 1: das ist kein Paket von Ledgerline. Nichts wurde verändert.`,
  ]);
});
