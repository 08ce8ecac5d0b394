import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusItem, statusSays } from './around-driver.ts';
import { button, waitingCards } from '../support/browser/cards.ts';
import { send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setSideBarWidth } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  answerToast,
  appears,
  chooseFromQuickInput,
  quickInputBox,
  quickInputRows,
  notification,
  until,
} from './harness/index.ts';
import {
  chooseFromMenu,
  expectRows,
  focusLine,
  logPathOf,
  menuOfChat,
  placeKept,
  quickInput,
  repeatLog,
  sessionRow,
  sessionRows,
  sessionsPane,
  sessionWith,
  showSessions,
  typeAnswer,
} from './sessions-driver.ts';

/** The tree of sessions and the search in all of them, in one window that goes on from test to test. */

const workbench = chatWindow();
let chat: Frame;

const LINK = '[restore it](command:workbench.action.toggleSidebarVisibility)';
const ICON = '$(trash) a title';
const NEED_A_LOG = ['Rename Session...', 'Fork Session', 'Export Session...', 'Open Log'];

function log(): Locator {
  return chat.getByRole('log', { name: 'Conversation' });
}

async function heading(): Promise<string | null> {
  return chat.getByRole('heading', { level: 1 }).textContent();
}

function newSession(): Promise<void> {
  return chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
}

async function begin(text: string): Promise<void> {
  await button(chat, 'New session').click();
  await newSession();
  await send(chat, text);
}

beforeAll(async () => {
  chat = await workbench.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
  });
  await showSessions(workbench.page);
});

afterAll(workbench.close);

/** Where the icon of a line begins. */
async function iconOf(row: Locator): Promise<number> {
  const box = await row.locator('.custom-view-tree-node-item-icon').boundingBox();
  return Math.round(box?.x ?? -1);
}

function withLog(labels: readonly string[]): readonly string[] {
  return labels.filter((label) => NEED_A_LOG.includes(label));
}

