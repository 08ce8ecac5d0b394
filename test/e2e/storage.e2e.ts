import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { hoverWith, textWith } from './diagnostics-driver.ts';
import { acceptProposedName, importFile } from './export-driver.ts';
import {
  answerToast,
  changeSettings,
  chooseFromQuickInput,
  clearToast,
  toast,
  until,
  notification,
} from './harness/index.ts';
import {
  expectRows,
  logPathOf,
  quickInput,
  sessionRow,
  sessionWith,
  showSessions,
} from './sessions-driver.ts';

/** What is kept, removed, taken out and brought in, in one window that goes on from test to test. */

const DAY_MS = 86_400_000;
const NOW = Date.now();
const BODY = 'x'.repeat(50_000);
const BODY_NAME = createHash('sha256').update(BODY).digest('hex');
const SECRET_BODY = `a secret ${'y'.repeat(40_000)}`;
const SECRET_NAME = createHash('sha256').update(SECRET_BODY).digest('hex');
const OLD = `ses_old.${NOW - 40 * DAY_MS}`;
const YOUNG = `ses_young.${NOW - 3 * DAY_MS}`;

const workbench = chatWindow();
let chat: Frame;
let workspace: string;
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

async function write(name: string, text: string, at: number): Promise<void> {
  const file = path.join(storage, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  await utimes(file, at / 1000, at / 1000);
}

async function names(folder: string): Promise<readonly string[]> {
  return (await readdir(path.join(storage, folder))).toSorted();
}

function dialog(): Locator {
  return workbench.page.locator('.monaco-dialog-box');
}

beforeAll(async () => {
  workspace = await newWorkspace();
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  storage = await workbench.vscode.storageDir();
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  const { vscode, page } = workbench;
  talk = await readFile(await logPathOf(vscode, await sessionWith(vscode, 'help')), 'utf8');
  const [long, recent] = [NOW - 90 * DAY_MS, NOW - 5 * DAY_MS];
  await write(`trash/${OLD}.jsonl`, logOf('ses_old', 'An old thought', long), long);
  await write(`trash/${OLD}.torn-1`, 'a torn tail', NOW);
  await write(`trash/${YOUNG}.jsonl`, logOf('ses_young', 'A young one', recent), recent);
  await write(`trash/${YOUNG}.torn-1`, `{"blob":"${SECRET_NAME}`, NOW);
  await write(`blobs/${BODY_NAME}`, BODY, NOW - 2 * DAY_MS);
  await write(`blobs/${SECRET_NAME}`, SECRET_BODY, NOW - 2 * DAY_MS);
  await showSessions(page);
  await expectRows(page, [/^help/]);
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
  });

  test('is beside the line of a session: what it takes alone is in what is said of it', async () => {
    const { page } = workbench;
    expect(await hoverWith(page, sessionRow(page, 'help'), 'Stored for it alone: ')).toMatch(
      /Size:\s[\d.]+\skB.*Stored\sfor\sit\salone:\s[\d.]+\skB/s,
    );
  });
});

test('contents that nothing names are set aside, and kept', async () => {
  await runCommand(workbench.page, 'Set Unused Contents Aside');
  await notification(workbench.page, 'Set aside, since nothing names it any more: 1 content, 50 kB.');
  expect(await names('blobs')).toEqual([SECRET_NAME]);
  expect((await names('blobs-unused')).map((name) => name.replace(/\.\d+$/, ''))).toEqual([BODY_NAME]);
  await textWith(workbench.page, 'Kept aside');
});

describe('the trash', () => {
  test('is emptied of what is old, after a question that says what goes; the first button keeps it', async () => {
    const { page } = workbench;
    await runCommand(page, 'Empty Old Trash...');
    await dialog().getByText('Remove 1 session for good?').waitFor();
    expect(await dialog().textContent()).toMatch(/An old thought.*This frees/s);
    expect(await dialog().textContent()).not.toContain('A young one');
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
    await notification(page, '1 session was removed for good');
    expect(await names('trash')).toEqual([`${YOUNG}.jsonl`, `${YOUNG}.torn-1`]);
    const journal = await readFile(path.join(storage, 'storage-journal.jsonl'), 'utf8');
    expect(
      journal
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    ).toEqual(['changed', 'removal_started', 'removal_finished']);
    await runCommand(page, 'Show Storage Use');
    await textWith(page, 'Removed for good so far: 1');
  });

  test('gives up a young one only when a person asks for that one, with its contents', async () => {
    const { page } = workbench;
    await chooseFromQuickInput(page, {
      open: () => runCommand(page, 'Remove Deleted Session for Good...'),
      hasText: 'A young one',
    });
    await dialog().getByText('Remove “A young one” for good, before its 30 days are over?').waitFor();
    await dialog().getByRole('button', { name: 'Remove for good' }).click();
    await notification(page, '“A young one” was removed for good');
    expect([await names('trash'), await names('blobs')]).toEqual([[], []]);
    expect(await readFile(path.join(storage, 'storage-journal.jsonl'), 'utf8')).not.toContain('A young one');
  });
});

