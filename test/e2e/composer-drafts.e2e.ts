import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import {
  button,
  lastTurn,
  lookAway,
  newWorkspace,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import {
  clear,
  draftIs,
  draftOnDisk,
  dropAddresses,
  giveImage,
  noisePng,
  openSessionOf,
  overflowing,
  pasteTable,
} from './composer-driver.ts';
import { screenshot, until } from './harness/index.ts';

const workbench = chatWindow();
const FILES = Array.from({ length: 21 }, (_, n) => `some-file-${n}.txt`);
let chat: Frame;
let workspace: string;
let server: ResponsesServer;

beforeAll(async () => {
  server = await startResponsesServer({ handler: () => streamOf(responseEvents({ text: 'Yes.' })) });
  workspace = await newWorkspace({
    ...Object.fromEntries(FILES.map((name) => [name, 'x\n'])),
    'src/login.ts': 'one\ntwo\nthree\n',
  });
  chat = await workbench.open({
    workspace,
    settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
  });
  await setSideBarWidth(workbench.page, 300);
  await setApiKey(workbench.page, 'sk-test');
  await send(chat, 'hello');
  await turnIn(chat, 'completed');
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

function chips(): Locator {
  return chat.locator('.composer .chip');
}

function caret(): Promise<number> {
  return message().evaluate((field) => (field instanceof HTMLTextAreaElement ? field.selectionStart : -1));
}

async function chipsAre(count: number): Promise<void> {
  await until({
    what: `${count} chips`,
    probe: async () => ((await chips().count()) === count ? true : undefined),
  });
}

test('the caret stays where one types, also after an earlier prompt that says the same', async () => {
  await message().fill('hello');
  await message().press('Home');
  await message().press('ArrowUp');
  await until({
    what: 'the caret at the end',
    probe: async () => ((await caret()) === 5 ? true : undefined),
  });
  await message().press('Home');
  await workbench.page.keyboard.type('ab');
  await draftIs(chat, 'abhello');
  await message().fill('hello');
  await message().press('ArrowDown');
  await draftIs(chat, 'hello');
});

describe('a draft that is left for an earlier prompt', () => {
  test('is there again after a letter, and so is what was made of the prompt', async () => {
    await message().fill('draft');
    await message().press('ArrowUp');
    await draftIs(chat, 'hello');
    await workbench.page.keyboard.type('x');
    await message().press('ArrowDown');
    await draftIs(chat, 'draft');
    await message().press('ArrowUp');
    await draftIs(chat, 'hellox');
  });

  test('is there again after a look elsewhere', async () => {
    chat = await lookAway(workbench);
    await draftIs(chat, 'hellox');
    await message().press('ArrowDown');
    await draftIs(chat, 'draft');
  });

  test('is of its session alone', async () => {
    await message().press('ArrowUp');
    await draftIs(chat, 'hellox');
    await button(chat, 'New session').click();
    await draftIs(chat, '');
    await message().press('ArrowDown');
    await draftIs(chat, '');
    await openSessionOf(workbench.page, 'hello');
    await draftIs(chat, 'hellox');
    await message().press('ArrowDown');
    await draftIs(chat, 'draft');
  });
});

describe('what comes in', () => {
  test('of a table with a picture of itself is text', async () => {
    await clear(chat);
    expect(await pasteTable(chat, 'a\tb')).toBe('left to the browser');
    await chipsAre(0);
  });

  test('is no more than a message takes, and Send stays in view', async () => {
    await message().fill(Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n'));
    await dropAddresses(
      chat,
      FILES.map((name) => `file://${workspace}/${name}`),
    );
    await chipsAre(20);
    const words = 'At most 20 attachments fit into a message. some-file-20.txt';
    await chat.locator('.notice', { hasText: words }).waitFor();
    const { bottom, height } = await button(chat, 'Send').evaluate((element) => ({
      bottom: element.getBoundingClientRect().bottom,
      height: document.documentElement.clientHeight,
    }));
    expect(bottom).toBeLessThanOrEqual(height);
    expect(await overflowing(chat)).toEqual([]);
    await screenshot(workbench.page, 'composer-full');
    await button(chat, 'Dismiss').first().click();
  });

  test('stays when Backspace is held to clear the words', async () => {
    await message().fill('ab');
    await message().evaluate((field) => {
      for (const repeat of [true, true, true])
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Backspace', repeat, bubbles: true }));
    });
    await message().press('Home');
    await message().evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Backspace', repeat: true, bubbles: true })),
    );
    await chipsAre(20);
    await clear(chat);
  });

  test('is attached once, dropped or by its name', async () => {
    await dropAddresses(chat, [`file://${workspace}/src/login.ts`]);
    await chipsAre(1);
    await message().click();
    await workbench.page.keyboard.type('@login');
    await chat.getByText('Nothing found').waitFor();
    await message().fill('');
    await dropAddresses(chat, [`file://${workspace}/src/login.ts`]);
    await dropAddresses(chat, [`file://${workspace}/notes.txt`]);
    await chipsAre(2);
    await clear(chat);
  });

  test('of an image survives a reload', async () => {
    const storage = await workbench.vscode.storageDir();
    await message().fill('with a picture');
    await giveImage(chat, 'paste', { bytes: noisePng(40), name: 'shot.png' });
    await chips().locator('img').waitFor();
    await draftOnDisk(storage, 'shot.png');
    chat = await workbench.reload();
    await draftIs(chat, 'with a picture');
    await chips().locator('img').waitFor();
    await setApiKey(workbench.page, 'sk-test');
  });
});

describe('what was sent with a message', () => {
  test('opens: an image as it was', async () => {
    await message().press('Enter');
    const turn = await turnIn(chat, 'completed');
    await turn.getByRole('button', { name: /shot\.png/ }).click();
    await button(turn, 'Show as sent').click();
    await workbench.page.getByRole('tab', { name: /^shot\.png/ }).waitFor();
    await screenshot(workbench.page, 'composer-sent-image');
  });

  test('opens: a file', async () => {
    await dropAddresses(chat, [`file://${workspace}/src/login.ts`]);
    await chipsAre(1);
    await send(chat, 'This file.');
    await turnIn(chat, 'completed');
    await lastTurn(chat).getByRole('button', { name: 'login.ts' }).click();
    await button(lastTurn(chat), 'Open file').click();
    await workbench.page.getByRole('tab', { name: /^login\.ts/ }).waitFor();
  });
});

describe('a list', () => {
  test('is there again when the field has the keyboard again', async () => {
    await message().click();
    await workbench.page.keyboard.type('@login');
    await chat.getByRole('option').first().waitFor();
    await workbench.page.getByRole('tab', { name: /^login\.ts/ }).click();
    await chat.getByRole('listbox').waitFor({ state: 'detached' });
    await message().click();
    await chat.getByRole('option').first().waitFor();
    await clear(chat);
  });
});

describe('a command that is misspelt', () => {
  test('is not sent, unless it is meant', async () => {
    const before = server.requests.length;
    await message().fill('/comapct now');
    await message().press('Enter');
    await chat.getByText('There is no command or skill /comapct.').waitFor();
    await screenshot(workbench.page, 'composer-doubt');
    expect(await overflowing(chat)).toEqual([]);
    await draftIs(chat, '/comapct now');
    expect(server.requests.length).toBe(before);
    await button(chat, 'Send anyway').click();
    // The turn before is completed as well.
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await draftIs(chat, '');
    await turnIn(chat, 'completed');
  });
});
