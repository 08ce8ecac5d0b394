import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chipsAre,
  draftIs,
  draftOnDisk,
  giveImage,
  message,
  noisePng,
} from '../support/browser/composer-driver.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { HOST, HOSTILE, MARK } from '../support/hostile-markdown.ts';
import { events, HANG, stream } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { openFile } from './around-driver.ts';
import { button } from '../support/browser/cards.ts';
import { turnEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand, setApiKey } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { appears, COMMANDS_KEY, quickInputRows, takeFromQuickInput, until } from './harness/index.ts';
import { remembers } from './sessions-driver.ts';

/** What a conversation asks of VS Code, in one window that goes on from test to test and is reloaded at the end. */

const server = scriptedServer();
const workbench = chatWindow();
let chat: Frame;
let workspace: string;

beforeAll(async () => {
  workspace = await newWorkspace({
    'long.txt': 'a line\n'.repeat(40),
    'broken.json': '{"oops": }\n',
    '.agents/skills/review/SKILL.md':
      '---\nname: review\ndescription: Looks for bugs.\n---\nRead every change twice.\n',
    '.agents/skills/broken/SKILL.md': 'Just do it.\n',
  });
  chat = await workbench.open({ workspace, settings: server.settings });
  await setApiKey(workbench.page, 'sk-test');
});

afterAll(workbench.close);

async function answered(prompt: string, text: string): Promise<Locator> {
  server.says({ text });
  await send(chat, prompt);
  return turnIn(chat, 'completed');
}

function inFile(name: string): Promise<string> {
  return readFile(path.join(workspace, name), 'utf8');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('an answer', () => {
  test('that is hostile draws, runs and loads nothing', async () => {
    const { page } = workbench;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await answered('Hostile.', HOSTILE.slice(0, 60).join('\n\n'));
    // What it would load is asked for by the frame after it.
    await chat.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const marks = await Promise.all(
      page.frames().map((frame) => frame.evaluate((name) => name in window, MARK)),
    );
    expect(marks.length).toBeGreaterThan(1);
    expect(marks).toEqual(marks.map(() => false));
    expect(requests.filter((url) => url.includes(HOST))).toEqual([]);
    expect(workbench.violations).toEqual([]);
  });

  test('leads to the web only through VS Code, and the chat stays what it is', async () => {
    const { page } = workbench;
    const turn = await answered('A link.', 'See [the guide](https://example.org/guide).');
    const opened: Page[] = [];
    page.context().on('page', (other) => opened.push(other));
    const question = page.locator('.monaco-dialog-box').getByText('https://example.org/guide');
    await turn.getByRole('link', { name: 'the guide' }).click();
    // It asks first, unless the domain is one that this VS Code trusts.
    await until({
      what: 'VS Code to take the link',
      probe: async () => (opened.length > 0 || (await question.isVisible()) ? true : undefined),
    });
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await turn.getByRole('link', { name: 'the guide' }).isVisible()).toBe(true);
    // A browser draws what is behind another page once a second.
    for (const other of opened) await other.close();
    await page.bringToFront();
  });

  test('has paths that open at their lines', async () => {
    const turn = await answered('A path.', 'Look at notes.txt:2.');
    await turn.getByRole('button', { name: 'notes.txt:2' }).click();
    await workbench.page.getByRole('tab', { name: /^notes\.txt/ }).waitFor();
    await workbench.page.getByText('Ln 2, Col 1').waitFor();
  });
});

