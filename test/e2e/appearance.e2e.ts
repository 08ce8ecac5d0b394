import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiError, events, HANG, type Reply, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { expectNoOverflow, tell, type Stage } from './appearance-stage.ts';
import { ANSWER, HELD, LOGIN, LOST_COMMAND, readCall, SCENES } from './appearance-scenes.ts';
import {
  lastTurn,
  lookAway,
  newWorkspace,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { editsInEveryTheme } from './edits-appearance.ts';
import { inEachTheme, screenshot } from './harness/index.ts';
import { markdownInEveryTheme } from './markdown-appearance.ts';
import { sessionsInEveryTheme } from './sessions-appearance.ts';

const WIDTH = 300;

const workbench = chatWindow();
let server: ResponsesServer;
let chat: Frame;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  chat = await workbench.open(
    {
      workspace: await workspaceWithCode(),
      settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
    },
    { width: 900, height: 800 },
  );
  await setSideBarWidth(workbench.page, WIDTH);
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

const stage: Stage = {
  get vscode() {
    return workbench.vscode;
  },
  get page() {
    return workbench.page;
  },
  get chat() {
    return chat;
  },
  replies,
};

async function workspaceWithCode(): Promise<string> {
  const folder = await newWorkspace();
  const file = path.join(folder, LOGIN.path);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, LOGIN.content);
  return folder;
}

/** The model says and asks for what the scene has; its last calls wait for a decision. */
async function play(name: keyof typeof SCENES, asked: 'Approval' | 'Question'): Promise<Locator> {
  const { prompt, text, calls } = SCENES[name];
  replies.push(streamOf(responseEvents({ ...(text === '' ? {} : { text }), calls })));
  await send(chat, prompt);
  return waitingCards(chat, calls.length, asked);
}

async function picture(name: string): Promise<void> {
  const { page } = workbench;
  const look = async (colorTheme: string): Promise<void> => {
    await expectNoOverflow(stage);
    await screenshot(page, `${colorTheme}-${name}`);
  };
  await inEachTheme(page, look, chat);
}

sessionsInEveryTheme(stage);

describe('a conversation, in every theme', () => {
  test('without a key it offers the key and the offline model alike', async () => {
    await chat.getByRole('button', { name: 'Set API key' }).waitFor();
    await chat.getByRole('button', { name: 'Use offline model' }).waitFor();
    await picture('no-key');
  });

  test('with a key it says what it is', async () => {
    await setApiKey(workbench.page, 'sk-test');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await picture('empty');
  });

  test('answers, tool calls and failures fit', async () => {
    replies.push(
      streamOf(
        responseEvents({
          reasoning: { summary: ['The test fails only on CI. The clock is the likely cause.'] },
          calls: [
            readCall('call_1', 'notes.txt'),
            readCall('call_2', 'src/authentication/session/login-client.ts'),
          ],
        }),
      ),
      streamOf(responseEvents({ text: ANSWER })),
    );
    await send(chat, 'Why does login.test.ts fail on CI?');
    await turnIn(chat, 'completed');
    await picture('completed');
    replies.push(apiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }));
    await send(chat, 'And this?');
    await turnIn(chat, 'failed');
    replies.push(stream([events(unfinishedEvents({ text: 'This answer breaks off in the mid' }))]));
    await send(chat, 'And that?');
    await turnIn(chat, 'partial_failed');
    await picture('failed');
  });

  test('a running answer says what it does and can be stopped', async () => {
    const cut = unfinishedEvents({ text: ['Looking at the client first: ', 'never sent'] });
    const second = cut.findLastIndex((event) => event.type === 'response.output_text.delta');
    replies.push(stream([events(cut.slice(0, second)), HANG]));
    await send(chat, 'Look at the client.');
    await lastTurn(chat).getByText('Looking at the client first').waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill('Look at the server instead.');
    await picture('running');
    await chat.getByRole('button', { name: 'Stop' }).click();
    await turnIn(chat, 'interrupted');
    await picture('interrupted');
  });

  test('a call that waits asks for one decision, and a denied one is settled calmly', async () => {
    const edit = await play('edit', 'Approval');
    await picture('pending-edit');
    await edit.getByRole('button', { name: 'Reason…' }).click();
    await edit.getByRole('textbox', { name: 'Reason (optional)' }).fill('The clock is right as it is.');
    await picture('deny-reason');
    replies.push(streamOf(responseEvents({ text: 'Then I leave it. The test stays flaky.' })));
    await edit.getByRole('button', { name: 'Deny', exact: true }).click();
    await turnIn(chat, 'completed');
    await picture('denied');
    const command = await play('command', 'Approval');
    expect(await command.locator('.parts li').count()).toBeGreaterThan(1);
    expect(await command.locator('.always code').count()).toBeGreaterThan(1);
    await picture('pending-command');
  });

  test('a question has its choices', async () => {
    const question = await play('question', 'Question');
    await question.getByRole('button', { name: 'UTC' }).waitFor();
    await picture('question');
  });

  test('a question about several things is a form, whose words stay when one looks away', async () => {
    const form = await play('form', 'Question');
    const answer = form.getByRole('button', { name: 'Answer' });
    const platforms = form.getByRole('group', { name: 'Platforms (≥ 1)' });
    await platforms.getByLabel('Windows').check();
    await form.getByLabel('Retries of a failed upload').fill('9');
    expect(await answer.isDisabled()).toBe(true);
    await form.getByLabel('Retries of a failed upload').fill('3');
    await platforms.getByLabel('Linux').check();
    await picture('form');
    chat = await lookAway(workbench);
    const again = await waitingCards(chat, 1, 'Question');
    replies.push(streamOf(responseEvents({ text: 'Then I begin.' })));
    await again.getByRole('button', { name: 'Answer' }).click();
    await turnIn(chat, 'completed');
    expect(server.requests.at(-1)?.raw).toContain(
      JSON.stringify('{"channel":"next","platforms":["Linux","Windows"],"retries":3}'),
    );
  });

  test('several calls can be decided together', async () => {
    await play('several', 'Approval');
    await chat.getByRole('button', { name: 'Approve all (3)' }).waitFor();
    await picture('several');
  });

  test('an unknown outcome names what still runs, and a held session says so', async () => {
    await tell(stage, LOST_COMMAND);
    const card = await waitingCards(chat, 1, 'Unknown outcome');
    await card.getByRole('button', { name: 'End it' }).waitFor();
    await picture('outcome-unknown');
    await card.getByRole('button', { name: 'Skip' }).click();
    // The host knows no such call, and says that nothing happened.
    await chat.locator('.notice', { hasText: 'Nothing waits for a decision' }).waitFor();
    await tell(stage, HELD);
    await chat.getByRole('note', { name: 'Read-only' }).waitFor();
    await picture('held');
  });
});

editsInEveryTheme(stage);
markdownInEveryTheme(stage);
