import { createHash } from 'node:crypto';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFile } from './around-driver.ts';
import {
  button,
  lastTurn,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setSideBarWidth,
  turnEvents,
  turnIn,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { checkpoints } from './compaction-driver.ts';
import { draftIs, dropAddresses, giveImage, noisePng } from './composer-driver.ts';
import { COMMANDS_KEY, inEachTheme, screenshot, takeFromQuickInput, until } from './harness/index.ts';

/** What goes with a message as evidence, and an image that is looked at again. One test goes on where the last ended. */

const workbench = chatWindow();
const PNG = noisePng(96);
const SHA = createHash('sha256').update(PNG).digest('hex');
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const LOGIN = 'export const login = 1;\nexport const again = 2;\n';
let chat: Frame;
let workspace: string;

beforeAll(async () => {
  workspace = await newWorkspace({
    'src/login.ts': LOGIN,
    'src/deep/other.ts': 'one\n',
    'empty.txt': '',
    'broken.json': '{"oops": }\n',
  });
  await writeFile(path.join(workspace, 'large.txt'), 'x'.repeat(9 * 1024 * 1024));
  await writeFile(path.join(workspace, 'program.bin'), Buffer.from([1, 0, 2, 0, 0, 3, 255, 254]));
  chat = await workbench.open(
    { workspace, settings: { 'ledgerline.provider': 'offline' } },
    { width: 1000, height: 800 },
  );
  await setSideBarWidth(workbench.page, 300);
});

afterAll(async () => {
  await workbench.close();
});

function chips(): Locator {
  return chat.locator('.composer .chip');
}

async function chipsAre(count: number): Promise<void> {
  await until({
    what: `${count} chips`,
    probe: async () => ((await chips().count()) === count ? true : undefined),
  });
}

async function refused(words: string): Promise<void> {
  await chat.locator('.notice', { hasText: words }).waitFor();
  await chipsAre(0);
  await draftIs(chat, 'Look.');
}

describe('what cannot be sent', () => {
  test.each([
    [
      'large.txt',
      'large.txt is too large: a file may have 8.0 MiB. Name it in your message instead: tools read parts of it.',
    ],
    ['program.bin', 'program.bin is not text'],
    ['gone.txt', 'gone.txt does not exist any more.'],
  ])('is told as soon as it is attached: %s', async (name, words) => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('Look.');
    await dropAddresses(chat, [`file://${workspace}/${name}`]);
    await refused(words);
    if (name === 'large.txt') await screenshot(workbench.page, 'attachments-limit');
  });

  test('of an image with too many bytes, or too few, is told, too', async () => {
    await giveImage(chat, 'paste', { bytes: PNG.subarray(0, -200), name: 'cut.png' });
    await refused(
      'cut.png is damaged: a part of it is missing. Make it anew and attach that. It was not attached.',
    );
    await giveImage(chat, 'paste', {
      bytes: Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)]),
      name: 'huge.png',
    });
    await refused('an image may have 5 MB. It was not attached.');
  });

  test('of more text than fits is told, and after one is removed the next fits', async () => {
    const names = Array.from({ length: 6 }, (_, n) => `part-${n}.txt`);
    for (const name of names)
      await writeFile(path.join(workspace, name), `${'y'.repeat(99)}\n`.repeat(1_200));
    await dropAddresses(
      chat,
      names.map((name) => `file://${workspace}/${name}`),
    );
    await chat
      .locator('.notice', { hasText: 'of text; 512.0 KiB fit. It was not attached.' })
      .first()
      .waitFor();
    await chipsAre(4);
    await button(chat, 'Remove part-0.txt').click();
    await chipsAre(3);
    await dropAddresses(chat, [`file://${workspace}/part-5.txt`]);
    await chat.locator('.composer .chip', { hasText: 'part-5.txt' }).waitFor();
    await chipsAre(4);
    for (let left = 4; left > 0; left -= 1) {
      await chat.locator('.composer .chip-remove').first().click();
      await chipsAre(left - 1);
    }
  });
});

describe('what was sent', () => {
  test('is on record with its hash, whatever it is', async () => {
    await openFile(workbench.page, 'login.ts');
    await workbench.page.keyboard.press('Control+A');
    await chat.getByRole('textbox', { name: 'Message' }).fill('');
    await workbench.page.keyboard.type('What is this? @login.ts:');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'Selection' }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await chipsAre(1);
    await dropAddresses(chat, [
      `file://${workspace}/src/login.ts`,
      `file://${workspace}/src`,
      `file://${workspace}/empty.txt`,
    ]);
    await chipsAre(4);
    await giveImage(chat, 'paste', { bytes: PNG, name: 'shot.png' });
    await chipsAre(5);
    await button(chat, 'Send').click();
    await turnIn(chat, 'completed');
    const [prompt] = (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'user_message');
    const attachments = (prompt?.data['attachments'] ?? []) as readonly Record<string, unknown>[];
    expect(attachments.map(({ kind, sha256, bytes }) => ({ kind, sha256, bytes }))).toEqual([
      { kind: 'selection', sha256: hash(LOGIN), bytes: LOGIN.length },
      { kind: 'file', sha256: hash(LOGIN), bytes: LOGIN.length },
      { kind: 'folder', sha256: hash(String(attachments[2]?.['text'])), bytes: expect.any(Number) },
      { kind: 'file', sha256: hash(''), bytes: 0 },
      { kind: 'image', sha256: SHA, bytes: PNG.length },
    ]);
  });

  test('tells what is proven of it, and whether it is still the same', async () => {
    const turn = lastTurn(chat);
    const evidence = turn.getByRole('group', { name: /^What was sent of/ });
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await evidence.getByText('Unchanged since').waitFor();
    expect(await evidence.locator('code').getAttribute('title')).toMatch(/^[0-9a-f]{64}$/);
    expect(await evidence.textContent()).toContain('2 lines');
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await evidence.waitFor({ state: 'detached' });
    await appendFile(path.join(workspace, 'src/login.ts'), 'export const more = 3;\n');
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await evidence.getByText('Changed since').waitFor();
    await inEachTheme(
      workbench.page,
      async (theme) => {
        await screenshot(workbench.page, `attachments-evidence-${theme}`);
      },
      chat,
    );
    await rm(path.join(workspace, 'src/login.ts'));
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await evidence.getByText('No longer there').waitFor();
    await turn.getByRole('button', { name: /shot\.png/ }).click();
    await evidence.getByText('96 x 96 pixels').waitFor();
    await button(evidence, 'Show as sent').click();
    await workbench.page.getByRole('tab', { name: /^shot\.png/ }).waitFor();
  });
});

