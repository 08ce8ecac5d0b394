import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headless, placeArgs, type Run } from '../support/headless.ts';
import { statusItem, statusSays } from './around-driver.ts';
import { newWorkspace, runCommand, send, turnIn, turns, waitingCards } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot, until } from './harness/index.ts';
import {
  chooseFromMenu,
  expectRows,
  logPathOf,
  menuOfChat,
  quickInput,
  placeKept,
  repeatLog,
  sessionRow,
  sessionRows,
  sessionsPane,
  sessionWith,
  showSessions,
  typeAnswer,
} from './sessions-driver.ts';

const workbench = chatWindow();
let chat: Frame;
let workspace: string;

function log(): Locator {
  return chat.getByRole('log', { name: 'Conversation' });
}

function title(): Locator {
  return chat.getByRole('heading', { level: 1 });
}

beforeAll(async () => {
  workspace = await newWorkspace();
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  await showSessions(workbench.page);
});

afterAll(workbench.close);

const NEED_A_LOG = ['Rename Session...', 'Fork Session', 'Export Session...', 'Open Log'];

function withLog(labels: readonly string[]): readonly string[] {
  return labels.filter((label) => NEED_A_LOG.includes(label));
}

describe('the menu of the chat', () => {
  test('has nothing that needs a log before there is one', async () => {
    expect(withLog(await menuOfChat(workbench.page))).toEqual([]);
  });
});

describe('the tree of sessions', () => {
  test('says that there is none, and how to begin', async () => {
    const pane = sessionsPane(workbench.page);
    await pane.getByText('There is no session in this folder yet.').waitFor();
    await pane.getByRole('button', { name: 'New Session' }).first().waitFor();
    await screenshot(workbench.page, 'sessions-welcome');
  });

  test('has each session, marks the open one, and switches', async () => {
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    await expectRows(workbench.page, [/^help.*open/]);
    expect(withLog(await menuOfChat(workbench.page))).toEqual(NEED_A_LOG);
    await chat.getByRole('button', { name: 'New session' }).click();
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await send(chat, 'read notes.txt');
    await turnIn(chat, 'completed');
    await expectRows(workbench.page, [/^read notes\.txt.*open/, 'help']);
    await sessionRow(workbench.page, 'help').click();
    await turns(chat).filter({ hasText: 'a fixed script, not a real model' }).waitFor();
    expect(await title().textContent()).toBe('help');
    await expectRows(workbench.page, ['read notes.txt', /^help.*open/]);
  });

  test('renames; the new name is everywhere', async () => {
    await chooseFromMenu(workbench.page, sessionRow(workbench.page, 'help'), 'Rename Session...');
    await typeAnswer(workbench.page, 'How to  begin');
    await expectRows(workbench.page, ['read notes.txt', 'How to begin']);
    await title().filter({ hasText: 'How to begin' }).waitFor();
    await chat.getByRole('button', { name: 'How to begin, open another session' }).click();
    await quickInput(workbench.page).getByText('How to begin').waitFor();
    await screenshot(workbench.page, 'sessions-picker');
    await workbench.page.keyboard.press('Escape');
  });

  test('pins to the top and takes that back, by the menu and by the palette', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'How to begin'), 'Pin Session');
    await expectRows(page, [/^How to begin.*pinned/, 'read notes.txt']);
    await runCommand(page, 'Unpin Session');
    await quickInput(page).getByText('How to begin').waitFor();
    await page.keyboard.press('Enter');
    await expectRows(page, ['read notes.txt', /^How to begin(?!.*pinned)/]);
  });

  test('archives below a line of its own, and takes out again', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'read notes.txt'), 'Archive Session');
    await expectRows(page, ['How to begin', 'Archived']);
    await sessionRow(page, 'Archived').click();
    await expectRows(page, ['How to begin', 'Archived', 'read notes.txt']);
    await chooseFromMenu(page, sessionRow(page, 'read notes.txt'), 'Take Session out of the Archive');
    await expectRows(page, ['read notes.txt', 'How to begin']);
  });

  test('deletes the open session with a way back, and the chat shows a new one meanwhile', async () => {
    const { page } = workbench;
    const id = await sessionWith(workbench.vscode, 'a fixed script');
    const before = await readFile(await logPathOf(workbench.vscode, id));
    await chooseFromMenu(page, sessionRow(page, 'How to begin'), 'Delete Session');
    await expectRows(page, ['read notes.txt']);
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    const toast = page.locator('.notifications-toasts .notification-toast', { hasText: 'trash' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expectRows(page, ['read notes.txt', /^How to begin.*open/]);
    await turns(chat).filter({ hasText: 'a fixed script, not a real model' }).waitFor();
    expect(await readFile(await logPathOf(workbench.vscode, id))).toEqual(before);
  });

  test('restores from the trash later, too', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, 'read notes.txt'), 'Delete Session');
    await expectRows(page, ['How to begin']);
    await runCommand(page, 'Restore Deleted Session...');
    await quickInput(page).getByText('read notes.txt').waitFor();
    await page.keyboard.press('Enter');
    await expectRows(page, [/^read notes\.txt.*open/, 'How to begin']);
  });

  test('and all around it forget a waiting session whose log vanishes', async () => {
    const { page, vscode } = workbench;
    await chat.getByRole('button', { name: 'New session' }).click();
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await send(chat, 'write vanishing.txt: gone soon');
    await waitingCards(chat, 1);
    await statusSays(page, 'Needs you: 1 approval');
    await expectRows(page, [/^write vanishing\.txt.*open/, 'read notes.txt', 'How to begin']);
    await rm(await logPathOf(vscode, await sessionWith(vscode, 'gone soon')));
    await expectRows(page, ['read notes.txt', 'How to begin']);
    await statusItem(page).filter({ hasText: 'Needs you' }).waitFor({ state: 'detached' });
    await page.locator('.activitybar a[aria-label*="Needs you"]').waitFor({ state: 'detached' });
    const note = chat.getByRole('note', { name: 'Read-only' });
    await note.getByText('The log of this session is no longer in its place.').waitFor();
    await sessionRow(page, 'read notes.txt').click();
    await expectRows(page, [/^read notes\.txt.*open/, 'How to begin']);
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
    await screenshot(page, 'sessions-tree');
    await row.click();
    await chat.getByRole('note', { name: 'Read-only' }).getByText('Line 4 of the log is damaged').waitFor();
    await chat.getByRole('button', { name: 'Fork from the last good event' }).waitFor();
    await sessionRow(page, 'How to begin').click();
    await sessionRow(page, /^How to begin.*open/).waitFor();
    await sessionRow(page, /Line 4 of the log is damaged/).waitFor();
  });
});

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

  test('is found by its words, and opens at the turn that has them', async () => {
    const { page } = workbench;
    await runCommand(page, 'Search in All Sessions...');
    await typeAnswer(page, 'NEEDLE in the');
    await quickInput(page)
      .getByText('1 turn has it')
      .or(quickInput(page).getByPlaceholder(/1 turn has it/))
      .waitFor();
    await screenshot(page, 'sessions-search');
    await page.keyboard.press('Enter');
    const turn = turns(chat).filter({ hasText: NEEDLE });
    await turn.waitFor();
    const distance = await until({
      what: 'the turn at the top of the view',
      probe: async () => {
        const [box, frame] = [await turn.boundingBox(), await log().boundingBox()];
        if (box === null || frame === null) return undefined;
        return Math.abs(box.y - frame.y) < 40 ? box.y - frame.y : undefined;
      },
    });
    expect(Math.abs(distance)).toBeLessThan(40);
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
    const after = await until({
      what: `the turn at ${before} px`,
      probe: async () => {
        const now = await offset(again);
        return Math.abs(now - before) <= 2 ? now : undefined;
      },
    });
    expect(Math.abs(after - before)).toBeLessThanOrEqual(2);
    expect(await title().textContent()).toBe('Turn number 0');
  });
});

