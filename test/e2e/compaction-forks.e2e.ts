import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { record } from '../storage/recorded-session.ts';
import { recordTalk, storeOf } from '../support/browser/recorded-talk.ts';
import { type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { call, message, responds } from '../support/scripted-provider.ts';
import { button } from '../support/browser/cards.ts';
import { loggedEvents, type LoggedEvent } from '../support/browser/log-record.ts';
import { send, turnIn, turns, pointAway } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setApiKey, setSideBarWidth } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { checkpoints, openedCheckpoint, openMeter, tabInFront } from './compaction-driver.ts';
import { COMPACTED_AT, COMPACTED_TITLE, compactedLog } from './compaction-scenes.ts';
import {
  expand,
  followLink,
  followLinkTo,
  inlineAction,
  isShown,
  lineSelected,
  menuAction,
  openDiagnostics,
  openSession,
  row,
  textWith,
  writeSession,
} from './diagnostics-driver.ts';
import { changeSettings, chooseFromOpened, openMenu, until } from './harness/index.ts';
import { quickInput, sessionRow, showSessions } from './sessions-driver.ts';

/** Forks and compactions in VS Code's own menus, lists, trees and documents. One test goes on where the last ended. */

const workbench = chatWindow();
let chat: Frame;
let server: ResponsesServer;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'An answer.' })),
  });
  chat = await workbench.open(
    {
      workspace: await newWorkspace(),
      settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
    },
    { width: 1100, height: 1000 },
  );
  const { page, vscode } = workbench;
  await setApiKey(page, 'sk-test');
  await setSideBarWidth(page, 300);
  const reading = [responds(call('c1', 'read', { path: 'notes.txt' })), responds(message('Read.'))];
  await record(
    await storeOf(vscode),
    [
      { say: 'name a colour', scripts: [responds(message('Teal.'))] },
      { say: 'read the notes', scripts: reading },
      { say: 'name a number', scripts: [responds(message('Seven.'))] },
    ],
    'ses_colour',
  );
  await writeSession(vscode, 'ses_compacted', compactedLog());
  const questions = Array.from({ length: 14 }, (_, index) => `Long question ${index}?`);
  await recordTalk(vscode, { id: 'ses_long', questions, answer: 'An answer of some length. '.repeat(20) });
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

async function logged(type: string): Promise<readonly LoggedEvent[]> {
  return (await loggedEvents(workbench.vscode)).filter((event) => event.type === type);
}

function forkMark(): Locator {
  return chat.locator('.mark', { hasText: 'Forked from' });
}

function forkHere(): Locator {
  const menu = workbench.page.locator('.monaco-menu');
  return menu.getByRole('menuitem', { name: 'Fork from Here', exact: true });
}

async function forkOf(count: number): Promise<void> {
  await forkMark().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(count);
}

async function back(): Promise<void> {
  // The button of the fork before was in the same place.
  await pointAway(chat);
  await button(forkMark(), 'Open parent session').click();
  await turns(chat).nth(2).waitFor();
  await forkMark().waitFor({ state: 'detached' });
}

async function pick(name: RegExp): Promise<void> {
  await quickInput(workbench.page).getByRole('option', { name }).click();
}

