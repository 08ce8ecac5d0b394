import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evidence, more, undone } from '../support/browser/evidence-driver.ts';
import { button, waitingCards } from '../support/browser/cards.ts';
import { turnEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setSideBarWidth } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { COMMANDS_KEY, FILES_KEY, quickInputRows, takeFromQuickInput, until } from './harness/index.ts';

/** Changes of files in VS Code's own editors and lists. One test goes on where the last ended. */

const BEFORE = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', ''].join('\n');
const AFTER = BEFORE.replace('two', 'TWO');
const SINCE = AFTER.replace('seven', 'mine');
const MERGED = BEFORE.replace('seven', 'mine');

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({ 'poem.txt': BEFORE });
  chat = await workbench.open(
    {
      workspace: folder,
      settings: {
        'ledgerline.provider': 'offline',
        'git.enabled': false,
        'diffEditor.useInlineViewWhenSpaceIsLimited': false,
        'workbench.editor.enablePreview': true,
      },
    },
    { width: 1400, height: 900 },
  );
  await setSideBarWidth(workbench.page, 300);
});

afterAll(workbench.close);

async function content(file: string): Promise<string | null> {
  return readFile(path.join(folder, file), 'utf8').catch(() => null);
}

async function files(): Promise<readonly (string | null)[]> {
  return [await content('poem.txt'), await content('new.txt')];
}

async function inFront(title: string): Promise<void> {
  await workbench.page.getByRole('tab', { name: title, selected: true }).first().waitFor();
}

/** Read at once: what is drawn between two reads would have one side only. */
function diffSides(): Promise<readonly string[]> {
  return workbench.page.evaluate(() =>
    ['original', 'modified'].map((side) => {
      const lines = `.editor-group-container.active .monaco-diff-editor .editor.${side} .view-lines`;
      return (document.querySelector(lines)?.textContent ?? '').replaceAll('\u00A0', ' ');
    }),
  );
}

/** Both sides of the diff editor that is in front, once it is the one with that title. */
async function expectDiff(title: string, before: string, after: string): Promise<void> {
  await inFront(title);
  await expect.poll(diffSides).toEqual([expect.stringContaining(before), expect.stringContaining(after)]);
}

/** What all editors in front show, as one text. */
function shownText(): Promise<string> {
  return workbench.page.evaluate(() =>
    [...document.querySelectorAll('.editor-group-container.active .view-lines')]
      .map((lines) => (lines.textContent ?? '').replaceAll('\u00A0', ' '))
      .join('\n'),
  );
}

/** What the merge would make of the file. */
function resultText(): Promise<string> {
  return workbench.page.evaluate(
    () => document.querySelector('.editor-group-container.active .result .view-lines')?.textContent ?? '',
  );
}

async function pressInTitle(name: string): Promise<void> {
  const { page } = workbench;
  await page.locator('.editor-group-container.active .editor-actions').getByRole('button', { name }).click();
}

test('an edit is shown in the diff editor before it is approved, and as it was made', async () => {
  await send(chat, 'edit notes.txt: first line => 1st line');
  await button(await waitingCards(chat, 1), 'Diff of notes.txt').click();
  await expectDiff('notes.txt (proposed by Ledgerline)', 'first line', '1st line');
  expect(await content('notes.txt')).toBe('first line\nsecond line\n');
  await button(lastTurn(chat), 'Approve').click();
  const details = await evidence(await turnIn(chat, 'completed'));
  expect(await content('notes.txt')).toBe('1st line\nsecond line\n');
  await button(details, 'Diff of notes.txt').click();
  await expectDiff('notes.txt (changed by Ledgerline)', 'first line', '1st line');
});

test('what is typed in an editor and not saved is not undone over', async () => {
  const { page } = workbench;
  await send(chat, 'write draft.txt: by the model');
  await button(await waitingCards(chat, 1), 'Approve').click();
  const turn = await turnIn(chat, 'completed');
  await takeFromQuickInput(page, { key: FILES_KEY, words: 'draft.txt', label: 'draft.txt' });
  await inFront('draft.txt');
  const unsaved = page.locator('.tab.dirty', { hasText: 'draft.txt' });
  const editor = page.locator('.editor-instance .monaco-editor', { hasText: 'by' }).first();
  await editor.click();
  await page.keyboard.type('mine, ');
  await unsaved.waitFor();
  const details = await evidence(turn);
  await button(details, 'Undo draft.txt').click();
  const told = 'draft.txt: has changes in an editor that are not saved';
  await chat.locator('.notice', { hasText: told }).waitFor();
  expect(await content('draft.txt')).toBe('by the model');
  await editor.click();
  await until({
    what: 'all that was typed to be taken back',
    probe: async () => {
      if ((await unsaved.count()) === 0) return true;
      await page.keyboard.press('Control+Z');
      return undefined;
    },
  });
  await button(details, 'Undo draft.txt').click();
  await undone(details).waitFor();
  expect(await content('draft.txt')).toBe(null);
});

test('all of a long output opens in an editor', async () => {
  const { page } = workbench;
  await send(chat, 'run seq 1 20000');
  await button(await waitingCards(chat, 1), 'Approve').click();
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.call-head').click();
  await button(turn, 'Open whole output').click();
  await inFront('run_command.log');
  await page.locator('.monaco-editor .view-lines', { hasText: '17' }).first().waitFor();
});

