import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { headless, placeArgs } from '../support/headless.ts';
import { button, cards, waitingCards } from '../support/browser/cards.ts';
import { isFocused, tabBackTo } from '../support/browser/keyboard.ts';
import { callRecord, type CallRecord, turnEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';

const view = chatPage();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace();
  chat = await view.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
});

async function files(): Promise<readonly string[]> {
  return (await readdir(folder)).toSorted();
}

async function content(file: string): Promise<string> {
  return readFile(path.join(folder, file), 'utf8');
}

function recordOf(turn: Locator): Promise<CallRecord> {
  return callRecord(view, turn);
}

const APPROVED: CallRecord = {
  decisions: ['resume by user'],
  permissions: ['ask by policy', 'allow by user'],
  results: ['ok'],
};

describe('an approval', () => {
  test('is asked for with the change, and nothing happens before it is given', async () => {
    await send(chat, 'write note.txt: hello');
    const card = await waitingCards(chat, 1);
    expect(await card.locator('.change-head').textContent()).toBe('note.txtnew file+1 −0Diff');
    expect(await card.getByRole('region', { name: 'Change of note.txt' }).textContent()).toContain('+hello');
    expect(await lastTurn(chat).locator('.call-head').textContent()).toBe('Writenote.txtneeds you');
    expect(await files()).toEqual(['notes.txt']);
    expect(await recordOf(lastTurn(chat))).toEqual({
      decisions: [],
      permissions: ['ask by policy'],
      results: [],
    });
    await button(card, 'Approve').click();
    const turn = await turnIn(chat, 'completed');
    expect(await content('note.txt')).toBe('hello');
    expect(await cards(chat).count()).toBe(0);
    expect(await turn.locator('.call-head').textContent()).toMatch(/^Writenote\.txt.*okDiff$/);
    expect(await recordOf(turn)).toEqual(APPROVED);
  });

  test('is denied with a reason, which the model is told', async () => {
    await send(chat, 'write denied.txt: hello');
    const card = await waitingCards(chat, 1);
    await button(card, 'Reason…').click();
    await card.getByRole('textbox', { name: 'Reason (optional)' }).fill('not in this folder');
    await button(card, 'Deny').click();
    const turn = await turnIn(chat, 'completed');
    const answer = await turn.locator('.answer').last().textContent();
    expect(answer).toContain('was denied');
    expect(answer).toContain('Their reason: not in this folder');
    expect(await turn.locator('.call-head').textContent()).toBe('Writedenied.txtdenied');
    expect(await files()).not.toContain('denied.txt');
    expect(await recordOf(turn)).toEqual({
      decisions: ['cancel by user'],
      permissions: ['ask by policy', 'deny by user'],
      results: ['denied'],
    });
  });

  test('needs only the keyboard, and never takes it', async () => {
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.click();
    await view.page.keyboard.type('write keys.txt: typed');
    await view.page.keyboard.press('Enter');
    const card = await waitingCards(chat, 1);
    expect(await isFocused(message)).toBe(true);
    await tabBackTo(view.page, button(card, 'Approve'));
    await view.page.keyboard.press('Enter');
    const turn = await turnIn(chat, 'completed');
    expect(await content('keys.txt')).toBe('typed');
    await expect.poll(() => isFocused(turn.locator('.call-toggle'))).toBe(true);
    expect(await recordOf(turn)).toEqual(APPROVED);
  });
});

test('a question is answered, and the model quotes the answer', async () => {
  await send(chat, 'ask Which colour?');
  const card = await waitingCards(chat, 1, 'Question');
  await card.getByText('Which colour?').waitFor();
  expect(await button(card, 'Answer').isDisabled()).toBe(true);
  await card.getByRole('textbox', { name: 'Answer' }).fill('teal, I think');
  await button(card, 'Answer').click();
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.answer', { hasText: 'teal, I think' }).waitFor();
  const { decisions, results } = await recordOf(turn);
  expect({ decisions, results }).toEqual({ decisions: ['resume by user'], results: ['ok'] });
});

describe('several calls of one round', () => {
  test('are approved with one click, and each has its own decision', async () => {
    await send(chat, 'all write a.txt: 1; write b.txt: 2; run echo hi');
    await waitingCards(chat, 3);
    await lastTurn(chat).getByText('Needs you: 3 approvals').waitFor();
    expect(await lastTurn(chat).locator('.button.primary').count()).toBe(1);
    await button(lastTurn(chat), 'Approve all (3)').click();
    const turn = await turnIn(chat, 'completed');
    expect([await content('a.txt'), await content('b.txt')]).toEqual(['1', '2']);
    const { decisions, permissions, results } = await recordOf(turn);
    expect(decisions).toEqual(Array.from({ length: 3 }, () => 'resume by user'));
    expect(permissions.toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'allow by user'),
      ...Array.from({ length: 3 }, () => 'ask by policy'),
    ]);
    expect(results).toEqual(['ok', 'ok', 'ok']);
  });

  test('are approved one by one: the others still wait', async () => {
    await send(chat, 'all write c.txt: 3; write d.txt: 4; run echo hi');
    await waitingCards(chat, 3);
    await button(cards(chat).first(), 'Approve').click();
    await lastTurn(chat)
      .locator('.call-head', { hasText: 'c.txt' })
      .getByText('ok', { exact: true })
      .waitFor();
    await waitingCards(chat, 2);
    expect(await files()).toContain('c.txt');
    expect(await files()).not.toContain('d.txt');
    expect(await recordOf(lastTurn(chat))).toMatchObject({ decisions: ['resume by user'], results: ['ok'] });
    await button(lastTurn(chat), 'Deny all (2)').click();
    const turn = await turnIn(chat, 'completed');
    expect(await files()).not.toContain('d.txt');
    expect(await recordOf(turn)).toMatchObject({
      decisions: ['resume by user', 'cancel by user', 'cancel by user'],
      results: ['ok', 'denied', 'denied'],
    });
  });
});