describe('the tree of sessions', () => {
  test('says that there is none, and how to begin; no menu has what needs a log', async () => {
    const pane = sessionsPane(workbench.page);
    await pane.getByText('There is no session in this folder yet.').waitFor();
    await pane.getByRole('button', { name: 'New Session' }).first().waitFor();
    expect(withLog(await menuOfChat(workbench.page))).toEqual([]);
  });

  test('has each session with when and how much, marks the open one, and switches', async () => {
    const { page } = workbench;
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    await expectRows(page, [/^help.*open/]);
    expect(withLog(await menuOfChat(page))).toEqual(NEED_A_LOG);
    await begin('read notes.txt');
    await turnIn(chat, 'completed');
    await expectRows(page, [/^read notes\.txt.*open/, 'help']);
    await setSideBarWidth(page, 280);
    const row = sessionRow(page, 'read notes.txt');
    expect(await row.locator('.label-description').textContent()).toMatch(/^(now|\dm) · [\d.]+ kB · open$/);
    await row.hover();
    expect(await row.locator('.actions .action-item').count()).toBe(1);
    await sessionRow(page, 'help').click();
    await turns(chat).filter({ hasText: 'a fixed script, not a real model' }).waitFor();
    expect(await heading()).toBe('help');
    await expectRows(page, ['read notes.txt', /^help.*open/]);
  });

  test('takes the keys of the line that has the focus, also when another one is selected', async () => {
    const { page } = workbench;
    await focusLine(page, 0);
    await page.keyboard.press('F2');
    await expect.poll(() => quickInputBox(page).inputValue()).toBe('read notes.txt');
    await typeAnswer(page, ICON);
    await expectRows(page, [ICON, 'help']);
    expect(await sessionRow(page, 'a title').locator('.monaco-icon-label .codicon-trash').count()).toBe(0);
    expect(await heading()).toBe('help');
  });

  test('renames by its menu; the new name is everywhere, and draws no icon that it asks for', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'help'), 'Rename Session...');
    await typeAnswer(page, 'How to  begin');
    await expectRows(page, [ICON, 'How to begin']);
    await chat.getByRole('heading', { level: 1, name: 'How to begin' }).waitFor();
    const other = chat.getByRole('button', { name: 'How to begin, open another session' });
    const title = quickInputRows(page).filter({ hasText: 'a title' });
    await until({
      what: 'the list of sessions',
      probe: async (patience) => {
        if (!(await quickInput(page).isVisible())) await other.click();
        return appears(quickInputRows(page).first(), patience);
      },
    });
    await expect.poll(() => quickInputRows(page).count()).toBe(2);
    await quickInputRows(page).filter({ hasText: 'How to begin' }).waitFor();
    expect(await title.locator('.quick-input-list-label .codicon-trash').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('pins to the top and takes that back, by the menu and by the palette', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'How to begin'), 'Pin Session');
    await expectRows(page, [/^How to begin.*pinned/, ICON]);
    await chooseFromQuickInput(page, {
      open: () => runCommand(page, 'Unpin Session'),
      hasText: 'How to begin',
    });
    await expectRows(page, [ICON, /^How to begin(?!.*pinned)/]);
  });

  test('archives below a line of its own, finds what is opened there, and takes out again', async () => {
    const { page } = workbench;
    const before = await iconOf(sessionRow(page, 'How to begin'));
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Archive Session');
    await expectRows(page, ['How to begin', /^Archived1$/]);
    expect(await iconOf(sessionRow(page, 'How to begin'))).toBe(before);
    await sessionRow(page, 'Archived').click();
    await expectRows(page, ['How to begin', /^Archived1$/, /a title/]);
    await sessionRow(page, 'Archived').click();
    await expectRows(page, ['How to begin', /^Archived1$/]);
    await chooseFromQuickInput(page, { open: () => runCommand(page, 'Open Session...'), hasText: 'a title' });
    await expectRows(page, ['How to begin', /^Archived1 · open$/, /a title.*open/]);
    const selected = sessionRow(page, 'a title').and(page.locator('[aria-selected="true"]'));
    await selected.waitFor();
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Take Session out of the Archive');
    await expectRows(page, [/a title.*open/, 'How to begin']);
    await selected.waitFor();
  });

  test('deletes the open session by its key with a way back; a title makes no link in what is said', async () => {
    const { page, vscode } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'a title'), 'Rename Session...');
    await typeAnswer(page, LINK);
    await expectRows(page, [LINK, 'How to begin']);
    const id = await sessionWith(vscode, 'read notes.txt');
    const before = await readFile(await logPathOf(vscode, id));
    await focusLine(page, 0);
    await page.keyboard.press('Delete');
    const said = await notification(page, 'was deleted');
    expect((await said.textContent())?.replaceAll('\u2060', '')).toContain(LINK);
    expect(await said.locator('.notification-list-item-message a').count()).toBe(0);
    await expectRows(page, ['How to begin']);
    await newSession();
    await answerToast(page, 'was deleted', 'Undo');
    await expectRows(page, [/^\[restore it\].*open/, 'How to begin']);
    await turns(chat).filter({ hasText: 'read notes.txt' }).waitFor();
    expect(await readFile(await logPathOf(vscode, id))).toEqual(before);
  });

  test('restores from the trash later, too', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'How to begin'), 'Delete Session');
    await expectRows(page, [LINK]);
    await chooseFromQuickInput(page, {
      open: () => runCommand(page, 'Restore Deleted Session...'),
      hasText: 'How to begin',
    });
    await expectRows(page, [LINK, /^How to begin.*open/]);
  });

  test('is safe from Enter, pressed at once, when a session to delete is asked for', async () => {
    const { page } = workbench;
    await runCommand(page, 'Delete Session');
    const line = quickInput(page).getByRole('option', { name: /How to begin/ });
    await line.waitFor();
    await page.keyboard.press('Enter');
    await line.waitFor();
    await page.keyboard.press('Escape');
    await quickInput(page).waitFor({ state: 'hidden' });
    // A deletion would be seen before a change that comes after it.
    await chooseFromMenu(page, sessionRow(page, 'How to begin'), 'Rename Session...');
    await typeAnswer(page, 'How to begin well');
    await expectRows(page, [LINK, 'How to begin well']);
  });

  test('and all around it forget a waiting session whose log vanishes', async () => {
    const { page, vscode } = workbench;
    await begin('write vanishing.txt: gone soon');
    await waitingCards(chat, 1);
    await statusSays(page, 'Needs you: 1 approval');
    await expectRows(page, [/^write vanishing\.txt.*open/, LINK, 'How to begin']);
    await rm(await logPathOf(vscode, await sessionWith(vscode, 'gone soon')));
    await expectRows(page, [LINK, 'How to begin']);
    await statusItem(page).filter({ hasText: 'Needs you' }).waitFor({ state: 'detached' });
    await page.locator('.activitybar a[aria-label*="Needs you"]').waitFor({ state: 'detached' });
    const note = chat.getByRole('note', { name: 'Read-only' });
    await note.getByText('The log of this session is no longer in its place.').waitFor();
    await sessionRow(page, 'How to begin').click();
    await expectRows(page, [LINK, /^How to begin.*open/]);
  });

  test('shows a damaged session, found on disk, with its damage', async () => {
    const { page, vscode } = workbench;
    const good = await sessionWith(vscode, 'a fixed script');
    const lines = (await readFile(await logPathOf(vscode, good), 'utf8'))
      .replaceAll(good, 'ses_damaged')
      .split('\n');
    await writeFile(
      await logPathOf(vscode, 'ses_damaged'),
      lines.map((line, at) => (at === 3 ? '{"v":1,"broken' : line)).join('\n'),
    );
    const row = sessionRow(page, 'damaged');
    await row.waitFor();
    expect(await row.locator('.codicon-warning').count()).toBe(1);
    await row.click();
    await chat.getByRole('note', { name: 'Read-only' }).getByText('Line 4 of the log is damaged').waitFor();
    await chat.getByRole('button', { name: 'Fork from the last good event' }).waitFor();
    await sessionRow(page, 'How to begin').click();
    await sessionRow(page, /^How to begin.*open/).waitFor();
    await sessionRow(page, /Line 4 of the log is damaged/).waitFor();
  });
});

