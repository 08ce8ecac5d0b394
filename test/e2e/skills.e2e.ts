import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  button,
  lastTurn,
  loggedEvents,
  newWorkspace,
  pointAway,
  runCommand,
  send,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { inEachTheme, quickInputRows, screenshot } from './harness/index.ts';

/** Skills of the workspace and of the person, in one window that goes on from test to test. */

const REVIEW = `---
name: review
description: Looks for bugs in what changed.
when_to_use: Before a merge, or when asked for a review.
---
Read every change twice.
`;
const NOTES = '---\ndescription: Writes the release notes.\ndisable-model-invocation: true\n---\nBe brief.\n';
const MINE = '---\nname: my-way\ndescription: How I like my tests.\n---\nOne sentence a test.\n';

const workbench = chatWindow();
let chat: Frame;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'ledgerline-person-'));
  await mkdir(path.join(home, '.agents/skills/my-way'), { recursive: true });
  await writeFile(path.join(home, '.agents/skills/my-way/SKILL.md'), MINE);
  const workspace = await newWorkspace({
    'AGENTS.md': 'Words of the project.\n',
    '.agents/skills/review/SKILL.md': REVIEW,
    '.agents/skills/my-way/SKILL.md': MINE.replace('One', 'No'),
    '.ledgerline/skills/notes/SKILL.md': NOTES,
    '.agents/skills/broken/SKILL.md': 'Just do it.\n',
  });
  chat = await workbench.open({
    workspace,
    settings: { 'ledgerline.provider': 'offline' },
    env: { HOME: home, USERPROFILE: home },
  });
  await setSideBarWidth(workbench.page, 300);
});

afterAll(async () => {
  await workbench.close();
  await rm(home, { recursive: true, force: true });
});

function marks(): Locator {
  return lastTurn(chat).locator('.mark');
}

async function activations(): Promise<readonly unknown[]> {
  const all = await loggedEvents(workbench.vscode);
  return all.flatMap(({ type, data }) =>
    type === 'skill_activation'
      ? [{ name: data['name'], path: data['path'], by: data['activated_by'], content: data['content'] }]
      : [],
  );
}

test('a message that begins with the name of a skill is given it, and a bad one is told of once', async () => {
  await send(chat, '/review');
  await turnIn(chat, 'completed');
  await lastTurn(chat).getByText('Read every change twice.').waitFor();
  await marks().filter({ hasText: 'Skill review is active for this turn: you called it' }).waitFor();
  const bad = 'The skill broken cannot be used. It does not begin with a block between two lines of ---.';
  await marks().filter({ hasText: bad }).waitFor();
  expect(await activations()).toEqual([
    { name: 'review', path: '.agents/skills/review/SKILL.md', by: 'user', content: REVIEW },
  ]);
  await pointAway(chat);
  await inEachTheme(
    workbench.page,
    async (theme) => {
      await screenshot(workbench.page, `skills-called-${theme}`);
    },
    chat,
  );
});

test('its text opens as it is on record', async () => {
  await button(lastTurn(chat), 'Show its text').click();
  await workbench.page.locator('.view-lines', { hasText: 'Read every change twice.' }).waitFor();
  await workbench.page.locator('.tab', { hasText: 'SKILL.md' }).waitFor();
});

test('the model activates one, answers from its text, and the evidence says who chose it', async () => {
  await send(chat, 'skill my-way');
  await turnIn(chat, 'completed');
  await lastTurn(chat).getByText('One sentence a test.').waitFor();
  await marks().filter({ hasText: 'Skill my-way is active for this turn: the model chose it' }).waitFor();
  // Told of once: nothing has changed.
  expect(await marks().count()).toBe(1);
  expect((await activations()).at(-1)).toEqual({
    name: 'my-way',
    path: '~/.agents/skills/my-way/SKILL.md',
    by: 'model',
    content: MINE,
  });
  await lastTurn(chat).locator('.evidence > .disclosure').click();
  await lastTurn(chat).locator('.evidence-details', { hasText: 'my-way (chosen by the model)' }).waitFor();
  await pointAway(chat);
  await inEachTheme(
    workbench.page,
    async (theme) => {
      await screenshot(workbench.page, `skills-chosen-${theme}`);
    },
    chat,
  );
});

test('the model cannot activate what only the person calls, and hears why', async () => {
  await send(chat, 'skill notes');
  await turnIn(chat, 'completed');
  await lastTurn(chat).getByText('Only the person can call the skill notes').first().waitFor();
  expect(await activations()).toHaveLength(2);
});

test('no request has the words of AGENTS.md', async () => {
  const all = await loggedEvents(workbench.vscode);
  expect(JSON.stringify(all)).not.toContain('Words of the project.');
});

test('the composer offers them, with what is wrong with one', async () => {
  const box = chat.getByRole('textbox', { name: 'Message' });
  await box.fill('/');
  const options = chat.getByRole('option');
  await options.filter({ hasText: '/review' }).waitFor();
  await options.filter({ hasText: '/my-way' }).first().waitFor();
  await screenshot(workbench.page, 'skills-composer');
  await box.fill('/broken');
  await options.filter({ hasText: 'Cannot be used: It does not begin with a block' }).waitFor();
  await box.fill('');
});

test('all of them are listed with where they are from, what the model is told, and why one is not usable', async () => {
  const { page } = workbench;
  await runCommand(page, 'Show Skills');
  const rows = quickInputRows(page);
  await rows.filter({ hasText: '/my-way' }).first().waitFor();
  const texts = await rows.allInnerTexts();
  const shown = texts.map((text) => text.replaceAll(/\s+/gu, ' '));
  for (const [name, ...words] of [
    ['/my-way', 'The model may choose these', 'yours', '~/.agents/skills/my-way/SKILL.md'],
    ['/review', 'workspace', 'Before a merge'],
    ['/notes', 'Only you call these'],
    ['/broken', 'Not usable', 'It does not begin with a block'],
    ['/my-way', 'Your own skill of this name counts: ~/.agents/skills/my-way/SKILL.md.'],
  ])
    expect(shown.some((line) => line.includes(name ?? '') && words.every((one) => line.includes(one)))).toBe(
      true,
    );
  // The list closes when a theme is chosen: one picture of it is enough.
  await screenshot(page, 'skills-list');
  await rows.filter({ hasText: '/broken' }).click();
  await page.locator('.view-lines', { hasText: 'Just do it.' }).waitFor();
});

test('what the next request tells of skills is in its report, with its source', async () => {
  const { page } = workbench;
  await runCommand(page, 'Inspect Request');
  await page.locator('.view-lines', { hasText: 'Skill index' }).waitFor();
  await screenshot(page, 'skills-inspected');
});