describe('a block of code', () => {
  test('is applied to the file it names only after it was shown and confirmed', async () => {
    const { page } = workbench;
    const turn = await answered('Code.', '```txt notes.txt\nfirst line\nchanged line\n```');
    await button(turn, 'Apply to file').click();
    await page.getByRole('tab', { name: /code from the chat/ }).waitFor();
    const question = page.locator('.notification-toast', {
      hasText: 'Apply the code to notes.txt as shown?',
    });
    await question.waitFor();
    expect(await page.locator('.tab.dirty').count()).toBe(0);
    await question.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.locator('.tab.active.dirty', { hasText: 'notes.txt' }).waitFor();
    expect(await inFile('notes.txt')).toBe('first line\nsecond line\n');
    await until({
      what: 'the change in the file',
      probe: async () => {
        // The editor gets the keyboard after its tab.
        await page.keyboard.press('Control+s');
        return (await inFile('notes.txt')) === 'first line\nchanged line\n' ? true : undefined;
      },
    });
  });

  test('is inserted at the cursor', async () => {
    const { page } = workbench;
    await button(lastTurn(chat), 'Insert at cursor').click();
    await page.locator('.tab.dirty', { hasText: 'notes.txt' }).waitFor();
    // At the beginning of the line that says the same.
    const line = page.locator('.editor-group-container.active .view-line');
    await line.filter({ hasText: /^changed\slinechanged\sline$/ }).waitFor();
    // The editor has the code first and the keyboard after it.
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+s');
    await page.locator('.tab.dirty').waitFor({ state: 'detached' });
  });

  test('can be applied from its diff for as long as that is open, with what it would take away', async () => {
    const { page } = workbench;
    const turn = await answered('A part.', '```txt long.txt\none line\n```');
    const diff = page.getByRole('tab', { name: /long\.txt .*replaces all 40 lines by 1/ });
    const title = page.locator('.editor-group-container.active .editor-actions');
    await button(turn, 'Apply to file').click();
    await diff.waitFor();
    await title.getByRole('button', { name: 'Discard Code' }).click();
    await diff.waitFor({ state: 'detached' });
    await button(turn, 'Apply to file').click();
    await diff.waitFor();
    const drawn = page.locator('.editor-group-container.active .monaco-diff-editor .view-line');
    await drawn
      .filter({ hasText: /^one\sline$/ })
      .first()
      .waitFor();
    // Nothing is inserted into what is only shown; the diff stays. The extension hears of its editor after its tab is there.
    await until({
      what: 'the diff to be the open editor',
      probe: async (patience) => {
        await button(turn, 'Insert at cursor').click();
        return appears(chat.locator('.notice', { hasText: 'What is open cannot be changed' }), patience);
      },
    });
    await title.getByRole('button', { name: 'Apply Code to File' }).click();
    await page.locator('.tab.active.dirty', { hasText: 'long.txt' }).waitFor();
    await diff.waitFor({ state: 'detached' });
    expect(await inFile('long.txt')).toBe('a line\n'.repeat(40));
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.tab.dirty').waitFor({ state: 'detached' });
  });
});

describe('what only the editor knows', () => {
  test('is attached beside an image: a selection, problems, and the output of a terminal', async () => {
    const { page } = workbench;
    await openFile(page, 'broken.json');
    await page.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('Control+A');
    await message(chat).click();
    await page.keyboard.type('@broken.json:');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'Selection' }).waitFor();
    await page.keyboard.press('Enter');
    await chipsAre(chat, 1);
    await page.keyboard.type('@problems');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'Problems (1)' }).waitFor();
    await page.keyboard.press('Enter');
    await chipsAre(chat, 2);
    await takeFromQuickInput(page, {
      key: COMMANDS_KEY,
      words: '>Terminal: Create New Terminal',
      label: 'Create New Terminal',
    });
    // The shell integration marks the first prompt when it is there, and the next one when the command has ended.
    await page.locator('.terminal-command-decoration').first().waitFor();
    await page.locator('.terminal-wrapper.active .xterm').click();
    await page.keyboard.type('echo one-$((1+1))-three');
    await page.keyboard.press('Enter');
    await page.locator('.terminal-command-decoration').nth(1).waitFor();
    await runCommand(page, 'Ask about Terminal Output');
    await chipsAre(chat, 3);
    await expect.poll(() => message(chat).inputValue()).toBe('What does this output mean?');
    await giveImage(chat, 'paste', { bytes: noisePng(40), name: 'shot.png' });
    await chipsAre(chat, 4);
  });

  test('is sent as text, and is on record with its hash', async () => {
    await message(chat).fill('/review these.');
    await button(chat, 'Send').click();
    await lastTurn(chat).getByRole('button', { name: 'Problems (1)', exact: true }).waitFor();
    const turn = await turnIn(chat, 'completed');
    const prompt = (await turnEvents(workbench.vscode, turn)).find(({ type }) => type === 'user_message');
    const attachments = (prompt?.data['attachments'] ?? []) as readonly Record<string, string>[];
    expect(attachments).toMatchObject([
      { kind: 'selection', text: '{"oops": }', sha256: hash(await inFile('broken.json')) },
      { kind: 'problems', label: 'Problems (1)', text: expect.stringMatching(/^broken\.json:1 error \S/u) },
      { kind: 'terminal', text: expect.stringContaining('one-2-three') },
      { kind: 'image', label: 'shot.png' },
    ]);
    const texts = attachments.slice(1, 3);
    expect(texts.map(({ sha256 }) => sha256)).toEqual(texts.map(({ text = '' }) => hash(text)));
    const evidence = turn.getByRole('group', { name: /^What was sent of/ });
    await turn.getByRole('button', { name: 'Problems (1)', exact: true }).click();
    await evidence.getByText('Unchanged since').waitFor();
    expect(await evidence.locator('code').getAttribute('title')).toBe(attachments[1]?.['sha256']);
  });

  test('opens as it was sent: an image in a tab, and a skill with its text', async () => {
    const { page } = workbench;
    await lastTurn(chat)
      .getByRole('button', { name: /shot\.png/ })
      .click();
    await button(lastTurn(chat), 'Show as sent').click();
    await page.getByRole('tab', { name: /^shot\.png/ }).waitFor();
    await button(lastTurn(chat), 'Show its text').click();
    await page.locator('.view-lines', { hasText: 'Read every change twice.' }).waitFor();
    await page.locator('.tab', { hasText: 'SKILL.md' }).waitFor();
  });
});