test('a retention that is set archives what was not used for so long, says so, and takes it back', async () => {
  const { page, vscode } = workbench;
  const long = NOW - 100 * DAY_MS;
  await write('sessions/ses_unused.jsonl', logOf('ses_unused', 'Long ago', long), long);
  await expectRows(page, [/^help/, /^Long ago/]);
  await changeSettings(vscode, { 'ledgerline.retention.archiveAfterDays': 90 }, () =>
    sessionRow(page, 'Archived').isVisible(),
  );
  await expectRows(page, [/^help/, 'Archived']);
  await answerToast(page, '1 session was archived, unused for 90 days.', 'Undo');
  await expectRows(page, [/^help/, /^Long ago/]);
});

const IMPORT = { command: 'Import Session...', button: 'Import' };

function exportAs(hasText: string): Promise<void> {
  const { page } = workbench;
  return chooseFromQuickInput(page, { open: () => runCommand(page, 'Export Session...'), hasText });
}

function saidOf(file: string): string {
  return `The session was exported to ${file}.`;
}

describe('an export', () => {
  const PASSWORD = 'hunter2hunter2';
  const PROMPT = `help <img src=x onerror="window.hacked=1"> PASSWORD=${PASSWORD}`;
  let id: string;
  let bundle: string;

  beforeAll(async () => {
    await button(chat, 'New session').click();
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await send(chat, PROMPT);
    await turnIn(chat, 'completed');
    id = await sessionWith(workbench.vscode, PASSWORD);
  });

  test('asks for the form, and writes Markdown with the evidence of each turn', async () => {
    const { page } = workbench;
    await exportAs('Markdown');
    await acceptProposedName(page);
    const file = path.join(workspace, `${id}.md`);
    await clearToast(page, saidOf(file));
    const text = await readFile(file, 'utf8');
    expect(text).toContain('## Turn 1\n\n- State: Completed\n- Evidence: a whole answer at seq ');
    expect(text).toContain(`\`\`\`text\n${PROMPT}\n\`\`\``);
  });

  test('of the log as it is says where it is, and opens it', async () => {
    const { page, vscode } = workbench;
    await exportAs('Log as it is');
    await acceptProposedName(page);
    const file = path.join(workspace, `${id}.jsonl`);
    await button(await notification(page, saidOf(file)), 'Reveal').waitFor();
    await answerToast(page, saidOf(file), 'Open');
    await page.getByRole('tab', { name: `${id}.jsonl`, selected: true }).waitFor();
    await access(file);
    expect(await readFile(file, 'utf8')).toBe(await readFile(await logPathOf(vscode, id), 'utf8'));
  });

  test('for a bug report is shown before it is written, can be changed, and is written as it was shown', async () => {
    const { page } = workbench;
    await exportAs('Bundle for a bug report');
    const choices = quickInput(page).getByRole('checkbox', { checked: true });
    await expect.poll(() => choices.count()).toBeGreaterThanOrEqual(4);
    await page.keyboard.press('Enter');
    const words = 'Nothing is written yet, and nothing is sent anywhere.';
    const summary = page.locator('.tab', { hasText: 'What leaves' });
    await summary.waitFor();
    await answerToast(page, words, 'Change what is removed');
    await quickInput(page).getByRole('button', { name: 'OK' }).waitFor();
    await expect.poll(() => summary.count()).toBe(0);
    await page.keyboard.press('Enter');
    await button(await notification(page, words), 'Save bundle…').waitFor();
    const shown = await until({
      what: 'the first line of the bundle in its editor',
      probe: async () => {
        const text = (await page.locator('.editor-instance .view-line').allTextContents()).join('\n');
        return /"sha256":"([0-9a-f]{64})"/u.exec(text.replaceAll('\u00a0', ' '))?.[1];
      },
    });
    await answerToast(page, words, 'Save bundle…');
    await acceptProposedName(page);
    bundle = path.join(workspace, `${id}.ledgerline-bundle.jsonl`);
    await clearToast(page, saidOf(bundle));
    const text = await readFile(bundle, 'utf8');
    const [first = '', ...rest] = text.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      removed: ['secrets', 'paths', 'file_names', 'contents'],
      sha256: shown,
    });
    expect(createHash('sha256').update(rest.join('\n')).digest('hex')).toBe(shown);
    expect(text).not.toMatch(/hunter2|hacked|onerror/u);
    expect(text).not.toContain(workspace);
  });

  test('is imported as a session that is read, marked and forked, and never written to', async () => {
    const { page } = workbench;
    await importFile(page, bundle, IMPORT);
    const banner = chat.getByRole('note', { name: 'Read-only' });
    await banner.getByText('This session was imported from a bundle without its contents.').waitFor();
    await notification(page, 'The bundle was imported as a session');
    const row = sessionRow(page, /\[removed: \d+ characters/);
    await expect.poll(() => row.locator('.label-description').textContent()).toMatch(/^imported · .*open$/);
    await turnIn(chat, 'completed');
    await button(chat, 'Fork this session').click();
    await expect.poll(() => banner.count()).toBe(0);
  });

  test('that is none is refused with the line, and nothing changes', async () => {
    const { page } = workbench;
    const file = path.join(workspace, 'bad.jsonl');
    await writeFile(file, '{"format":"zip"}\n');
    const before = await names('sessions');
    await importFile(page, file, IMPORT);
    await notification(
      page,
      `${file} was not imported: line 1: this is no bundle of Ledgerline. Nothing was changed.`,
    );
    expect(await names('sessions')).toEqual(before);
    await expect.poll(() => toast(page, 'Checking the bundle…').count()).toBe(0);
  });
});
