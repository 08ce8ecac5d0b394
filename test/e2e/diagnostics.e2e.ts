import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { events, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { button, waitingCards } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setApiKey } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  diagnosticsPane,
  expand,
  inlineAction,
  followLink,
  followLinkTo,
  hoverWith,
  lineSelected,
  menuAction,
  openDiagnostics,
  openSession,
  raiseDiagnostics,
  row,
  rowNames,
  shownText,
  textWith,
  writeSession,
} from './diagnostics-driver.ts';
import { damaged, everyState } from './diagnostics-scenes.ts';
import { chooseFromQuickInput, inEachTheme, quickInputRows } from './harness/index.ts';

/** The tree of diagnostics and the documents it leads to, in one window that goes on from test to test. */

const READ = {
  call_id: 'call_1',
  name: 'read_file',
  args: { path: 'notes.txt', start_line: null, end_line: null },
};
const WRITE = { call_id: 'call_2', name: 'write_file', args: { path: 'clock.md', content: 'Tick.' } };

const server = scriptedServer();
const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open(
    { workspace: await newWorkspace(), settings: server.settings },
    { height: 1300 },
  );
  await setApiKey(workbench.page, 'sk-test');
});

afterAll(workbench.close);

/** The line of the log, counted from 1, that holds the last event of a type. */
async function lineOf(type: string): Promise<number> {
  return (await loggedEvents(workbench.vscode)).findLastIndex((event) => event.type === type) + 1;
}

test('without a log the tree says how one begins', async () => {
  const pane = await openDiagnostics(workbench.page);
  await pane.getByText('Turns, tool calls and warnings of the open session appear here').waitFor();
  await raiseDiagnostics(workbench.page, 500);
});

test('a turn is seen running, then completed with its calls and its evidence', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const all = responseEvents({ text: ['The notes have ', 'two lines.'] });
  const cut = all.findLastIndex((event) => event.type === 'response.output_text.delta');
  server.says({ calls: [READ] });
  server.replies.push(stream([events(all.slice(0, cut)), wait(released), events(all.slice(cut))]));
  await send(chat, 'What do the notes say?');
  const { page } = workbench;
  await row(page, /^What do the notes say\?, Working: /).waitFor();
  await row(page, /^read_file notes\.txt, Completed/).waitFor();
  release();
  const turn = row(page, /^What do the notes say\?, Completed, 1 call/);
  await turn.waitFor();
  const answered = `answer at seq ${(await lineOf('assistant_message')) - 1}`;
  await hoverWith(page, turn, `Completed: ${answered}, 1 of 1 calls have their result`);
});

test('an approval is counted and shown, and the tree follows the decision', async () => {
  const { page } = workbench;
  server.says({ calls: [WRITE] });
  await send(chat, 'Write about the clock');
  const card = await waitingCards(chat, 1);
  const call = row(page, /^write_file clock\.md, Needs you/);
  await call.waitFor();
  await row(page, /^Write about the clock, Needs you: 1 approval/).waitFor();
  await page.locator('.activitybar a[aria-label*="Needs you: 1 approval"]').waitFor();
  await menuAction(page, call, 'Run Next Action');
  server.says({ text: 'Written.' });
  await button(card, 'Approve').click();
  await turnIn(chat, 'completed');
  await row(page, /^write_file clock\.md, Completed/).waitFor();
  await row(page, /^Write about the clock, Completed/).waitFor();
  await page.locator('.activitybar a[aria-label*="Needs you"]').waitFor({ state: 'detached' });
});

test('the line of a call in the log is selected', async () => {
  const { page } = workbench;
  await inlineAction(row(page, /^write_file clock\.md/), 'Reveal Log Line');
  await lineSelected(page, await lineOf('tool_call'));
});