describe('skills', () => {
  test('are listed with what they are to the model, and open', async () => {
    const { page } = workbench;
    await runCommand(page, 'Show Skills');
    const rows = quickInputRows(page);
    await rows.filter({ hasText: '/review' }).filter({ hasText: 'The model may choose these' }).waitFor();
    await rows.filter({ hasText: '/broken' }).filter({ hasText: 'It does not begin with a block' }).click();
    await page.locator('.view-lines', { hasText: 'Just do it.' }).waitFor();
  });

  test('are in the report of the next request, with their source', async () => {
    await runCommand(workbench.page, 'Inspect Request');
    await workbench.page.locator('.view-lines', { hasText: 'Skill index' }).waitFor();
  });
});

test('the mode is picked for this workspace', async () => {
  const { page } = workbench;
  await button(chat, 'Ask').click();
  const row = quickInputRows(page).filter({ hasText: 'Auto' });
  await row.click();
  await button(chat, 'Auto').click();
  await page.locator('.monaco-list-row.focused', { hasText: /^Auto.*current/u }).waitFor();
  await page.keyboard.press('Escape');
  await row.waitFor({ state: 'hidden' });
});

/** The browser writes nothing down any more, as one that is about to be killed, until the page is loaded again. */
async function remembersNoMore(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.assign(IDBObjectStore.prototype, {
      put(this: IDBObjectStore) {
        return this.count();
      },
    });
  });
}

describe('a reload in the middle of an answer and of a draft', () => {
  test('leaves the transcript honest', async () => {
    const { page, vscode } = workbench;
    const all = responseEvents({ text: ['Before the reload ', 'and after.'] });
    const cut = all.findLastIndex(({ type }) => type === 'response.output_text.delta');
    server.replies.push(stream([events(all.slice(0, cut)), HANG]));
    await send(chat, 'Survive this.');
    await lastTurn(chat).getByText('Before the reload').waitFor();
    await message(chat).click();
    await page.keyboard.type('half a thought');
    await until({
      what: 'the words in the browser',
      probe: async () => ((await remembers(page, 'half a thought')) ? true : undefined),
    });
    await remembersNoMore(page);
    await page.keyboard.type(', and the rest');
    await draftOnDisk(await vscode.storageDir(), 'half a thought, and the rest');
    chat = await workbench.reload();
    const turn = await turnIn(chat, 'interrupted');
    await turn.getByText('Survive this.').waitFor();
    await turn.getByText('Before the reload').waitFor();
  });

  test('brings the draft back as it was last, though the browser has it as it was before', async () => {
    await draftIs(chat, 'half a thought, and the rest');
    // A word more, and what the host keeps has been through all that the page said when it came back.
    await message(chat).press('End');
    await workbench.page.keyboard.type('!');
    await draftOnDisk(await workbench.vscode.storageDir(), 'half a thought, and the rest!');
  });

  test('keeps what was picked', async () => {
    await button(chat, 'Auto').waitFor();
  });
});

test('the page asks for nothing that its policy refuses', () => {
  expect(workbench.violations).toEqual([]);
});
