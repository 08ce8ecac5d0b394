import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';

/** Names that every object inherits; a model may give them to its calls as any other. */
const NAMES = ['constructor', 'toString', '__proto__'];

const model = scriptedServer();
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: model.settings,
    apiKey: 'sk-test',
  });
});

test('calls with names that every object inherits are lines like others, also after a reload', async () => {
  model.replies.push(
    streamOf(responseEvents({ calls: NAMES.map((name) => ({ call_id: name, name, args: {} })) })),
    streamOf(
      responseEvents({
        calls: NAMES.map((call_id) => ({ call_id, name: 'read_file', args: { path: 'notes.txt' } })),
      }),
    ),
    streamOf(responseEvents({ text: 'All of them were answered.' })),
  );
  await send(chat, 'Call strange things.');
  await turnIn(chat, 'completed');
  await expectLines(chat);
  chat = await view.reload();
  await turnIn(chat, 'completed');
  await expectLines(chat);
});

async function expectLines(frame: Frame): Promise<void> {
  const words = await frame.locator('.call-toggle').allTextContents();
  expect(words).toEqual([...NAMES, 'Read', 'Read', 'Read']);
  expect(await frame.locator('.fault').count()).toBe(0);
}