/** Of each line of a list the first words: what is below or behind them is left out. */
function labels(): Promise<readonly string[]> {
  return quickInputRows(workbench.page).evaluateAll((all) =>
    all.map((one) => one.querySelector('.label-name')?.textContent ?? ''),
  );
}

describe('a long session', () => {
  const NEEDLE = 'a needle in the haystack';

  beforeAll(async () => {
    const from = await sessionWith(workbench.vscode, 'a fixed script');
    await repeatLog(workbench.vscode, from, {
      to: 'ses_long',
      times: 200,
      say: (turn) => (turn === 3 ? `Here is ${NEEDLE}.` : `Turn number ${turn}`),
    });
    await sessionRow(workbench.page, 'Turn number 0').waitFor();
  });

  test('is found by a search that is put together by keys alone, and opens at the turn', async () => {
    const { page } = workbench;
    const box = quickInputBox(page);
    await send(chat, 'fail');
    await turnIn(chat, 'failed');
    await runCommand(page, 'Search in All Sessions...');
    await expect.poll(labels).toEqual(['state:', 'tool:', 'file:', 'after:', 'before:', 'on:', 'Example']);
    await page.keyboard.press('Enter');
    await expect.poll(() => box.inputValue()).toBe('state:');
    await page.keyboard.type('fai');
    await expect.poll(labels).toEqual(['failed', 'partial_failed']);
    await page.keyboard.press('Enter');
    await expect.poll(() => box.inputValue()).toBe('state:failed ');
    await quickInputRows(page).filter({ hasText: 'Search' }).first().waitFor();
    await page.keyboard.press('Enter');
    await quickInput(page)
      .getByPlaceholder(/^1 turn has it/)
      .waitFor();
    expect(await labels()).toEqual(['fail', 'Change the search']);
    await quickInput(page).getByText('Search in all sessions: All turns · State: Failed').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => box.inputValue()).toBe('state:failed ');
    await typeAnswer(page, 'NEEDLE in the');
    await quickInput(page)
      .getByPlaceholder(/^1 turn has it/)
      .waitFor();
    await page.keyboard.press('Enter');
    const turn = turns(chat).filter({ hasText: NEEDLE });
    await turn.waitFor();
    await expect
      .poll(async () => {
        const [box, frame] = [await turn.boundingBox(), await log().boundingBox()];
        return Math.abs((box?.y ?? Number.NaN) - (frame?.y ?? Number.NaN));
      })
      .toBeLessThan(40);
  });

  test('is there again after a reload, at the place where one was reading', async () => {
    const target = turns(chat).filter({ hasText: 'Turn number 5' }).first();
    await log().hover();
    await target.evaluate((node) => node.scrollIntoView({ block: 'start' }));
    await log().evaluate((node) => node.scrollBy(0, 37));
    const offset = async (turn: Locator): Promise<number> => {
      const [box, frame] = [await turn.boundingBox(), await log().boundingBox()];
      return box === null || frame === null ? Number.NaN : Math.round(box.y - frame.y);
    };
    await placeKept(workbench.page, chat);
    const before = await offset(target);
    chat = await workbench.reload();
    const again = turns(chat).filter({ hasText: 'Turn number 5' }).first();
    await again.waitFor();
    await expect.poll(async () => Math.abs((await offset(again)) - before)).toBeLessThanOrEqual(2);
    expect(await heading()).toBe('Turn number 0');
  });
});

describe('the folder of the logs', () => {
  test('can be moved away and made again: what others write there is seen', async () => {
    const { page, vscode } = workbench;
    await showSessions(page);
    const good = await sessionWith(vscode, 'a fixed script');
    const text = await readFile(await logPathOf(vscode, good), 'utf8');
    const folder = path.dirname(await logPathOf(vscode, good));
    const write = (id: string, words: string): Promise<void> =>
      writeFile(
        path.join(folder, `${id}.jsonl`),
        text.replaceAll(good, id).replace(/"text":"[^"]*"/, `"text":"${words}"`),
      );
    await rename(folder, `${folder}.aside`);
    await expect.poll(() => sessionRows(page).count(), { timeout: 30_000 }).toBe(0);
    await mkdir(folder);
    await write('ses_again', 'The first one there');
    await sessionRow(page, 'The first one there').waitFor();
    await write('ses_later', 'A later one');
    await sessionRow(page, 'A later one').waitFor();
  });
});
