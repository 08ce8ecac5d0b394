import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newWorkspace, runCommand, send, setSideBarWidth, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { hoverWith, shownText, textWith } from './diagnostics-driver.ts';
import { HOVERS, inEachTheme, screenshot, until } from './harness/index.ts';
import {
  expectRows,
  logPathOf,
  quickInput,
  sessionRow,
  sessionWith,
  showSessions,
} from './sessions-driver.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const BODY = 'x'.repeat(50_000);
const BODY_NAME = createHash('sha256').update(BODY).digest('hex');
const SECRET = `a secret ${'y'.repeat(40_000)}`;
const SECRET_NAME = createHash('sha256').update(SECRET).digest('hex');

const workbench = chatWindow();
let chat: Frame;
let storage: string;

let talk = '';

/** The log of a session that said this then, and was over. */
function logOf(id: string, say: string, at: number): string {
  return talk
    .replaceAll(/"session_id":"[^"]*"/g, `"session_id":"${id}"`)
    .replaceAll(/"fork_root_session_id":"[^"]*"/g, `"fork_root_session_id":"${id}"`)
    .replaceAll(/"ts":"[^"]*"/g, `"ts":"${new Date(at).toISOString()}"`)
    .replace('"text":"help"', `"text":"${say}"`);
}

async function old(file: string, at: number): Promise<void> {
  await utimes(file, at / 1000, at / 1000);
}

async function names(folder: string): Promise<readonly string[]> {
  return (await readdir(path.join(storage, folder)).catch((): string[] => [])).toSorted();
}

function toast(words: string): Locator {
  return workbench.page.locator('.notifications-toasts .notification-toast', { hasText: words });
}

function dialog(): Locator {
  return workbench.page.locator('.monaco-dialog-box');
}

/** The end of the document that is shown, once it has these words. */
async function endsWith(words: string): Promise<void> {
  await until({
    what: `the end of the document to say ${words}`,
    probe: async () => {
      await workbench.page.keyboard.press('Control+End');
      return (await shownText(workbench.page)).includes(words) ? true : undefined;
    },
  });
}

const OLD = `ses_old.${NOW - 40 * DAY_MS}`;
const YOUNG = `ses_young.${NOW - 3 * DAY_MS}`;

beforeAll(async () => {
  const workspace = await newWorkspace();
  chat = await workbench.open({ workspace, settings: { ...HOVERS, 'ledgerline.provider': 'offline' } });
  storage = await workbench.vscode.storageDir();
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  talk = await readFile(
    await logPathOf(workbench.vscode, await sessionWith(workbench.vscode, 'help')),
    'utf8',
  );
  for (const folder of ['trash', 'blobs']) await mkdir(path.join(storage, folder), { recursive: true });
  await writeFile(
    path.join(storage, 'trash', `${OLD}.jsonl`),
    logOf('ses_old', 'An old thought', NOW - 90 * DAY_MS),
  );
  await old(path.join(storage, 'trash', `${OLD}.jsonl`), NOW - 90 * DAY_MS);
  await writeFile(path.join(storage, 'trash', `${OLD}.torn-1`), 'a torn tail');
  await writeFile(
    path.join(storage, 'trash', `${YOUNG}.jsonl`),
    logOf('ses_young', 'A young one', NOW - 5 * DAY_MS),
  );
  await writeFile(path.join(storage, 'trash', `${YOUNG}.torn-1`), `{"blob":"${SECRET_NAME}`);
  for (const [name, body] of [
    [BODY_NAME, BODY],
    [SECRET_NAME, SECRET],
  ] as const) {
    await writeFile(path.join(storage, 'blobs', name), body);
    await old(path.join(storage, 'blobs', name), NOW - 2 * DAY_MS);
  }
  await showSessions(workbench.page);
  await expectRows(workbench.page, [/^help/]);
});

afterAll(workbench.close);

