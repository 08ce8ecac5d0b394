import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { button, waitingCards } from '../support/browser/cards.ts';
import { turnEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { evidence, evidenceLine, more, undone } from '../support/browser/evidence-driver.ts';
import { chatPage } from './chat-page.ts';

const POEM = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', ''].join('\n');
const NOTES = 'first line\nsecond line\n';
const EDITED = '1st line\nsecond line\n';

const view = chatPage();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({ 'poem.txt': POEM });
  chat = await view.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
});

beforeEach(() => {
  view.window.vscode.executed.length = 0;
});

async function content(file: string): Promise<string | null> {
  return readFile(path.join(folder, file), 'utf8').catch(() => null);
}

/** Of the turn that does the most. */
async function files(): Promise<readonly (string | null)[]> {
  return [await content('poem.txt'), await content('new.txt')];
}

/** The diffs that VS Code was asked to show, by their titles. */
function diffs(): readonly unknown[] {
  return view.window.vscode.executed.filter(([command]) => command === 'vscode.diff').map((all) => all[3]);
}

/** What the palette was last told in this test. */
function undoIsOffered(): unknown {
  return view.window.vscode.executed.findLast(([, key]) => key === 'ledgerline.canUndo')?.[2];
}

async function approved(text: string): Promise<Locator> {
  await send(chat, text);
  await button(await waitingCards(chat, 1), 'Approve').click();
  return turnIn(chat, 'completed');
}

/** What the log says of the files that a turn changed. */
async function changes(turn: Locator): Promise<readonly Record<string, unknown>[]> {
  const events = await turnEvents(view, turn);
  return events.filter(({ type }) => type === 'file_change').map(({ data }) => data);
}

