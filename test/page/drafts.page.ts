import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import {
  chips,
  chipsAre,
  clear,
  draftIs,
  draftOnDisk,
  dropAddresses,
  giveImage,
  message,
  noisePng,
  overflowing,
  pasteTable,
} from '../support/browser/composer-driver.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { chatPage } from './chat-page.ts';

const server = scriptedServer('Yes.');
const view = chatPage();
const FILES = Array.from({ length: 21 }, (_, n) => `some-file-${n}.txt`);
let chat: Frame;
let workspace: string;

beforeAll(async () => {
  workspace = await newWorkspace({
    ...Object.fromEntries(FILES.map((name) => [name, 'x\n'])),
    'src/login.ts': 'one\ntwo\nthree\n',
  });
  chat = await view.open({ workspace, settings: server.settings, apiKey: 'sk-test' }, { height: 480 });
  await send(chat, 'hello');
  await turnIn(chat, 'completed');
});

function caret(): Promise<number> {
  return message(chat).evaluate((field) =>
    field instanceof HTMLTextAreaElement ? field.selectionStart : -1,
  );
}

test('the caret stays where one types, also after an earlier prompt that says the same', async () => {
  await message(chat).fill('hello');
  await message(chat).press('Home');
  await message(chat).press('ArrowUp');
  await expect.poll(caret).toBe(5);
  await message(chat).press('Home');
  await view.page.keyboard.type('ab');
  await draftIs(chat, 'abhello');
  await message(chat).fill('hello');
  await message(chat).press('ArrowDown');
  await draftIs(chat, 'hello');
});

describe('a draft that is left for an earlier prompt', () => {
  test('is there again after a letter, and so is what was made of the prompt', async () => {
    await message(chat).fill('draft');
    await message(chat).press('ArrowUp');
    await draftIs(chat, 'hello');
    await view.page.keyboard.type('x');
    await message(chat).press('ArrowDown');
    await draftIs(chat, 'draft');
    await message(chat).press('ArrowUp');
    await draftIs(chat, 'hellox');
  });

  test('is there again after a look elsewhere', async () => {
    chat = await view.lookAway();
    await draftIs(chat, 'hellox');
    await message(chat).press('ArrowDown');
    await draftIs(chat, 'draft');
  });

  test('is of its session alone: another one has its own', async () => {
    const names = await readdir(path.join(await view.storageDir(), 'sessions'));
    const [log = ''] = names.filter((name) => name.endsWith('.jsonl'));
    await message(chat).press('ArrowUp');
    await draftIs(chat, 'hellox');
    await button(chat, 'New session').click();
    await draftIs(chat, '');
    await message(chat).press('ArrowDown');
    await draftIs(chat, '');
    await message(chat).fill('for the second');
    await view.window.vscode.run('ledgerline.openSession', path.basename(log, '.jsonl'));
    await draftIs(chat, 'hellox');
    await message(chat).press('ArrowDown');
    await draftIs(chat, 'draft');
  });
});

describe('arrow up', () => {
  test('goes back through earlier prompts, and arrow down to the draft', async () => {
    await send(chat, 'Second\nof two lines.');
    await turnIn(chat, 'completed');
    await message(chat).fill('not sent');
    await message(chat).press('ArrowUp');
    await draftIs(chat, 'Second\nof two lines.');
    await message(chat).press('ArrowUp');
    await draftIs(chat, 'hello');
    await message(chat).press('ArrowDown');
    await draftIs(chat, 'Second\nof two lines.');
    await message(chat).press('ArrowDown');
    await draftIs(chat, 'not sent');
  });

  test('moves the caret where there are lines above it', async () => {
    await message(chat).fill('one\ntwo');
    await message(chat).press('ArrowUp');
    await expect.poll(caret).toBe(3);
    await draftIs(chat, 'one\ntwo');
  });
});

describe('what comes in', () => {
  test('of a table with a picture of itself is text', async () => {
    await clear(chat);
    expect(await pasteTable(chat, 'a\tb')).toBe('left to the browser');
    await chipsAre(chat, 0);
  });

  test('is no more than a message takes, and Send stays in view', async () => {
    await message(chat).fill(Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n'));
    await dropAddresses(
      chat,
      FILES.map((name) => `file://${workspace}/${name}`),
    );
    await chipsAre(chat, 20);
    const words = 'At most 20 attachments fit into a message. some-file-20.txt';
    await chat.locator('.notice', { hasText: words }).waitFor();
    const { bottom, height } = await button(chat, 'Send').evaluate((element) => ({
      bottom: element.getBoundingClientRect().bottom,
      height: document.documentElement.clientHeight,
    }));
    expect(bottom).toBeLessThanOrEqual(height);
    expect(await overflowing(chat)).toEqual([]);
    await button(chat, 'Dismiss').first().click();
  });

  test('stays when Backspace is held to clear the words', async () => {
    await message(chat).fill('ab');
    await message(chat).evaluate((field) => {
      for (const repeat of [true, true, true])
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Backspace', repeat, bubbles: true }));
    });
    await message(chat).press('Home');
    await message(chat).evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Backspace', repeat: true, bubbles: true })),
    );
    await chipsAre(chat, 20);
    await clear(chat);
  });

  test('is attached once, dropped or by its name', async () => {
    await dropAddresses(chat, [`file://${workspace}/src/login.ts`]);
    await chipsAre(chat, 1);
    await message(chat).click();
    await view.page.keyboard.type('@login');
    await chat.getByText('Nothing found').waitFor();
    await message(chat).fill('');
    await dropAddresses(chat, [`file://${workspace}/src/login.ts`]);
    await dropAddresses(chat, [`file://${workspace}/notes.txt`]);
    await chipsAre(chat, 2);
    await clear(chat);
  });

  test('of an image survives a reload', async () => {
    await message(chat).fill('with a picture');
    await giveImage(chat, 'paste', { bytes: noisePng(40), name: 'shot.png' });
    await chips(chat).locator('img').waitFor();
    await draftOnDisk(await view.storageDir(), 'shot.png');
    await expect.poll(() => view.window.vscode.webviews[0]?.kept).toContain('"with a picture"');
    chat = await view.reload();
    await draftIs(chat, 'with a picture');
    await chips(chat).locator('img').waitFor();
  });

  test('of an image is sent after the reload as it was before, and opens', async () => {
    await message(chat).press('Enter');
    await lastTurn(chat)
      .getByRole('button', { name: /shot\.png/ })
      .click();
    await turnIn(chat, 'completed');
    expect(server.lastRequest()).toContain(noisePng(40).toString('base64'));
    await button(lastTurn(chat), 'Show as sent').click();
    await expect
      .poll(() => String(view.window.vscode.executed.at(-1)?.[1]))
      .toMatch(/^ledgerline-image:.*\/shot\.png$/u);
  });
});