describe('a fork', () => {
  test('is made after the result of a call from its menu, with the mouse and with the keyboard alone', async () => {
    const { page } = workbench;
    await openSession(page, 'name a colour');
    const line = chat.locator('.call').first().locator('.call-toggle');
    await chooseFromOpened(page, { open: () => line.click({ button: 'right' }), entry: forkHere() });
    await forkOf(2);
    await turnIn(chat, 'interrupted');
    const [made] = await logged('session_fork');
    const results = (await logged('tool_result')).map(({ seq }) => seq);
    expect(results).toContain(made?.data['forked_to_seq']);
    await back();

    const reached = page.locator('.monaco-menu .action-item.focused', { hasText: /^Fork from Here$/ });
    await openMenu(page, {
      open: async () => {
        await line.focus();
        await page.keyboard.press('Shift+F10');
      },
      entry: forkHere(),
    });
    await until({
      what: 'the entry of the menu to be reached by the arrow',
      timeoutMs: 20_000,
      probe: async () => {
        if ((await reached.count()) > 0) return true;
        await page.keyboard.press('ArrowDown');
        return undefined;
      },
    });
    await page.keyboard.press('Enter');
    await forkOf(2);
    expect(await logged('session_fork')).toHaveLength(2);
    await back();
  });

  test('is made at the end of a turn from the diagnostics tree', async () => {
    const { page } = workbench;
    await openDiagnostics(page);
    const turn = row(page, /^name a colour/).and(page.locator('[aria-level="2"]'));
    await chooseFromOpened(page, { open: () => turn.click({ button: 'right' }), entry: forkHere() });
    await forkOf(1);
    await turnIn(chat, 'completed');
    await back();
    await page.locator('.pane-header[aria-label^="Diagnostics"]').click();
  });

  test('is made from the palette, which asks where, and whether with a summary', async () => {
    const { page } = workbench;
    await runCommand(page, 'Fork Session');
    await quickInput(page)
      .getByRole('option', { name: /From the end/ })
      .waitFor();
    await pick(/^name a colour/);
    await quickInput(page)
      .getByRole('option', { name: /Without a summary/ })
      .waitFor();
    await pick(/With a summary/);
    await forkOf(1);
    await chat.getByText('What was left behind is summed up for the model').waitFor();
  });

  test('is in the tree under the session that it was made of', async () => {
    const { page } = workbench;
    await showSessions(page);
    const parent = sessionRow(page, /4 forks/);
    await parent.waitFor();
    expect(await parent.getAttribute('aria-level')).toBe('1');
    const made = sessionRow(page, /· fork ·/);
    await expect.poll(() => made.count()).toBe(4);
    expect(await made.first().getAttribute('aria-level')).toBe('2');
    await page.locator('.pane-header[aria-label^="Sessions"]').click();
  });
});

describe('a checkpoint', () => {
  test('of a log stands between its turns, and opens whole, as a document that leads to the log', async () => {
    const { page } = workbench;
    await openSession(page, COMPACTED_TITLE);
    await checkpoints(chat).first().waitFor();
    const order = await chat
      .locator('.log > :is(.turn, .checkpoint)')
      .evaluateAll((all) => all.map(({ className }) => className));
    expect(order).toEqual(['turn', 'turn', 'checkpoint', 'turn']);
    await turns(chat).first().getByText('The clock is mocked after the client is built.').waitFor();
    const details = await openedCheckpoint(checkpoints(chat).first());
    await button(details, 'Open checkpoint').click();
    // However the editor breaks its lines.
    const text = (await textWith(page, '# Checkpoint')).replaceAll(/\s+/gu, ' ');
    expect(text).toContain('Sums up seq 0 – seq 6: 7 events');
    expect(text).toContain('the conversation from seq 7 on (5 events before the checkpoint)');
    await tabInFront(page, `Checkpoint at seq ${COMPACTED_AT}.md`);
    const link = page.locator('.editor-group-container.active .detected-link', {
      hasText: `seq ${COMPACTED_AT}`,
    });
    await link.first().waitFor();
    await followLink(page, link.first(), COMPACTED_AT + 1);
  });

  test('is a line of the tree, with its evidence and its menu', async () => {
    const { page } = workbench;
    await openDiagnostics(page);
    const line = row(page, /^History compacted, Completed, 7 events, about 48,012 to 9,120 tokens/);
    await line.waitFor();
    // From another line to its own, so that it is seen to be reached. The editor takes the keyboard then, and a menu that
    // is open would close.
    await inlineAction(row(page, /^And on Windows\?/), 'Reveal Log Line');
    await lineSelected(page, COMPACTED_AT + 2);
    await inlineAction(line, 'Reveal Log Line');
    await lineSelected(page, COMPACTED_AT + 1);
    await textWith(page, '"type":"history_compaction"');
    await menuAction(page, line, 'Inspect Its Request');
    await textWith(page, '# Request');
    await menuAction(page, line, 'Open Checkpoint');
    await textWith(page, '# Checkpoint');
    await expand(row(page, /^And on Windows\?/));
    await line.click();
    await tabInFront(page, `Checkpoint at seq ${COMPACTED_AT}.md`);
    await page.locator('.pane-header[aria-label^="Diagnostics"]').click();
  });

  test('is not made from the palette where there is nothing to compact', async () => {
    await runCommand(workbench.page, 'Compact History');
    await chat.locator('.notice', { hasText: 'There is nothing to compact' }).waitFor();
    expect(await logged('history_compaction')).toHaveLength(1);
  });
});

