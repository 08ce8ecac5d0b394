import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOffered } from './around-driver.ts';
import {
  button,
  lastTurn,
  newWorkspace,
  runCommand,
  send,
  turnEvents,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { FILES_KEY, takeFromQuickInput, until } from './harness/index.ts';

const BEFORE = 'first line\nsecond line\n';
const AFTER = '1st line\nsecond line\n';

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace();
  chat = await workbench.open(
    {
      workspace: folder,
      settings: {
        'ledgerline.provider': 'offline',
        'diffEditor.useInlineViewWhenSpaceIsLimited': false,
        'workbench.editor.enablePreview': true,
      },
    },
    { width: 1500 },
  );
});

afterAll(workbench.close);

async function content(file = 'notes.txt'): Promise<string> {
  return readFile(path.join(folder, file), 'utf8');
}

/** Both sides of the diff editor that is in front, once it is the one with that title. */
async function expectDiff(title: string, before: string, after: string): Promise<void> {
  const { page } = workbench;
  await page.getByRole('tab', { name: title, selected: true }).first().waitFor();
  // Read at once: what is drawn between two reads would have one side only.
  const sides = (): Promise<readonly string[]> =>
    page.evaluate(() =>
      ['original', 'modified'].map((side) => {
        const lines = `.editor-group-container.active .monaco-diff-editor .editor.${side} .view-lines`;
        return (document.querySelector(lines)?.textContent ?? '').replaceAll('\u00A0', ' ');
      }),
    );
  await expect.poll(sides).toEqual([expect.stringContaining(before), expect.stringContaining(after)]);
}

/** The facts of the last turn, opened. */
async function evidence(turn: Locator): Promise<Locator> {
  const line = turn.locator('.evidence > .disclosure');
  if ((await line.getAttribute('aria-expanded')) !== 'true') await line.click();
  const details = turn.locator('.evidence-details');
  await details.waitFor();
  return details;
}

async function approvedEdit(text: string): Promise<Locator> {
  await send(chat, text);
  const card = await waitingCards(chat, 1);
  await button(card, 'Approve').click();
  return turnIn(chat, 'completed');
}

describe('an edit', () => {
  test('is shown in the diff editor before it is approved', async () => {
    await send(chat, 'edit notes.txt: first line => 1st line');
    const card = await waitingCards(chat, 1);
    await button(card, 'Diff of notes.txt').click();
    await expectDiff('notes.txt (proposed by Ledgerline)', 'first line', '1st line');
    expect(await content()).toBe(BEFORE);
  });

  test('is shown as it was made, from its line and from the evidence', async () => {
    await button(lastTurn(chat), 'Approve').click();
    const turn = await turnIn(chat, 'completed');
    expect(await content()).toBe(AFTER);
    await turn.locator('.call').getByRole('button', { name: 'Diff of notes.txt' }).click();
    await expectDiff('notes.txt (changed by Ledgerline)', 'first line', '1st line');
    const line = await turn.locator('.evidence > .disclosure').textContent();
    expect(line).toBe('Completed1 file changed');
    const details = await evidence(turn);
    expect(await details.locator('.fact').textContent()).toBe('notes.txt+1 −1DiffPreviewUndo');
    expect(await details.textContent()).toContain('Approvals: 1 approved');
    await button(details, 'Diff of notes.txt').click();
    await expectDiff('notes.txt (changed by Ledgerline)', 'first line', '1st line');
  });

  test('is undone from the evidence, and the log has it', async () => {
    const turn = lastTurn(chat);
    const details = await evidence(turn);
    await button(details, 'Undo notes.txt').click();
    await details.locator('.fact[data-standing="undone"]').waitFor();
    expect(await content()).toBe(BEFORE);
    expect(await details.getByRole('button', { name: 'Undo notes.txt' }).count()).toBe(0);
    expect(await turn.locator('.evidence > .disclosure').textContent()).toContain('1 file changed (undone)');
    const changes = (await turnEvents(workbench.vscode, turn)).filter(({ type }) => type === 'file_change');
    expect(changes).toHaveLength(2);
    expect(changes[1]?.data).toMatchObject({
      undo_of: [changes[0]?.data.call_id],
      before_sha256: changes[0]?.data.after_sha256,
      after_sha256: changes[0]?.data.before_sha256,
    });
  });

  test('that was undone is so after a reload', async () => {
    chat = await workbench.reload();
    const turn = await turnIn(chat, 'completed');
    expect(await turn.locator('.evidence > .disclosure').textContent()).toContain('1 file changed (undone)');
  });

  test('of a file that was changed since is not undone, and says so', async () => {
    const turn = await approvedEdit('edit notes.txt: first line => 1st line');
    await writeFile(path.join(folder, 'notes.txt'), 'something of my own\n');
    await button(await evidence(turn), 'Undo notes.txt').click();
    await chat
      .locator('.notice', { hasText: 'notes.txt: changed since, so it was left as it is.' })
      .waitFor();
    expect(await content()).toBe('something of my own\n');
    await button(chat.locator('.notice'), 'Dismiss').click();
    await button(await evidence(turn), 'Diff of notes.txt').click();
    const title = 'notes.txt (changed by Ledgerline; the file has changed since)';
    await expectDiff(title, 'first line', '1st line');
  });
});

