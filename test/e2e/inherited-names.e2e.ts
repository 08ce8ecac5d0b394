import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { newWorkspace, send, setApiKey, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';

/** Names that every object inherits; a model may give them to its calls as any other. */
const NAMES = ['constructor', 'toString', '__proto__'];

const workbench = chatWindow();
let server: ResponsesServer;
let chat: Frame;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  chat = await workbench.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
  });
  await setApiKey(workbench.page, 'sk-test');
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

test('calls with names that every object inherits are lines like others, also after a reload', async () => {
  replies.push(
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
  chat = await workbench.reload();
  await turnIn(chat, 'completed');
  await expectLines(chat);
});

async function expectLines(frame: Frame): Promise<void> {
  const words = await frame.locator('.call-toggle').allTextContents();
  expect(words).toEqual([...NAMES, 'Read', 'Read', 'Read']);
  expect(await frame.locator('.fault').count()).toBe(0);
}