describe('what only the editor knows', () => {
  test('goes with a message as text, and is on record with its hash: problems and the output of a terminal', async () => {
    const { page, vscode } = workbench;
    await openFile(page, 'broken.json');
    await page.locator('.squiggly-error').first().waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).click();
    await page.keyboard.type('@problems');
    await chat.locator('[role="option"][aria-selected="true"]', { hasText: 'Problems (1)' }).waitFor();
    await page.keyboard.press('Enter');
    await chipsAre(1);
    await takeFromQuickInput(page, {
      key: COMMANDS_KEY,
      words: '>Terminal: Create New Terminal',
      label: 'Create New Terminal',
    });
    const terminal = page.locator('.terminal-wrapper.active .xterm');
    // The shell integration marks the first prompt when it is there, and the next one when the command has ended.
    await page.locator('.terminal-command-decoration').first().waitFor();
    await terminal.click();
    await page.keyboard.type('echo one-$((1+1))-three');
    await page.keyboard.press('Enter');
    await page.locator('.terminal-command-decoration').nth(1).waitFor();
    await runCommand(page, 'Ask about Terminal Output');
    await chipsAre(2);
    await screenshot(page, 'attachments-editor');
    await button(chat, 'Send').click();
    await lastTurn(chat).getByRole('button', { name: 'Problems (1)', exact: true }).waitFor();
    const turn = await turnIn(chat, 'completed');
    const prompt = (await turnEvents(vscode, turn)).find(({ type }) => type === 'user_message');
    const attachments = (prompt?.data['attachments'] ?? []) as readonly Record<string, string>[];
    expect(attachments.map(({ kind, sha256 }) => [kind, sha256])).toEqual(
      attachments.map(({ kind, text = '' }) => [kind, hash(text)]),
    );
    expect(attachments).toMatchObject([
      { kind: 'problems', label: 'Problems (1)', text: expect.stringMatching(/^broken\.json:1 error \S/u) },
      { kind: 'terminal', text: expect.stringContaining('one-2-three') },
    ]);
    const evidence = turn.getByRole('group', { name: /^What was sent of/ });
    await turn.getByRole('button', { name: 'Problems (1)', exact: true }).click();
    await evidence.getByText('Unchanged since').waitFor();
    expect(await evidence.locator('code').getAttribute('title')).toBe(attachments[0]?.['sha256']);
    await screenshot(page, 'attachments-problems');
  });
});

describe('an image that a compaction has dropped', () => {
  test('is listed by its reference, and the model looks at it again', async () => {
    await mkdir(path.join(workspace, 'notes'), { recursive: true });
    await writeFile(path.join(workspace, 'notes/a.txt'), 'words\n');
    for (let n = 0; n < 6; n += 1) {
      await send(chat, 'read notes/a.txt');
      await turnIn(chat, 'completed');
    }
    await runCommand(workbench.page, 'Compact History');
    await checkpoints(chat).first().waitFor();
    const [checkpoint] = (await loggedEvents(workbench.vscode)).filter(
      ({ type }) => type === 'history_compaction',
    );
    expect(checkpoint?.data['images']).toMatchObject([
      { sha256: SHA, label: 'shot.png', width: 96, height: 96 },
    ]);
    expect(String(checkpoint?.data['summary'])).toContain(`- ${SHA.slice(0, 12)}: shot.png, image/png`);
    await send(chat, 'look again');
    const turn = await turnIn(chat, 'completed');
    const image = turn.locator('.call-images img');
    await image.waitFor();
    await until({
      what: 'the picture',
      probe: async () =>
        (await image.evaluate((one) => one instanceof HTMLImageElement && one.naturalWidth)) === 96
          ? true
          : undefined,
    });
    const [result] = (await loggedEvents(workbench.vscode)).filter(
      ({ type, data }) => type === 'tool_result' && Array.isArray(data['attachments']),
    );
    expect(result?.data['attachments']).toMatchObject([{ kind: 'image', sha256: SHA, blob: SHA }]);
    await inEachTheme(
      workbench.page,
      async (theme) => {
        await screenshot(workbench.page, `attachments-look-${theme}`);
      },
      chat,
    );
    await button(turn, 'Open shot.png').click();
    await workbench.page
      .getByRole('tab', { name: /^shot\.png/ })
      .first()
      .waitFor();
  });

  test('cannot be another one than those of the session', async () => {
    await send(chat, `view ${'0'.repeat(12)}`);
    const turn = await turnIn(chat, 'completed');
    await turn.getByText('No image of this session has the reference').first().waitFor();
    await screenshot(workbench.page, 'attachments-unknown');
  });
});