describe('a rule', () => {
  test('that is remembered is shown before, and is about exactly that command', async () => {
    await send(chat, 'run echo hi');
    const card = await waitingCards(chat, 1);
    expect(await card.locator('.always code').allTextContents()).toEqual(['run_command(echo hi)']);
    await button(card, 'Always allow').click();
    expect(await recordOf(await turnIn(chat, 'completed'))).toEqual(APPROVED);
    await send(chat, 'run echo hi');
    expect(await recordOf(await turnIn(chat, 'completed'))).toEqual({
      decisions: [],
      permissions: ['allow by rule'],
      results: ['ok'],
    });
    await send(chat, 'run echo ho');
    await button(await waitingCards(chat, 1), 'Deny').click();
    expect(await recordOf(await turnIn(chat, 'completed'))).toMatchObject({ results: ['denied'] });
  });
});

describe('a turn that waits', () => {
  test('is superseded by a new message', async () => {
    await send(chat, 'write never.txt: 1');
    await waitingCards(chat, 1);
    const first = turns(chat).nth((await turns(chat).count()) - 1);
    await chat.getByRole('textbox', { name: 'Message' }).fill('write');
    await chat.getByText('Cancels what waits for you').waitFor();
    await send(chat, 'write instead.txt: 1');
    await first.and(chat.locator('[data-state="interrupted"]')).waitFor();
    await button(await waitingCards(chat, 1), 'Approve').click();
    await turnIn(chat, 'completed');
    expect(await files()).toContain('instead.txt');
    expect(await files()).not.toContain('never.txt');
    expect(await interruption(first)).toEqual(['superseded']);
    expect((await recordOf(first)).results).toHaveLength(1);
  });

  test('is stopped', async () => {
    await send(chat, 'write never.txt: 2');
    await waitingCards(chat, 1);
    await button(chat, 'Stop').click();
    const turn = await turnIn(chat, 'interrupted');
    await turn.getByText('Response interrupted').waitFor();
    expect(await cards(chat).count()).toBe(0);
    expect(await files()).not.toContain('never.txt');
    expect(await interruption(turn)).toEqual(['user_cancelled']);
    expect((await recordOf(turn)).results).toHaveLength(1);
  });
});

async function interruption(turn: Locator): Promise<readonly unknown[]> {
  return (await turnEvents(view, turn))
    .filter((event) => event.type === 'turn_failed')
    .map(({ data }) => data.interrupted_reason);
}

test('what another process holds is seen live, but cannot be decided here', async () => {
  const session = 'held-elsewhere';
  const place = { workspace: folder, storage: await view.storageDir() };
  const holder = await headless(placeArgs(place, null, { session, set: ['permissionMode=ask'] }));
  try {
    holder.send({ type: 'send', client_turn_id: 'c1', text: 'write held.txt: 1', attachments: [] });
    const { pending } = await holder.until(({ type, state }) => type === 'turn_state' && state === 'waiting');
    await view.window.vscode.run('ledgerline.openSession', session);
    await chat.getByRole('note', { name: 'Read-only' }).waitFor();
    const card = await waitingCards(chat, 1);
    for (const name of ['Approve', 'Deny', 'Reason…', 'Always allow'])
      expect([name, await button(card, name).isDisabled()]).toEqual([name, true]);
    expect(await button(chat, 'Stop').count()).toBe(0);
    holder.send({ type: 'decide', target_id: targetOf(pending), decision_id: 'd1', action: 'resume' });
    expect(await recordOf(await turnIn(chat, 'completed'))).toEqual(APPROVED);
    expect(await content('held.txt')).toBe('1');
  } finally {
    holder.closeInput();
    await holder.exited;
  }
});

function targetOf(pending: unknown): string {
  const first: unknown = Array.isArray(pending) ? pending[0] : undefined;
  if (typeof first === 'object' && first !== null && 'call_id' in first) return String(first.call_id);
  throw new Error('nothing is pending');
}

test('in mode auto only a protected file is asked for', async () => {
  view.window.vscode.changeSettings({ 'ledgerline.permissionMode': 'auto' });
  await button(chat, 'Auto').waitFor();
  await send(chat, 'write free.txt: 1');
  expect(await recordOf(await turnIn(chat, 'completed'))).toEqual({
    decisions: [],
    permissions: ['allow by policy'],
    results: ['ok'],
  });
  await send(chat, 'write AGENTS.md: x');
  const card = await waitingCards(chat, 1);
  await card.getByText('so it is asked in every mode').waitFor();
  expect(await files()).not.toContain('AGENTS.md');
  await button(card, 'Approve').click();
  expect(await recordOf(await turnIn(chat, 'completed'))).toEqual(APPROVED);
  expect(await content('AGENTS.md')).toBe('x');
});

test('the page asked for nothing that its policy refuses', () => {
  expect(view.violations).toEqual([]);
});
