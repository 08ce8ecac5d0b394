import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { COLOR_THEMES } from '../support/browser/color-themes.ts';
import {
  blobsIn,
  chips,
  clear,
  draftIs,
  dropAddresses,
  giveImage,
  message,
  noisePng,
  overflowing,
} from '../support/browser/composer-driver.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { events, HANG, stream } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { chatPage } from './chat-page.ts';

const server = scriptedServer();
const view = chatPage();

const SETTINGS = {
  'ledgerline.contextWindow': 1000,
  'search.exclude': { '**/generated': true },
  'files.exclude': { old: true, src: false },
};
const LONG_NAME = 'a picture with a rather long name, from the desktop.png';
let chat: Frame;
let workspace: string;

beforeAll(async () => {
  workspace = await newWorkspace({
    'src/session/login.ts': 'export const LOGIN_WORDS = 1;\n',
    'generated/login-table.ts': 'export {};\n',
    'old/login.ts': 'export {};\n',
    '.env': 'TOKEN=do-not-send\n',
  });
  chat = await view.open(
    { workspace, settings: { ...server.settings, ...SETTINGS }, apiKey: 'sk-test' },
    { height: 480 },
  );
});

function options(): Locator {
  return chat.getByRole('listbox').getByRole('option');
}

function chip(name: string): Locator {
  return chips(chat).filter({ hasText: name });
}

/** A turn that runs until it is stopped. */
async function goesOn(): Promise<void> {
  server.replies.push(stream([events(responseEvents({ text: ['On ', 'and on.'] }).slice(0, 5)), HANG]));
  await send(chat, 'Go on.');
  await turnIn(chat, 'running');
}

describe('@', () => {
  test('attaches a file, whose text reaches the provider', async () => {
    await message(chat).click();
    await view.page.keyboard.type('What is this? @logi');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'login.ts' }).waitFor();
    // What a person hides from searches and lists is not offered.
    expect(await options().filter({ hasText: 'login' }).count()).toBe(1);
    await view.page.keyboard.press('Enter');
    await chip('login.ts').waitFor();
    await draftIs(chat, 'What is this? ');
    server.says({ text: 'A constant.' });
    await message(chat).press('Enter');
    await lastTurn(chat).getByText('A constant.').waitFor();
    const turn = await turnIn(chat, 'completed');
    expect(server.lastRequest()).toContain(
      '[Attached file: src/session/login.ts]\\nexport const LOGIN_WORDS = 1;',
    );
    expect(await turn.locator('.chip').textContent()).toContain('login.ts');
  });

  test('closes with Escape, and the turn that runs goes on', async () => {
    await goesOn();
    await button(chat, 'Attach').click();
    await options().first().waitFor();
    await message(chat).press('Escape');
    await chat.getByRole('listbox').waitFor({ state: 'detached' });
    // A turn that is being stopped cannot be stopped again.
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await message(chat).press('Escape');
    await turnIn(chat, 'interrupted');
    await message(chat).fill('');
  });

  test('refuses a secret file as soon as it is attached, and keeps the words', async () => {
    const before = server.requests.length;
    await message(chat).fill('Use this.');
    await dropAddresses(chat, [`file://${workspace}/.env`]);
    await chat.locator('.notice', { hasText: 'may hold secrets' }).waitFor();
    await chip('.env').waitFor({ state: 'detached' });
    await draftIs(chat, 'Use this.');
    expect(server.requests.length).toBe(before);
    expect(JSON.stringify(await loggedEvents(view))).not.toContain('do-not-send');
    await message(chat).fill('');
  });
});

describe('an image', () => {
  test('is pasted, survives closing the view, reaches the provider and is on disk', async () => {
    const png = noisePng(160);
    await message(chat).fill('Look at this.');
    await giveImage(chat, 'paste', { bytes: png, name: 'shot.png' });
    await chip('shot.png').waitFor();
    chat = await view.lookAway();
    await chip('shot.png').locator('img').waitFor();
    server.says({ text: 'Noise.' });
    await message(chat).press('Control+Enter');
    await lastTurn(chat).getByText('Noise.').waitFor();
    const turn = await turnIn(chat, 'completed');
    expect(await turn.locator('.chip').textContent()).toMatch(/shot\.png.*KB/);
    expect(server.lastRequest()).toContain(`data:image/png;base64,${png.toString('base64')}`);
    const kept = await blobsIn(await view.storageDir());
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
    server.says({ text: 'Counted.', usage: { input: 380, cached: 200, output: 5, reasoning: 0 } });
    await send(chat, 'Count.');
    await turnIn(chat, 'completed');
    await expect.poll(() => meter().textContent()).toBe('38 %');
    await meter().click();
    const panel = chat.getByRole('group', { name: 'Context window' });
    await panel.waitFor();
    expect(await panel.textContent()).toContain('380 tokens');
    expect(await panel.textContent()).toContain('200 tokens');
    await meter().press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  test('Escape closes its explanation, and the turn that runs goes on', async () => {
    await goesOn();
    await meter().click();
    const panel = chat.getByRole('group', { name: 'Context window' });
    await panel.waitFor();
    await meter().press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await message(chat).press('Escape');
    await turnIn(chat, 'interrupted');
  });

  test('/new begins a session', async () => {
    await message(chat).click();
    await view.page.keyboard.type('/ne');
    await options().filter({ hasText: '/new' }).waitFor();
    await message(chat).press('Enter');
    await lastTurn(chat).waitFor({ state: 'detached' });
    await draftIs(chat, '');
    await expect.poll(() => isFocused(message(chat))).toBe(true);
  });
});

function meter(): Locator {
  return chat.getByRole('button', { name: /^Context/u });
}

async function outOfPlace(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const theme of COLOR_THEMES) {
    await view.setTheme(theme);
    found.push(...(await overflowing(chat)).map((what) => `${theme}: ${what}`));
  }
  return found;
}

describe('at 300 px, nothing is cut off or out of place in any theme', () => {
  test('of a list, nor of chips and a panel', async () => {
    await message(chat).fill('Some words @');
    await options().first().waitFor();
    expect(await outOfPlace()).toEqual([]);
    await options().first().click();
    await giveImage(chat, 'drop', { bytes: noisePng(16), name: LONG_NAME });
    await chip('a picture').waitFor();
    await meter().click();
    await chat.getByRole('group', { name: 'Context window' }).waitFor();
    expect(await outOfPlace()).toEqual([]);
  });

  test('and a long text grows, but not without bound', async () => {
    const height = (): Promise<number> => message(chat).evaluate((field) => field.clientHeight);
    await message(chat).click();
    await message(chat).fill(Array.from({ length: 14 }, (_, index) => `line ${index + 1}`).join('\n'));
    await expect.poll(height).toBeGreaterThan(100);
    expect(await height()).toBeLessThan(220);
    expect(await outOfPlace()).toEqual([]);
    await clear(chat);
  });
});

test('the page asks for nothing that its policy refuses', () => {
  expect(view.violations).toEqual([]);
});
