import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { headless, placeArgs, type Run } from '../support/headless.ts';
import { chatPage } from './chat-page.ts';

/** A session that another process has open: it is read along here, and can be taken over. */

const ID = 'ses_other';

const view = chatPage();
let chat: Frame;
let other: Run;

function readOnly(): Locator {
  return chat.getByRole('note', { name: 'Read-only' });
}

beforeAll(async () => {
  const workspace = await newWorkspace();
  chat = await view.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  const storage = await view.storageDir();
  other = await headless(placeArgs({ workspace, storage }, null, { session: ID }));
  other.send({ type: 'ready' });
  other.send({ type: 'send', client_turn_id: 'c1', text: 'list', attachments: [] });
  await other.until((message) => message.type === 'turn_state' && message['state'] === 'completed');
});

afterAll(async () => {
  other?.closeInput();
  await other?.exited;
});

test('it is a live view that cannot send, and says who has it', async () => {
  await view.window.vscode.run('ledgerline.openSession', ID);
  await readOnly().getByText(`process ${other.pid}`).waitFor();
  expect(await chat.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  other.send({ type: 'send', client_turn_id: 'c2', text: 'read notes.txt', attachments: [] });
  await turns(chat).nth(1).waitFor();
  await (await turnIn(chat, 'completed')).filter({ hasText: 'read notes.txt' }).waitFor();
  expect(await turns(chat).count()).toBe(2);
});

test('it is not deleted', async () => {
  const { vscode } = view.window;
  const deleting = vscode.run('ledgerline.deleteSession', ID);
  await expect
    .poll(() => vscode.asked.map(({ text }) => text))
    .toEqual([expect.stringContaining(`process ${other.pid}`)]);
  vscode.asked[0]?.answer(undefined);
  await deleting;
  await readOnly().waitFor();
  await readFile(path.join(await view.storageDir(), 'sessions', `${ID}.jsonl`));
});

test('it can be taken over, and the other one says that it lost it', async () => {
  await chat.getByRole('button', { name: 'Take over' }).click();
  await readOnly().waitFor({ state: 'detached' });
  await other.until((message) => message.type === 'failure' && message['kind'] === 'lease_lost');
  await other.until(
    (message) =>
      message.type === 'snapshot' && JSON.stringify(message['access']).includes('open in another window'),
  );
  await send(chat, 'help');
  await turnIn(chat, 'completed');
  expect(await turns(chat).count()).toBe(3);
  const logged = await readFile(path.join(await view.storageDir(), 'sessions', `${ID}.jsonl`), 'utf8');
  expect(logged.split('"type":"user_message"').length - 1).toBe(3);
});
