import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, HANG, type Reply, stream, streamOf } from '../support/responses-server/reply.ts';
import { type Answer, responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import {
  button,
  isFocused,
  lastTurn,
  loggedEvents,
  lookAway,
  newWorkspace,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { changeTheme, screenshot, until } from './harness/index.ts';
import {
  blobsIn,
  clear,
  draftIs,
  draftOnDisk,
  dropAddresses,
  giveImage,
  noisePng,
  openSessionOf,
  overflowing,
  remembersNoMore,
} from './composer-driver.ts';
import { closeMeter, meterSays, openMeter } from './compaction-driver.ts';
import { remembers } from './sessions-driver.ts';

const workbench = chatWindow();

const LONG_NAME = 'a picture with a rather long name, from the desktop.png';
let chat: Frame;
let workspace: string;
let server: ResponsesServer;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  workspace = await newWorkspace({
    'src/session/login.ts': 'export const LOGIN_WORDS = 1;\n',
    '.env': 'TOKEN=do-not-send\n',
  });
  chat = await workbench.open({
    workspace,
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.contextWindow': 1000,
    },
  });
  await setSideBarWidth(workbench.page, 300);
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function message(): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

function heightOfMessage(): Promise<number> {
  return message().evaluate((field) => field.clientHeight);
}

function options(): Locator {
  return chat.getByRole('listbox').getByRole('option');
}

function chip(name: string): Locator {
  return chat.locator('.composer .chip', { hasText: name });
}

function says(answer: Answer): void {
  replies.push(streamOf(responseEvents(answer)));
}

function lastRequest(): string {
  return server.requests.at(-1)?.raw ?? '';
}

describe('a draft', () => {
  test('comes back after a reload in the middle of typing, as it was last, though the browser has it as it was before', async () => {
    const { page, vscode } = workbench;
    const storage = await vscode.storageDir();
    await message().click();
    await page.keyboard.type('half a thought');
    await until({
      what: 'the words in the browser',
      probe: async () => ((await remembers(page, 'half a thought')) ? true : undefined),
    });
    await remembersNoMore(page);
    await page.keyboard.type(', and the rest');
    await draftOnDisk(storage, 'half a thought, and the rest');
    chat = await workbench.reload();
    await draftIs(chat, 'half a thought, and the rest');
    // A word more, and what the host keeps has been through all that the page said when it came back.
    await message().press('End');
    await page.keyboard.type('!');
    await draftOnDisk(storage, 'half a thought, and the rest!');
  });

  test('is of its session: another one has its own', async () => {
    // The browser keeps no secrets across a reload.
    await setApiKey(workbench.page, 'sk-test');
    await send(chat, 'The first session.');
    await turnIn(chat, 'completed');
    await message().fill('for the first');
    await button(chat, 'New session').click();
    await draftIs(chat, '');
    await message().fill('for the second');
    await openSessionOf(workbench.page, 'The first session.');
    await draftIs(chat, 'for the first');
  });
});

describe('arrow up', () => {
  test('goes back through earlier prompts, and arrow down to the draft', async () => {
    await send(chat, 'Second\nof two lines.');
    await turnIn(chat, 'completed');
    await message().fill('not sent');
    await message().press('ArrowUp');
    await draftIs(chat, 'Second\nof two lines.');
    await message().press('ArrowUp');
    await draftIs(chat, 'The first session.');
    await message().press('ArrowDown');
    await draftIs(chat, 'Second\nof two lines.');
    await message().press('ArrowDown');
    await draftIs(chat, 'not sent');
    await message().fill('');
  });

  test('moves the caret where there are lines above it', async () => {
    await message().fill('one\ntwo');
    await message().press('ArrowUp');
    await draftIs(chat, 'one\ntwo');
  });
});

describe('@', () => {
  test('attaches a file, whose text reaches the provider', async () => {
    await message().fill('');
    await workbench.page.keyboard.type('What is this? @logi');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'login.ts' }).waitFor();
    await screenshot(workbench.page, 'composer-list');
    await workbench.page.keyboard.press('Enter');
    await chip('login.ts').waitFor();
    await draftIs(chat, 'What is this? ');
    says({ text: 'A constant.' });
    await message().press('Enter');
    await lastTurn(chat).getByText('A constant.').waitFor();
    const turn = await turnIn(chat, 'completed');
    expect(lastRequest()).toContain('[Attached file: src/session/login.ts]\\nexport const LOGIN_WORDS = 1;');
    expect(await turn.locator('.chip').textContent()).toContain('login.ts');
  });

  test('closes with Escape, and the turn that runs goes on', async () => {
    replies.push(stream([events(responseEvents({ text: ['On ', 'and on.'] }).slice(0, 5)), HANG]));
    await send(chat, 'Go on.');
    await turnIn(chat, 'running');
    await button(chat, 'Attach').click();
    await options().first().waitFor();
    await screenshot(workbench.page, 'composer-running');
    await message().press('Escape');
    await chat.getByRole('listbox').waitFor({ state: 'detached' });
    // A turn that is being stopped cannot be stopped again.
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await message().press('Escape');
    await turnIn(chat, 'interrupted');
    await message().fill('');
  });

  test('refuses a secret file as soon as it is attached, and keeps the words', async () => {
    const before = server.requests.length;
    await message().fill('Use this.');
    await dropAddresses(chat, [`file://${workspace}/.env`]);
    await chat.locator('.notice', { hasText: 'may hold secrets' }).waitFor();
    await chip('.env').waitFor({ state: 'detached' });
    await draftIs(chat, 'Use this.');
    expect(server.requests.length).toBe(before);
    expect(JSON.stringify(await loggedEvents(workbench.vscode))).not.toContain('do-not-send');
    await message().fill('');
  });
});