test('what is typed in an editor and not saved is not undone over', async () => {
  const turn = await approvedEdit('write draft.txt: by the model');
  await takeFromQuickInput(workbench.page, { key: FILES_KEY, words: 'draft.txt', label: 'draft.txt' });
  await workbench.page.getByRole('tab', { name: 'draft.txt' }).first().waitFor();
  const unsaved = workbench.page.locator('.tab.dirty', { hasText: 'draft.txt' });
  const editor = workbench.page.locator('.editor-instance .monaco-editor', { hasText: 'by' }).first();
  await editor.click();
  await workbench.page.keyboard.type('mine, ');
  await unsaved.waitFor();
  const details = await evidence(turn);
  await button(details, 'Undo draft.txt').click();
  await chat
    .locator('.notice', { hasText: 'draft.txt: has changes in an editor that are not saved' })
    .waitFor();
  expect(await content('draft.txt')).toBe('by the model');
  await workbench.page.keyboard.press('Escape');
  await editor.click();
  await until({
    what: 'all that was typed to be taken back',
    probe: async () => {
      if ((await unsaved.count()) === 0) return true;
      await workbench.page.keyboard.press('Control+Z');
      return undefined;
    },
  });
  await button(details, 'Undo draft.txt').click();
  await details.locator('.fact[data-standing="undone"]').waitFor();
  await expect(content('draft.txt')).rejects.toThrow('ENOENT');
});

describe('the command Undo Turn', () => {
  test('is not offered when there is nothing to undo', async () => {
    await send(chat, 'read notes.txt');
    await turnIn(chat, 'completed');
    await expect.poll(() => isOffered(workbench.page, 'Undo Changes of the Last Turn')).toBe(false);
  });

  test('asks which files, and puts those back', async () => {
    await send(chat, 'all write one.txt: 1; write two.txt: 2');
    await waitingCards(chat, 2);
    await chat.getByRole('button', { name: 'Approve all (2)' }).click();
    const turn = await turnIn(chat, 'completed');
    expect(await content('two.txt')).toBe('2');
    await runCommand(workbench.page, 'Undo Changes of the Last Turn');
    const row = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'one.txt' });
    await row.locator('.quick-input-list-checkbox, input[type="checkbox"], .monaco-checkbox').first().click();
    await workbench.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    const details = await evidence(turn);
    await details.locator('.fact[data-standing="undone"]', { hasText: 'two.txt' }).waitFor();
    expect(await content('one.txt')).toBe('1');
    await expect(content('two.txt')).rejects.toThrow('ENOENT');
  });
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
  chat = await workbench.reload();
  await (await turnIn(chat, 'completed')).getByRole('button', { name: 'Plan: 2 of 2 done' }).waitFor();
});

test('a command shows its exit code, and all of a long output in an editor', async () => {
  const turn = await approvedEdit('run seq 1 20000');
  const line = turn.locator('.call-head');
  expect(await line.textContent()).toMatch(/exit 0$/);
  await line.click();
  await button(turn, 'Open whole output').click();
  await workbench.page.getByRole('tab', { name: 'run_command.log' }).first().waitFor();
  await workbench.page.locator('.monaco-editor .view-lines', { hasText: '17' }).first().waitFor();
});

test('the page asks for nothing that its policy refuses', () => {
  expect(workbench.violations).toEqual([]);
});
