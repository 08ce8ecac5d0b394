import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { count } from '../support/browser/counts.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { storeOf } from '../support/browser/recorded-talk.ts';
import { openChild } from '../storage/child-log.ts';
import { TALK } from '../storage/recorded-session.ts';
import { chatPage, frameOf } from './chat-page.ts';

/** Children and workflows as people meet them: the offline model and the real loop. */

const view = chatPage();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({ 'other.txt': 'third line\n' });
  chat = await view.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
});

function agentCard(task: string): Locator {
  return chat.getByRole('group', { name: new RegExp(`^Agent .*${task}`, 'u') });
}

async function inState(card: Locator, state: string): Promise<void> {
  await card
    .and(chat.locator(`[data-state="${state}"]`))
    .first()
    .waitFor();
}

/** The page of the tab that was opened as the so many-th, in a page of the browser beside the chat. */
async function tab(opened: number): Promise<Frame> {
  const { tabs } = view.window;
  await expect.poll(() => tabs.length).toBe(opened);
  count('pages');
  const page = await view.page.context().newPage();
  await page.goto(tabs.at(-1)?.url ?? '');
  return frameOf(page);
}

function titles(): readonly string[] {
  return view.window.vscode.webviews.slice(1).map(({ panel }) => panel.title);
}

describe('children', () => {
  test('have a card each, with their state and what they said, and the turn is completed after them', async () => {
    await send(chat, 'agent read notes.txt; read other.txt');
    await turnIn(chat, 'completed');
    await inState(agentCard('read notes.txt'), 'completed');
    await inState(agentCard('read other.txt'), 'completed');
  });

  test('are asked about in the chat of their parent, with who asks', async () => {
    const { vscode } = view.window;
    await send(chat, 'agent write made.txt: by a child');
    const asked = chat.getByRole('group', { name: 'Approval' });
    await asked.waitFor();
    expect(await asked.textContent()).toContain('write made.txt');
    await chat.getByRole('textbox', { name: 'Message' }).click();
    await vscode.run('ledgerline.goToDecision');
    const diff = asked.getByRole('button', { name: 'Diff' });
    await expect.poll(() => isFocused(diff)).toBe(true);
    await diff.click();
    await expect
      .poll(() => vscode.executed.filter(([command]) => command === 'vscode.diff').map((all) => all[3]))
      .toEqual(['made.txt (proposed by Ledgerline)']);
    await button(asked, 'Approve').click();
    await turnIn(chat, 'completed');
    expect(await readFile(path.join(folder, 'made.txt'), 'utf8')).toBe('by a child');
  });

  test('can be stopped one by one, and say so', async () => {
    await send(chat, 'agent slow');
    const card = agentCard('slow');
    await inState(card, 'running');
    await card.getByRole('button', { name: /^End /u }).click();
    await inState(card, 'cancelled');
    await turnIn(chat, 'completed');
  });

  test('end with Stop', async () => {
    await send(chat, 'agent slow; slow');
    await inState(agentCard('slow').last(), 'running');
    await button(chat, 'Stop').click();
    await turnIn(chat, 'interrupted');
    await inState(agentCard('slow').last(), 'cancelled');
  });
});

describe('the transcript of a child', () => {
  let transcript: Frame;

  test('opens in a tab, says whose it is, and leaves the chat alone', async () => {
    const before = await turns(chat).count();
    const card = agentCard('read notes.txt').first();
    await card
      .getByRole('button', { name: /transcript/iu })
      .first()
      .click();
    transcript = await tab(1);
    await transcript.getByText('first line').first().waitFor();
    const parent = transcript.getByRole('navigation', { name: 'Parent session' });
    expect(await parent.textContent()).toBe('Agentchild of agent read notes.txt; read other.txt');
    expect(await turns(transcript).count()).toBe(1);
    expect(await turns(chat).count()).toBe(before);
    expect(titles()).toEqual(['Agent: read notes.txt']);
    const session = await transcript.locator('#app').getAttribute('data-session');
    await view.window.vscode.run('ledgerline.openAgent', session);
    expect(titles()).toEqual(['Agent: read notes.txt']);
  });

  test('can be gone on with, in its own log', async () => {
    const before = await turns(chat).count();
    await send(transcript, 'And then?');
    await turnIn(transcript, 'completed');
    expect([await turns(transcript).count(), await turns(chat).count()]).toEqual([2, before]);
  });

  test('leads to its parent in the chat', async () => {
    await button(chat, 'New session').click();
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await button(transcript, 'child of agent read notes.txt; read other.txt').click();
    await chat.getByRole('heading', { level: 1, name: /^agent read notes\.txt/u }).waitFor();
    await transcript.page().close();
  });

  test('is live while another writes it, and writable when that is over', async () => {
    const [started] = (await loggedEvents(view)).filter(({ data }) => 'fork_root_session_id' in data);
    const of = String(started?.data['fork_root_session_id']);
    const running = await openChild(await storeOf(view), { id: 'ses_three', of, task: 'Look on' });
    await running.play({ ...TALK, say: 'Look on' });
    await view.window.vscode.run('ledgerline.openAgent', 'ses_three');
    const shown = await tab(2);
    await button(shown, 'Open parent session').waitFor();
    await running.play({ ...TALK, say: 'And on' });
    await expect.poll(() => turns(shown).count()).toBe(2);
    await running.close();
    await shown.getByRole('note', { name: 'Read-only' }).waitFor({ state: 'detached' });
    await shown.page().close();
  });
});

describe('a workflow', () => {
  test('of stages shows its steps as a graph, holds where it has to ask, and goes on from the answer', async () => {
    await send(chat, 'workflow read notes.txt; list then hold Which file?');
    const card = chat.getByRole('group', { name: 'Workflow Offline workflow' });
    await turnIn(chat, 'waiting');
    await inState(card, 'partial');
    // To resume it would take its question away.
    expect(await card.getByRole('button', { name: 'Resume workflow' }).count()).toBe(0);
    const question = chat.getByRole('group', { name: 'Question' });
    await question.getByRole('textbox').fill('The first one.');
    await question.getByRole('textbox').press('Control+Enter');
    await turnIn(chat, 'completed');
    await inState(card, 'completed');
  });
});

test('no page asked for anything that its policy refuses', () => {
  expect(view.violations).toEqual([]);
});
