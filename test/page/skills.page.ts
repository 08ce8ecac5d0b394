import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { message } from '../support/browser/composer-driver.ts';
import { chatPage } from './chat-page.ts';

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

let home: string;
afterAll(() => rm(home, { recursive: true, force: true }));
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'ledgerline-person-'));
  Object.assign(process.env, { HOME: home, USERPROFILE: home });
  await mkdir(path.join(home, '.agents/skills/my-way'), { recursive: true });
  await writeFile(path.join(home, '.agents/skills/my-way/SKILL.md'), MINE);
  const workspace = await newWorkspace({
    'AGENTS.md': 'Words of the project.\n',
    '.agents/skills/review/SKILL.md': REVIEW,
    '.agents/skills/my-way/SKILL.md': MINE.replace('One', 'No'),
    '.ledgerline/skills/notes/SKILL.md': NOTES,
    '.agents/skills/broken/SKILL.md': 'Just do it.\n',
  });
  chat = await view.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
});

function marks(): Locator {
  return lastTurn(chat).locator('.mark');
}

async function activations(): Promise<readonly unknown[]> {
  const all = await loggedEvents(view);
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
});

test('the model cannot activate what only the person calls, and hears why', async () => {
  await send(chat, 'skill notes');
  await turnIn(chat, 'completed');
  await lastTurn(chat).getByText('Only the person can call the skill notes').first().waitFor();
  expect(await activations()).toHaveLength(2);
});

test('no request has the words of AGENTS.md', async () => {
  const all = await loggedEvents(view);
  expect(JSON.stringify(all)).not.toContain('Words of the project.');
});

test('the composer offers them, with what is wrong with one', async () => {
  await message(chat).fill('/');
  const options = chat.getByRole('option');
  await options.filter({ hasText: '/review' }).waitFor();
  await options.filter({ hasText: '/my-way' }).first().waitFor();
  await message(chat).fill('/broken');
  await options.filter({ hasText: 'Cannot be used: It does not begin with a block' }).waitFor();
  await message(chat).fill('');
});