test('the request of a call is a readable document that leads back to the log', async () => {
  const { page } = workbench;
  await menuAction(page, row(page, /^write_file clock\.md/), 'Inspect Its Request');
  const text = (): Promise<string> => shownText(page);
  await textWith(page, '# Request');
  await expect.poll(text).toContain('Shared prefix     all ');
  await expect.poll(text).toContain('## Shared with the previous request: ');
  await expect.poll(text).toMatch(/### 0\. developer message\nFrom seq 1 developer_context, [\d,]+ bytes/);
  const before = /^Request before +seq (\d+)$/mu.exec(await text())?.[1] ?? 'none';
  const line = page.locator('.view-line', { hasText: 'Request before' });
  await followLinkTo(page, line.locator('.detected-link'), `the log up to seq ${before}`);
  await runCommand(page, 'Inspect Request');
  await textWith(page, '# Next request');
  await expect.poll(text).toContain('Problems          none');
  const link = page.locator('.detected-link', { hasText: /^seq\s2$/ }).first();
  await link.waitFor();
  await followLink(page, link, 3);
});

test('a next action of the tree is carried out', async () => {
  const { page } = workbench;
  server.replies.push(stream([events(unfinishedEvents({ text: 'This breaks off in the mid' }))]));
  server.says({ text: 'This time it is whole.' });
  await send(chat, 'Say it');
  await turnIn(chat, 'partial_failed');
  const before = await turns(chat).count();
  const turn = row(page, /^Say it, Stopped early: partial answer/);
  await turn.waitFor();
  await chooseFromQuickInput(page, {
    open: () => inlineAction(turn, 'Run Next Action'),
    hasText: 'Try again',
  });
  await turns(chat).nth(before).waitFor();
  await turnIn(chat, 'completed');
  await lastTurn(chat).getByText('This time it is whole.').waitFor();
  await row(page, /^Say it, Completed/).waitFor();
});

test('the diagnosis is a document with what needs attention first', async () => {
  await runCommand(workbench.page, 'Diagnose Session');
  const text = (): Promise<string> => shownText(workbench.page);
  await textWith(workbench.page, '# Diagnosis: Ready, with warnings');
  await expect.poll(text).toMatch(/## Needs attention: \d+\n\n### Preserved partials\n1 partial answer,/);
  await expect.poll(text).toContain('## Sound: ');
});

test('a damaged session shows the line, and what can be done', async () => {
  const { page } = workbench;
  const spoilt = damaged();
  await writeSession(workbench.vscode, 'spoilt', spoilt.lines);
  await openSession(page, 'A session that was spoilt');
  await chat.getByRole('note', { name: 'Read-only' }).waitFor();
  const check = row(page, new RegExp(`^Line ${spoilt.line} is damaged`));
  await check.waitFor();
  await row(page, new RegExp(`^line ${spoilt.line}: `)).waitFor();
  await inlineAction(check, 'Reveal Log Line');
  await lineSelected(page, spoilt.line);
  const picks = quickInputRows(page);
  await chooseFromQuickInput(page, {
    open: async () => {
      await inlineAction(check, 'Run Next Action');
      await expect
        .poll(() => picks.locator('.label-name').allTextContents())
        .toEqual(['Open log', 'Export', 'Fork from the last good event']);
    },
    hasText: 'Fork from the last good event',
  });
  await chat.getByRole('note', { name: 'Read-only' }).waitFor({ state: 'hidden' });
  await check.waitFor({ state: 'detached' });
});

test('every state is told apart in words, with an icon', async () => {
  const { page } = workbench;
  await writeSession(workbench.vscode, 'states', await everyState());
  await openSession(page, 'Move the login to the new client');
  await row(page, /^Test the new client, Needs you/).waitFor();
  // Nothing is clicked after the one whose lines nobody waits for.
  for (const name of [/^Ask two helpers/, /^port the client/, /^Warnings/]) await expand(row(page, name));
  await row(page, /^survey/).waitFor();
  await expect
    .poll(() => rowNames(page))
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Test the new client, Needs you: 1 approval/),
        expect.stringMatching(/^Look at the client, Response interrupted: stopped by you/),
        expect.stringMatching(/^And the other tests\?, Failed: /),
        expect.stringMatching(/^Ask two helpers about the clock, Timed out after 10 min/),
        expect.stringMatching(/^Look for clocks, Completed/),
        expect.stringMatching(/^Look for timers, Timed out/),
        expect.stringMatching(/^port the client, Partial/),
        expect.stringMatching(/^survey, Completed/),
        expect.stringMatching(/^port, Held/),
      ]),
    );
  const icons = diagnosticsPane(page).locator('.custom-view-tree-node-item-icon.codicon');
  await inEachTheme(page, async () => {
    await expect.poll(() => icons.count()).toBeGreaterThan(10);
  });
});
