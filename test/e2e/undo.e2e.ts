import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOffered } from './around-driver.ts';
import { expectNoOverflow } from '../page/scenes/stage.ts';
import {
  button,
  lastTurn,
  newWorkspace,
  runCommand,
  send,
  setSideBarWidth,
  turnEvents,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { COMMANDS_KEY, inEachTheme, screenshot, takeFromQuickInput } from './harness/index.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', ''];
const BEFORE = LINES.join('\n');
const AFTER = BEFORE.replace('two', 'TWO');
const SINCE = AFTER.replace('seven', 'mine');
const MERGED = BEFORE.replace('seven', 'mine');

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({ 'poem.txt': BEFORE });
  chat = await workbench.open(
    { workspace: folder, settings: { 'ledgerline.provider': 'offline', 'git.enabled': false } },
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

/** The facts of a turn, opened. */
async function evidence(turn: Locator): Promise<Locator> {
  const line = turn.locator('.evidence > .disclosure');
  if ((await line.getAttribute('aria-expanded')) !== 'true') await line.click();
  const details = turn.locator('.evidence-details');
  await details.waitFor();
  return details;
}

/** What is behind the button of a file, or of all of them, in view. */
async function more(details: Locator, of: string): Promise<void> {
  const opener = button(details, `More for ${of}`);
  if ((await opener.getAttribute('aria-expanded')) !== 'true') await opener.click();
}

async function picture(name: string): Promise<void> {
  const { page, vscode } = workbench;
  const stage = { page, vscode, chat, replies: [] };
  await inEachTheme(
    page,
    async (colorTheme) => {
      await expectNoOverflow(stage);
      await screenshot(page, `undo-${colorTheme}-${name}`);
    },
    chat,
  );
}

async function inFront(title: string): Promise<void> {
  await workbench.page.getByRole('tab', { name: title, selected: true }).first().waitFor();
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

describe('a turn that edited a file, created one and ran a command', () => {
  test('says what it did, and that what its command did cannot be undone', async () => {
    await send(chat, 'all edit poem.txt: two => TWO; write new.txt: hello; run echo ran > made.log');
    await waitingCards(chat, 3);
    await chat.getByRole('button', { name: 'Approve all (3)' }).click();
    const details = await evidence(await turnIn(chat, 'completed'));
    expect(await files()).toEqual([AFTER, 'hello']);
    await details.getByText('echo ran > made.log').waitFor();
    await details.getByText('What commands did cannot be undone here.').waitFor();
    await picture('changed');
    await button(details, 'More for poem.txt').focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Tab');
    await expect
      .poll(() => chat.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Undo poem.txt');
    await more(details, 'all files');
    await picture('opened');
    await button(details, 'More for poem.txt').click();
    expect(await details.getByRole('button', { name: 'Undo poem.txt' }).count()).toBe(0);
  });

  test('is previewed as diffs, with what stays, and nothing is changed by looking', async () => {
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
    await picture('preview');
  });

  test('is undone from its preview', async () => {
    await pressInTitle('Undo These Changes');
    const details = await evidence(lastTurn(chat));
    await expect.poll(() => details.locator('.fact[data-standing="undone"]').count()).toBe(2);
    expect(await files()).toEqual([BEFORE, null]);
    expect(await content('made.log')).toBe('ran\n');
    await expect.poll(() => workbench.page.getByRole('tab', { name: 'Preview of undo' }).count()).toBe(0);
    await picture('undone');
  });

  test('is redone from the card, and the log has both', async () => {
    const turn = lastTurn(chat);
    const details = await evidence(turn);
    await button(details, 'Redo all (2)').click();
    await expect.poll(() => details.locator('.fact[data-standing="changed"]').count()).toBe(2);
    expect(await files()).toEqual([AFTER, 'hello']);
    const changes = (await turnEvents(workbench.vscode, turn)).filter(({ type }) => type === 'file_change');
    expect(changes.map(({ data }) => ['undo_of' in data, 'redo_of' in data])).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ]);
  });

  test('is the same after a reload, and one file of it can be previewed, undone and redone', async () => {
    chat = await workbench.reload();
    const details = await evidence(await turnIn(chat, 'completed'));
    await more(details, 'new.txt');
    await button(details, 'Preview undo of new.txt').click();
    await inFront('Preview of undo, with notes');
    await expect.poll(shownText).toContain('new.txt: is removed');
    await button(details, 'Undo new.txt').click();
    await details.locator('.fact[data-standing="undone"]', { hasText: 'new.txt' }).waitFor();
    expect(await files()).toEqual([AFTER, null]);
    await expect.poll(() => isOffered(workbench.page, 'Redo Undone Changes of the Last Turn')).toBe(true);
    await runCommand(workbench.page, 'Redo Undone Changes of the Last Turn');
    await expect.poll(files).toEqual([AFTER, 'hello']);
  });

  test('has its command in the list of what to undo, so that the person sees what stays', async () => {
    await runCommand(workbench.page, 'Undo Changes of the Last Turn');
    const list = workbench.page.locator('.quick-input-list');
    await list.getByText('command: what it did cannot be undone').waitFor();
    await screenshot(workbench.page, 'undo-list');
    await workbench.page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    expect(await files()).toEqual([AFTER, 'hello']);
  });
});

describe('a file that has changed since', () => {
  test('is not undone, and a merge is offered', async () => {
    await writeFile(path.join(folder, 'poem.txt'), SINCE);
    const details = await evidence(lastTurn(chat));
    await more(details, 'poem.txt');
    await button(details, 'Undo poem.txt').click();
    const notice = chat.locator('.notice', {
      hasText: 'poem.txt: changed since, so it was left as it is.',
    });
    await notice.waitFor();
    expect(await content('poem.txt')).toBe(SINCE);
    await details.getByText('Merge it to decide line by line.').waitFor();
    await button(details, 'Merge poem.txt').waitFor();
    await picture('refused');
    await button(notice, 'Merge poem.txt…').click();
    await inFront('Merging: poem.txt');
    await expect.poll(shownText).toContain('mine');
    await picture('merge');
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
    await details.locator('.fact[data-standing="undone"]', { hasText: 'poem.txt' }).waitFor();
    expect(await content('poem.txt')).toBe(MERGED);
    const events = await turnEvents(workbench.vscode, lastTurn(chat));
    expect(events.findLast(({ type }) => type === 'file_change')?.data).toMatchObject({
      path: 'poem.txt',
      merged: true,
    });
  });

  test('is what it was before the merge once that is taken back', async () => {
    const details = await evidence(lastTurn(chat));
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
    await picture('left');
    await writeFile(path.join(folder, 'poem.txt'), AFTER);
    await pressInTitle('Undo These Changes');
    await expect.poll(shownText).toMatch(/TWO[^]*two/u);
    await expect.poll(shownText).not.toContain('poem.txt: changed since');
    expect(await files()).toEqual([AFTER, 'hello']);
    await pressInTitle('Undo These Changes');
    await expect.poll(files).toEqual([BEFORE, null]);
  });
});

test('the page asks for nothing that its policy refuses', () => {
  expect(workbench.violations).toEqual([]);
});