describe('a session that another process has open', () => {
  let other: Run;

  beforeAll(async () => {
    const storage = await workbench.vscode.storageDir();
    other = await headless(placeArgs({ workspace, storage }, null, { session: 'ses_other' }));
    other.send({ type: 'ready' });
    other.send({ type: 'send', client_turn_id: 'c1', text: 'list', attachments: [] });
    await other.until((message) => message.type === 'turn_state' && message['state'] === 'completed');
  });

  afterAll(async () => {
    other?.closeInput();
    await other?.exited;
  });

  test('is a live view that cannot send, and says who has it', async () => {
    const { page } = workbench;
    await showSessions(page);
    await sessionRow(page, /^list/).click();
    const banner = chat.getByRole('note', { name: 'Read-only' });
    await banner.getByText(`process ${other.pid}`).waitFor();
    other.send({ type: 'send', client_turn_id: 'c2', text: 'read notes.txt', attachments: [] });
    const live = await turnIn(chat, 'completed');
    await live.filter({ hasText: 'read notes.txt' }).waitFor();
    expect(await turns(chat).count()).toBe(2);
    await screenshot(page, 'sessions-held');
  });

  test('is not deleted', async () => {
    const { page } = workbench;
    await chooseFromMenu(page, sessionRow(page, /^list.*open/), 'Delete Session');
    const toast = page.locator('.notifications-toasts .notification-toast', {
      hasText: `process ${other.pid}`,
    });
    await toast.waitFor();
    expect(await sessionRow(page, /^list/).count()).toBe(1);
    await chat.getByRole('note', { name: 'Read-only' }).waitFor();
  });

  test('can be taken over, and the other one says that it lost it', async () => {
    await chat.getByRole('button', { name: 'Take over' }).click();
    await chat.getByRole('note', { name: 'Read-only' }).waitFor({ state: 'detached' });
    await other.until((message) => message.type === 'failure' && message['kind'] === 'lease_lost');
    await other.until(
      (message) =>
        message.type === 'snapshot' && JSON.stringify(message['access']).includes('open in another window'),
    );
    await send(chat, 'help');
    await turnIn(chat, 'completed');
    expect(await turns(chat).count()).toBe(3);
    const logged = await readFile(
      path.join(await workbench.vscode.storageDir(), 'sessions', 'ses_other.jsonl'),
      'utf8',
    );
    expect(logged.split('"type":"user_message"').length - 1).toBe(3);
    expect(await sessionRows(workbench.page).count()).toBeGreaterThan(3);
  });
});

describe('the folder of the logs', () => {
  test('can be moved away and made again: what others write there is seen', async () => {
    const { page, vscode } = workbench;
    const good = await sessionWith(vscode, 'a fixed script');
    const log = await readFile(await logPathOf(vscode, good), 'utf8');
    const folder = path.dirname(await logPathOf(vscode, good));
    const write = (id: string, words: string): Promise<void> =>
      writeFile(
        path.join(folder, `${id}.jsonl`),
        log.replaceAll(good, id).replace(/"text":"[^"]*"/, `"text":"${words}"`),
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