test('an image whose bytes are gone is named, and not sent', async () => {
  const session_id = await chat.locator('.log').evaluate((log) => {
    const { vscodeContext = '{}' } = (log as HTMLElement).dataset;
    return (JSON.parse(vscodeContext) as { session_id: string }).session_id;
  });
  await chat.evaluate((session) => {
    const attachments = [{ id: 'gone', kind: 'image', label: 'gone.png', mime: 'image/png' }];
    const text = 'What is in it?';
    const draft = { v: 1, type: 'draft', session_id: session, text, attachments, at: Date.now() };
    window.postMessage(draft, '*');
  }, session_id);
  await draftIs(chat, 'What is in it?');
  await chat.getByText('1 image was not kept').waitFor();
  await message(chat).press('Enter');
  await draftIs(chat, '');
  // The turn before is completed as well.
  await lastTurn(chat).getByText('What is in it?').waitFor();
  await turnIn(chat, 'completed');
  const prompts = (await loggedEvents(view)).filter(({ type }) => type === 'user_message');
  expect(prompts.at(-1)?.data).toMatchObject({ text: 'What is in it?', attachments: [] });
});

describe('the keyboard', () => {
  test('of an input method, as for Japanese, takes Enter for itself while it composes', async () => {
    const before = server.requests.length;
    const keys = await view.page.context().newCDPSession(view.page);
    await message(chat).click();
    await keys.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await draftIs(chat, 'にほん');
    await view.page.keyboard.press('Enter');
    await keys.send('Input.insertText', { text: '日本' });
    // Such a method would keep the key to itself; here the field gets it, too, and takes it for a new line.
    await expect.poll(() => message(chat).inputValue()).toContain('日本');
    expect(server.requests.length).toBe(before);
    await clear(chat);
  });

  test('comes to the field with the window, unless something else in the page has it', async () => {
    const comes = (): Promise<boolean> =>
      chat.evaluate(() => {
        window.dispatchEvent(new Event('focus'));
        return document.activeElement?.tagName === 'TEXTAREA';
      });
    await button(chat, 'Attach').focus();
    expect(await comes()).toBe(false);
    await button(chat, 'Attach').evaluate((element) => element.blur());
    expect(await comes()).toBe(true);
  });
});

test('what VS Code keeps for the next window is JSON: all else is lost at once, or refused', async () => {
  const memory = view.window.vscode.state.workspaceState;
  const given = { at: new Date(0), seen: new Map([['a', 1]]), gone: undefined, list: ['a'] };
  await memory.update('test', given);
  given.list.push('b');
  const kept = memory.get('test');
  expect(kept).toStrictEqual({ at: '1970-01-01T00:00:00.000Z', seen: {}, list: ['a'] });
  expect(memory.get('test')).not.toBe(kept);
  const endless: Record<string, unknown> = {};
  endless['self'] = endless;
  expect(() => memory.update('test', endless)).toThrow('circular');
  expect(memory.get('test')).toStrictEqual(kept);
  await memory.update('test', null);
  expect(memory.get('test', 'nothing')).toBeNull();
  await memory.update('test', undefined);
  expect(memory.get('test', 'nothing')).toBe('nothing');
  expect(memory.keys()).not.toContain('test');
});

describe('a list', () => {
  test('is there again when the field has the keyboard again', async () => {
    await message(chat).click();
    await view.page.keyboard.type('@login');
    await chat.getByRole('option').first().waitFor();
    // As when an editor is clicked: the page as a whole has the keyboard no more.
    await view.page.locator('iframe').evaluate((frame) => frame.blur());
    await chat.getByRole('listbox').waitFor({ state: 'detached' });
    await message(chat).click();
    await chat.getByRole('option').first().waitFor();
    await clear(chat);
  });
});

describe('a command that is misspelt', () => {
  test('is not sent, unless it is meant', async () => {
    const before = server.requests.length;
    await message(chat).fill('/comapct now');
    await message(chat).press('Enter');
    await chat.getByText('There is no command or skill /comapct.').waitFor();
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