describe('the preview of a compaction', () => {
  test('opens exactly what would be recorded, and says when it is no longer that', async () => {
    const { page, vscode } = workbench;
    await openSession(page, 'Long question 0?');
    await turns(chat).nth(13).waitFor();
    const before = (await loggedEvents(vscode)).length;
    await button(await openMeter(chat), 'Preview compaction').click();
    const text = await textWith(page, '# Preview of a compaction');
    expect(text).toContain('Nothing was recorded.');
    expect(text).toContain('Long question 0?');
    expect(await loggedEvents(vscode)).toHaveLength(before);
    const settings = { 'ledgerline.compaction.strategy': 'model_assisted_v1' };
    await changeSettings(vscode, settings, () => isShown(page, 'Settings were changed since'));
  });

  test('takes its time where a model sums up: that is said, and it can be stopped', async () => {
    const { page, vscode } = workbench;
    const before = server.requests.length;
    replies.push({ kind: 'silence' });
    await runCommand(page, 'Preview Compaction (Dry Run)');
    const said = page.locator('.notification-toast', { hasText: 'Summing up the history…' });
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await said.getByRole('button', { name: 'Cancel' }).click();
    await chat.locator('.notice[data-level="info"]', { hasText: 'Compacting was stopped.' }).waitFor();
    await said.waitFor({ state: 'detached' });
    expect(server.requests.length).toBe(before + 1);
    expect(await logged('history_compaction')).toHaveLength(1);
    const settings = { 'ledgerline.compaction.strategy': 'deterministic_v1' };
    await changeSettings(vscode, settings, () => isShown(page, 'This is exactly what'));
  });

  test('leads to the compaction itself', async () => {
    const { page } = workbench;
    // A link of the text before is a letter off until the editor has looked for links again, and leads nowhere.
    const link = page.locator('.editor-group-container.active .detected-link', {
      hasText: /^Compact\snow$/u,
    });
    await link.first().waitFor();
    await followLinkTo(page, link.first(), 'A compaction was recorded since');
    const made = (await logged('history_compaction')).filter(({ data }) => data['trigger'] === 'manual');
    expect(made.at(-1)?.data).toMatchObject({ trigger: 'manual', strategy: 'deterministic_v1' });
    await expect.poll(() => checkpoints(chat).count()).toBe(1);
    expect(await turns(chat).count()).toBe(14);
  });
});

test('the document of the next request says when that is another one', async () => {
  const { page } = workbench;
  await runCommand(page, 'Inspect Request');
  expect(await textWith(page, '# Next request')).not.toContain('The log has grown since.');
  await send(chat, 'Meanwhile?');
  await turnIn(chat, 'completed');
  await textWith(page, 'The log has grown since.');
  expect(workbench.violations).toEqual([]);
});

test('the meter leads to the setting in VS Code where the window of the model is not known', async () => {
  const { page, vscode } = workbench;
  const named = chat.locator('.setting-labels', { hasText: 'a-model-of-my-own' });
  await changeSettings(vscode, { 'ledgerline.model': 'a-model-of-my-own' }, () => named.isVisible());
  await button(await openMeter(chat), 'Open settings').click();
  await page.locator('.settings-editor', { hasText: 'Context Window' }).waitFor();
});