describe('the document about the storage', () => {
  test('says what each session takes, what is in the trash, and that nothing goes by itself', async () => {
    const { page } = workbench;
    await runCommand(page, 'Show Storage Use');
    const text = await textWith(page, '# Storage use: ');
    expect(text).toMatch(/Named by nothing\s+50 kB \(1\)\s+\[Set aside\]/);
    expect(text).toContain(
      'Nothing is archived or removed by itself. That is off in the retention settings.',
    );
    expect(text).toContain('Sessions, the largest first: 1');
    expect(text).toContain('In the trash: 2');
    expect(text).toMatch(/A young one · deleted/);
    expect(text).toContain('contents of its own 40 kB');
    await setSideBarWidth(page, 300);
    await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-storage-document`)));
  });

  test('is beside the line of a session: what it takes alone is in its hover once that is known', async () => {
    const { page } = workbench;
    expect(await hoverWith(page, sessionRow(page, 'help'), 'Stored for it alone: ')).toMatch(
      /Size:\s[\d.]+\skB.*Stored\sfor\sit\salone:\s[\d.]+\skB/s,
    );
    await screenshot(page, 'storage-hover');
  });
});

describe('contents that nothing names', () => {
  test('are set aside, and kept', async () => {
    await runCommand(workbench.page, 'Set Unused Contents Aside');
    await toast('Set aside, since nothing names it any more: 1 content, 50 kB.').waitFor();
    expect(await names('blobs')).toEqual([SECRET_NAME]);
    expect((await names('blobs-unused')).map((name) => name.replace(/\.\d+$/, ''))).toEqual([BODY_NAME]);
    await textWith(workbench.page, 'Kept aside');
  });
});

describe('the trash', () => {
  test('is emptied of what is old, after a question that says what goes; the first button keeps it', async () => {
    const { page } = workbench;
    await runCommand(page, 'Empty Old Trash...');
    await dialog().getByText('Remove 1 session for good?').waitFor();
    expect(await dialog().textContent()).toMatch(/An old thought.*This frees/s);
    expect(await dialog().textContent()).not.toContain('A young one');
    await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-storage-empty-trash`)));
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect(await names('trash')).toEqual([
      `${OLD}.jsonl`,
      `${OLD}.torn-1`,
      `${YOUNG}.jsonl`,
      `${YOUNG}.torn-1`,
    ]);
    await runCommand(page, 'Empty Old Trash...');
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await toast('1 session was removed for good').waitFor();
    expect(await names('trash')).toEqual([`${YOUNG}.jsonl`, `${YOUNG}.torn-1`]);
    const journal = (await readFile(path.join(storage, 'storage-journal.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n');
    expect(journal.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
      'changed',
      'removal_started',
      'removal_finished',
    ]);
    await runCommand(page, 'Show Storage Use');
    await endsWith('Removed for good so far: 1');
  });

  test('gives up a young one only when a person asks for that one, with its contents', async () => {
    const { page } = workbench;
    await runCommand(page, 'Remove Deleted Session for Good...');
    await quickInput(page).getByText('A young one').click();
    await dialog().getByText('Remove “A young one” for good, before its 30 days are over?').waitFor();
    await screenshot(page, 'storage-remove-one');
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await toast('“A young one” was removed for good').waitFor();
    expect([await names('trash'), await names('blobs')]).toEqual([[], []]);
    expect(await readFile(path.join(storage, 'storage-journal.jsonl'), 'utf8')).not.toContain('A young one');
  });
});

describe('retention', () => {
  test('does nothing by default, however old a session is', async () => {
    const log = path.join(storage, 'sessions', 'ses_unused.jsonl');
    await writeFile(log, logOf('ses_unused', 'Long ago', NOW - 100 * DAY_MS));
    await old(log, NOW - 100 * DAY_MS);
    await expectRows(workbench.page, [/^help/, /^Long ago/]);
    await runCommand(workbench.page, 'Show Storage Use');
    await textWith(workbench.page, 'Nothing is archived or removed by itself.');
    expect(await names('sessions')).toContain('ses_unused.jsonl');
    expect((await readdir(storage)).includes('retention.json')).toBe(false);
  });

  test('archives what was not used for so long, says so, and takes it back', async () => {
    const { page, vscode } = workbench;
    await vscode.updateSettings({ 'ledgerline.retention.archiveAfterDays': 90 });
    const said = toast('1 session was archived, unused for 90 days.');
    await said.waitFor({ timeout: 60_000 });
    await expectRows(page, [/^help/, 'Archived']);
    await screenshot(page, 'storage-retention');
    await said.getByRole('button', { name: 'Undo' }).click();
    await expectRows(page, [/^help/, /^Long ago/]);
  });

  test('removes from the trash no sooner than after 30 days, whatever is set', async () => {
    const { page, vscode } = workbench;
    const young = path.join(storage, 'trash', `${YOUNG}.jsonl`);
    const due = path.join(storage, 'trash', `${OLD}.jsonl`);
    await writeFile(young, logOf('ses_young', 'A young one', NOW - 5 * DAY_MS));
    await writeFile(due, logOf('ses_old', 'An old thought', NOW - 90 * DAY_MS));
    await old(due, NOW - 90 * DAY_MS);
    await vscode.updateSettings({
      'ledgerline.retention.archiveAfterDays': 0,
      'ledgerline.retention.trashDays': 7,
    });
    await toast('1 session was removed from the trash for good').waitFor({ timeout: 60_000 });
    expect(await names('trash')).toEqual([`${YOUNG}.jsonl`]);
    await runCommand(page, 'Show Storage Use');
    await textWith(
      workbench.page,
      'The setting says 7 days, but the trash keeps everything for at least 30.',
    );
    await endsWith('by the retention settings');
  });
});