test('the palette asks which files to undo, with the command of the turn as what stays, and puts those back', async () => {
  const { page } = workbench;
  await send(chat, 'all edit poem.txt: two => TWO; write new.txt: hello; run echo ran > made.log');
  await waitingCards(chat, 3);
  await button(chat, 'Approve all (3)').click();
  await turnIn(chat, 'completed');
  expect(await files()).toEqual([AFTER, 'hello']);
  await runCommand(page, 'Undo Changes of the Last Turn');
  const rows = quickInputRows(page);
  await rows.getByText('command: what it did cannot be undone').waitFor();
  const box = rows.filter({ hasText: 'poem.txt' });
  await box.locator('.quick-input-list-checkbox, input[type="checkbox"], .monaco-checkbox').first().click();
  await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  await expect.poll(files).toEqual([AFTER, null]);
  await runCommand(page, 'Redo Undone Changes of the Last Turn');
  await expect.poll(files).toEqual([AFTER, 'hello']);
});

describe('the preview of an undo', () => {
  test('is of one file where one is asked for', async () => {
    const details = await evidence(lastTurn(chat));
    await more(details, 'new.txt');
    await button(details, 'Preview undo of new.txt').click();
    await inFront('Preview of undo, with notes');
    await expect.poll(shownText).toContain('new.txt: is removed');
    expect(await shownText()).not.toContain('poem.txt: ');
  });

  test('is of diffs, with what stays, and nothing is changed by looking', async () => {
    const details = await evidence(lastTurn(chat));
    await more(details, 'all files');
    await button(details, 'Preview undo').click();
    await inFront('Preview of undo, with notes');
    await expect.poll(shownText).toContain('What undo would do. Nothing has been changed yet.');
    await expect.poll(shownText).toContain('new.txt: is removed');
    await expect.poll(shownText).toContain('Cannot be undone: what these commands did stays');
    await expect.poll(shownText).toContain('echo ran > made.log');
    await expect.poll(shownText).toMatch(/TWO[^]*two/u);
    expect(await files()).toEqual([AFTER, 'hello']);
  });

  test('is carried out by the button in its title, and closes', async () => {
    await pressInTitle('Undo These Changes');
    const details = await evidence(lastTurn(chat));
    await expect.poll(() => undone(details).count()).toBe(2);
    expect(await files()).toEqual([BEFORE, null]);
    expect(await content('made.log')).toBe('ran\n');
    await expect.poll(() => workbench.page.getByRole('tab', { name: 'Preview of undo' }).count()).toBe(0);
    await button(details, 'Redo all (2)').click();
    await expect.poll(files).toEqual([AFTER, 'hello']);
  });
});

describe('a file that has changed since', () => {
  test('is not undone, and a merge is offered', async () => {
    await writeFile(path.join(folder, 'poem.txt'), SINCE);
    const details = await evidence(lastTurn(chat));
    await more(details, 'poem.txt');
    await button(details, 'Undo poem.txt').click();
    const told = 'poem.txt: changed since, so it was left as it is.';
    await button(chat.locator('.notice', { hasText: told }), 'Merge poem.txt…').click();
    await inFront('Merging: poem.txt');
    await expect.poll(shownText).toContain('mine');
    expect(await content('poem.txt')).toBe(SINCE);
  });

  test('is merged by the person, and the result is on record as the undo', async () => {
    const { page } = workbench;
    await page.getByRole('button', { name: /^Accept All .* from Right/u }).click();
    await expect.poll(resultText).toContain('two');
    expect(await content('poem.txt')).toBe(SINCE);
    await takeFromQuickInput(page, {
      key: COMMANDS_KEY,
      words: '>Merge Editor: Complete Merge',
      label: 'Merge Editor: Complete Merge',
    });
    const details = await evidence(lastTurn(chat));
    await undone(details).filter({ hasText: 'poem.txt' }).waitFor();
    expect(await content('poem.txt')).toBe(MERGED);
    const events = await turnEvents(workbench.vscode, lastTurn(chat));
    expect(events.findLast(({ type }) => type === 'file_change')?.data).toMatchObject({
      path: 'poem.txt',
      merged: true,
    });
    await more(details, 'poem.txt');
    await button(details, 'Redo poem.txt').click();
    await expect.poll(() => content('poem.txt')).toBe(SINCE);
  });

  test('is named by a preview with the reason, and what is different by then is shown before it is done', async () => {
    const details = await evidence(lastTurn(chat));
    await more(details, 'all files');
    await button(details, 'Preview undo').click();
    await inFront('Preview of undo, with notes');
    await expect.poll(shownText).toContain('Files that are left as they are');
    await expect.poll(shownText).toContain('poem.txt: changed since, so it was left as it is.');
    await writeFile(path.join(folder, 'poem.txt'), AFTER);
    await pressInTitle('Undo These Changes');
    await expect.poll(shownText).toMatch(/TWO[^]*two/u);
    await expect.poll(shownText).not.toContain('poem.txt: changed since');
    expect(await files()).toEqual([AFTER, 'hello']);
    await pressInTitle('Undo These Changes');
    await expect.poll(files).toEqual([BEFORE, null]);
    expect(workbench.violations).toEqual([]);
  });
});