describe('an image', () => {
  test('is pasted, survives closing the view, reaches the provider and is on disk', async () => {
    const png = noisePng(160);
    await message().fill('Look at this.');
    await giveImage(chat, 'paste', { bytes: png, name: 'shot.png' });
    await chip('shot.png').waitFor();
    await screenshot(workbench.page, 'composer-image');
    chat = await lookAway(workbench);
    await chip('shot.png').locator('img').waitFor();
    says({ text: 'Noise.' });
    await message().press('Control+Enter');
    await lastTurn(chat).getByText('Noise.').waitFor();
    const turn = await turnIn(chat, 'completed');
    expect(await turn.locator('.chip').textContent()).toMatch(/shot\.png.*KB/);
    expect(lastRequest()).toContain(`data:image/png;base64,${png.toString('base64')}`);
    const kept = await blobsIn(await workbench.vscode.storageDir());
    expect(kept.some((bytes) => bytes.equals(png))).toBe(true);
  });

  test('that is none is not attached', async () => {
    await giveImage(chat, 'drop', { bytes: Buffer.from('no picture'), name: 'fake.png' });
    await chat.locator('.notice', { hasText: 'fake.png is no PNG' }).waitFor();
    await button(chat, 'Dismiss').first().click();
  });
});

describe('the bar', () => {
  test('shows how full the window is, and explains it', async () => {
    says({ text: 'Counted.', usage: { input: 380, cached: 200, output: 5, reasoning: 0 } });
    await send(chat, 'Count.');
    await turnIn(chat, 'completed');
    await meterSays(chat, '38 %');
    const panel = await openMeter(chat);
    expect(await panel.textContent()).toContain('380 tokens');
    expect(await panel.textContent()).toContain('200 tokens');
    await screenshot(workbench.page, 'composer-meter');
    await closeMeter(chat);
  });

  test('changes the mode for this workspace', async () => {
    await button(chat, 'Ask').click();
    const row = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Auto' });
    await row.waitFor();
    await screenshot(workbench.page, 'composer-mode');
    await row.click();
    await button(chat, 'Auto').waitFor();
    await button(chat, 'Auto').click();
    await workbench.page.locator('.monaco-list-row.focused', { hasText: /^Auto.*current/u }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await row.waitFor({ state: 'hidden' });
  });

  test('/new begins a session', async () => {
    await message().fill('');
    await workbench.page.keyboard.type('/ne');
    await options().filter({ hasText: '/new' }).waitFor();
    await screenshot(workbench.page, 'composer-commands');
    await message().press('Enter');
    await lastTurn(chat).waitFor({ state: 'detached' });
    await draftIs(chat, '');
    await until({
      what: 'the keyboard in the field',
      probe: async () => ((await isFocused(message())) ? true : undefined),
    });
  });
});

describe('at 300 px', () => {
  test.each(['light', 'hc-dark', 'hc-light', 'dark'] as const)(
    'nothing is cut off or out of place: %s',
    async (theme) => {
      await changeTheme(workbench.page, theme, chat);
      await clear(chat);
      await message().fill('Some words @');
      await options().first().waitFor();
      expect(await overflowing(chat)).toEqual([]);
      await screenshot(workbench.page, `composer-${theme}-list`);
      await options().first().click();
      await giveImage(chat, 'drop', { bytes: noisePng(16), name: LONG_NAME });
      await chip('a picture').waitFor();
      await openMeter(chat);
      expect(await overflowing(chat)).toEqual([]);
      await screenshot(workbench.page, `composer-${theme}-meter`);
      await message().click();
      await message().fill(Array.from({ length: 14 }, (_, index) => `line ${index + 1}`).join('\n'));
      // It has grown, and not without bound.
      await expect.poll(heightOfMessage).toBeGreaterThan(100);
      expect(await heightOfMessage()).toBeLessThan(220);
      await screenshot(workbench.page, `composer-${theme}-chips`);
      await clear(chat);
    },
  );
});

test('what was picked is there again after a reload', async () => {
  chat = await workbench.reload();
  await clear(chat);
  await button(chat, 'Auto').waitFor();
});

test('the page asks for nothing that its policy refuses', () => {
  expect(workbench.violations).toEqual([]);
});