/** Nothing is cut off at the side: all that is wider than the view scrolls inside itself. */
async function expectNoOverflow(): Promise<void> {
  const overflow = await chat.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

describe('an edit', () => {
  test('is shown as it is proposed, and nothing is changed by looking', async () => {
    await send(chat, 'edit notes.txt: first line => 1st line');
    await button(await waitingCards(chat, 1), 'Diff of notes.txt').click();
    await expect.poll(diffs).toEqual(['notes.txt (proposed by Ledgerline)']);
    expect(await content('notes.txt')).toBe(NOTES);
  });

  test('is shown as it was made, from its line and from the evidence', async () => {
    await button(lastTurn(chat), 'Approve').click();
    const turn = await turnIn(chat, 'completed');
    expect(await content('notes.txt')).toBe(EDITED);
    await turn.locator('.call').getByRole('button', { name: 'Diff of notes.txt' }).click();
    await expect.poll(diffs).toEqual(['notes.txt (changed by Ledgerline)']);
    expect(await evidenceLine(turn).textContent()).toBe('Completed1 file changed');
    const details = await evidence(turn);
    expect(await details.locator('.fact').textContent()).toBe('notes.txt+1 −1DiffPreviewUndo');
    expect(await details.textContent()).toContain('Approvals: 1 approved');
    await button(details, 'Diff of notes.txt').click();
    await expect
      .poll(diffs)
      .toEqual(['notes.txt (changed by Ledgerline)', 'notes.txt (changed by Ledgerline)']);
  });

  test('is undone from the evidence, the log has it, and it is so after a reload', async () => {
    const turn = lastTurn(chat);
    const details = await evidence(turn);
    await button(details, 'Undo notes.txt').click();
    await undone(details).waitFor();
    expect(await content('notes.txt')).toBe(NOTES);
    expect(await details.getByRole('button', { name: 'Undo notes.txt' }).count()).toBe(0);
    expect(await evidenceLine(turn).textContent()).toContain('1 file changed (undone)');
    const [made, taken, ...others] = await changes(turn);
    expect(others).toEqual([]);
    expect(taken).toMatchObject({
      undo_of: [made?.['call_id']],
      before_sha256: made?.['after_sha256'],
      after_sha256: made?.['before_sha256'],
    });
    chat = await view.reload();
    expect(await evidenceLine(await turnIn(chat, 'completed')).textContent()).toContain(
      '1 file changed (undone)',
    );
  });

  test('of a file that was changed since is not undone, and says so', async () => {
    const turn = await approved('edit notes.txt: first line => 1st line');
    await writeFile(path.join(folder, 'notes.txt'), 'something of my own\n');
    await button(await evidence(turn), 'Undo notes.txt').click();
    await chat
      .locator('.notice', { hasText: 'notes.txt: changed since, so it was left as it is.' })
      .waitFor();
    expect(await content('notes.txt')).toBe('something of my own\n');
    await button(chat.locator('.notice'), 'Dismiss').click();
    await button(await evidence(turn), 'Diff of notes.txt').click();
    await expect.poll(diffs).toEqual(['notes.txt (changed by Ledgerline; the file has changed since)']);
  });
});

describe('a turn that edited a file, created one and ran a command', () => {
  const AFTER = POEM.replace('two', 'TWO');

  test('says what it did, and that what its command did cannot be undone', async () => {
    await send(chat, 'all edit poem.txt: two => TWO; write new.txt: hello; run echo ran > made.log');
    await waitingCards(chat, 3);
    await chat.getByRole('button', { name: 'Approve all (3)' }).click();
    const details = await evidence(await turnIn(chat, 'completed'));
    expect(await files()).toEqual([AFTER, 'hello']);
    await expect.poll(undoIsOffered).toBe(true);
    await details.getByText('echo ran > made.log').waitFor();
    await details.getByText('What commands did cannot be undone here.').waitFor();
    await expectNoOverflow();
    await button(details, 'More for poem.txt').focus();
    for (const key of ['Enter', 'Tab', 'Tab']) await view.page.keyboard.press(key);
    await expect
      .poll(() => chat.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Undo poem.txt');
    await more(details, 'all files');
    await expectNoOverflow();
    await button(details, 'More for poem.txt').click();
    expect(await details.getByRole('button', { name: 'Undo poem.txt' }).count()).toBe(0);
  });

  test('is undone and redone from the card, and the log has both', async () => {
    const turn = lastTurn(chat);
    const details = await evidence(turn);
    await button(details, 'Undo all (2)').click();
    await expect.poll(() => undone(details).count()).toBe(2);
    expect(await files()).toEqual([POEM, null]);
    expect(await content('made.log')).toBe('ran\n');
    await button(details, 'Redo all (2)').click();
    await expect.poll(() => details.locator('.fact[data-standing="changed"]').count()).toBe(2);
    expect(await files()).toEqual([AFTER, 'hello']);
    const made = (await changes(turn)).map((data) => ['undo_of' in data, 'redo_of' in data]);
    expect(made).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ]);
  });

  test('is the same after a reload, and one file of it can be previewed, undone and redone', async () => {
    chat = await view.reload();
    const details = await evidence(await turnIn(chat, 'completed'));
    await more(details, 'new.txt');
    await button(details, 'Preview undo of new.txt').click();
    await expect
      .poll(() => view.window.vscode.executed.findLast(([command]) => command === 'vscode.changes')?.[1])
      .toBe('Preview of undo, with notes');
    expect(await files()).toEqual([AFTER, 'hello']);
    await button(details, 'Undo new.txt').click();
    await undone(details).filter({ hasText: 'new.txt' }).waitFor();
    expect(await files()).toEqual([AFTER, null]);
    await view.window.vscode.run('ledgerline.redoTurn');
    await expect.poll(files).toEqual([AFTER, 'hello']);
  });

  test('leaves a file that has changed since, and offers a merge', async () => {
    const since = AFTER.replace('seven', 'mine');
    await writeFile(path.join(folder, 'poem.txt'), since);
    const details = await evidence(lastTurn(chat));
    await more(details, 'poem.txt');
    await button(details, 'Undo poem.txt').click();
    const notice = chat.locator('.notice', {
      hasText: 'poem.txt: changed since, so it was left as it is.',
    });
    await button(notice, 'Merge poem.txt…').waitFor();
    await details.getByText('Merge it to decide line by line.').waitFor();
    await button(details, 'Merge poem.txt').waitFor();
    await expectNoOverflow();
    expect(await content('poem.txt')).toBe(since);
  });
});

test('a turn that changed nothing is not offered to be undone', async () => {
  await send(chat, 'read notes.txt');
  await turnIn(chat, 'completed');
  await expect.poll(undoIsOffered).toBe(false);
});

test('a plan is a checklist, and one line when the turn is over', async () => {
  await send(chat, 'plan Look around; Try it');
  const turn = await turnIn(chat, 'completed');
  const line = turn.getByRole('button', { name: 'Plan: 2 of 2 done' });
  expect(await turn.getByRole('list', { name: 'Plan' }).count()).toBe(0);
  await line.click();
  const steps = turn.getByRole('list', { name: 'Plan' }).getByRole('listitem');
  await expect.poll(() => steps.allTextContents()).toEqual(['Look arounddone', 'Try itdone']);
  expect(await turn.locator('.call').count()).toBe(0);
  chat = await view.reload();
  await (await turnIn(chat, 'completed')).getByRole('button', { name: 'Plan: 2 of 2 done' }).waitFor();
});

test('a command shows its exit code, and all of a long output in an editor', async () => {
  const turn = await approved('run seq 1 20000');
  const line = turn.locator('.call-head');
  expect(await line.textContent()).toMatch(/exit 0$/);
  await line.click();
  await button(turn, 'Open whole output').click();
  const document = { uri: { fsPath: '/run_command.log' } };
  await expect.poll(() => view.window.vscode.executed.at(-1)).toMatchObject(['showTextDocument', document]);
});

test('the page asks for nothing that its policy refuses', () => {
  expect(view.violations).toEqual([]);
});
