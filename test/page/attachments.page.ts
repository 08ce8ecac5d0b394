import { createHash } from 'node:crypto';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import {
  chipsAre,
  draftIs,
  dropAddresses,
  giveImage,
  message,
  noisePng,
} from '../support/browser/composer-driver.ts';
import { chatPage } from './chat-page.ts';

/** What goes with a message as evidence, and an image that is looked at again. One test goes on where the last ended. */

const view = chatPage();
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
    'notes/a.txt': 'words\n',
  });
  await writeFile(path.join(workspace, 'large.txt'), 'x'.repeat(9 * 1024 * 1024));
  await writeFile(path.join(workspace, 'program.bin'), Buffer.from([1, 0, 2, 0, 0, 3, 255, 254]));
  chat = await view.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
});

/** What VS Code was asked to open, by its address. */
function opened(): readonly string[] {
  return view.window.vscode.executed.flatMap(([command, uri]) =>
    command === 'vscode.open' ? [String(uri)] : [],
  );
}

async function refused(words: string): Promise<void> {
  await chat.locator('.notice', { hasText: words }).waitFor();
  await chipsAre(chat, 0);
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
    await message(chat).fill('Look.');
    await dropAddresses(chat, [`file://${workspace}/${name}`]);
    await refused(words);
  });

  test('of an image with too many bytes, or too few, is told, too', async () => {
    await giveImage(chat, 'paste', { bytes: PNG.subarray(0, -200), name: 'cut.png' });
    await refused(
      'cut.png is damaged: a part of it is missing. Make it anew and attach that. It was not attached.',
    );
    await giveImage(chat, 'paste', { bytes: PNG, name: 'huge.png', padding: 5 * 1024 * 1024 });
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
    await chipsAre(chat, 4);
    await button(chat, 'Remove part-0.txt').click();
    await chipsAre(chat, 3);
    await dropAddresses(chat, [`file://${workspace}/part-5.txt`]);
    await chat.locator('.composer .chip', { hasText: 'part-5.txt' }).waitFor();
    await chipsAre(chat, 4);
    for (let left = 4; left > 0; left -= 1) {
      await chat.locator('.composer .chip-remove').first().click();
      await chipsAre(chat, left - 1);
    }
  });
});

describe('what was sent', () => {
  test('is on record with its hash, whatever it is', async () => {
    await message(chat).fill('What is this?');
    await dropAddresses(chat, [
      `file://${workspace}/src/login.ts`,
      `file://${workspace}/src`,
      `file://${workspace}/empty.txt`,
    ]);
    await chipsAre(chat, 3);
    await giveImage(chat, 'paste', { bytes: PNG, name: 'shot.png' });
    await chipsAre(chat, 4);
    await button(chat, 'Send').click();
    await turnIn(chat, 'completed');
    const [prompt] = (await loggedEvents(view)).filter(({ type }) => type === 'user_message');
    const attachments = (prompt?.data['attachments'] ?? []) as readonly Record<string, unknown>[];
    expect(attachments.map(({ kind, sha256, bytes }) => ({ kind, sha256, bytes }))).toEqual([
      { kind: 'file', sha256: hash(LOGIN), bytes: LOGIN.length },
      { kind: 'folder', sha256: hash(String(attachments[1]?.['text'])), bytes: expect.any(Number) },
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
    await rm(path.join(workspace, 'src/login.ts'));
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await turn.getByRole('button', { name: 'login.ts', exact: true }).click();
    await evidence.getByText('No longer there').waitFor();
    await turn.getByRole('button', { name: /shot\.png/ }).click();
    await evidence.getByText('96 x 96 pixels').waitFor();
    await button(evidence, 'Show as sent').click();
    await expect.poll(() => opened().at(-1)).toMatch(/^ledgerline-image:.*\/shot\.png$/u);
  });
});

describe('an image that a compaction has dropped', () => {
  test('is listed by its reference, and the model looks at it again', async () => {
    for (let n = 0; n < 4; n += 1) {
      await send(chat, 'read notes/a.txt');
      await turnIn(chat, 'completed');
    }
    await view.window.vscode.run('ledgerline.compact');
    await chat.getByRole('separator', { name: 'Checkpoint' }).waitFor();
    const [checkpoint] = (await loggedEvents(view)).filter(({ type }) => type === 'history_compaction');
    expect(checkpoint?.data['images']).toMatchObject([
      { sha256: SHA, label: 'shot.png', width: 96, height: 96 },
    ]);
    expect(String(checkpoint?.data['summary'])).toContain(`- ${SHA.slice(0, 12)}: shot.png, image/png`);
    await send(chat, 'look again');
    const turn = await turnIn(chat, 'completed');
    const image = turn.locator('.call-images img');
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((one) => one instanceof HTMLImageElement && one.naturalWidth))
      .toBe(96);
    const [result] = (await loggedEvents(view)).filter(
      ({ type, data }) => type === 'tool_result' && Array.isArray(data['attachments']),
    );
    expect(result?.data['attachments']).toMatchObject([{ kind: 'image', sha256: SHA, blob: SHA }]);
    const before = opened().length;
    await button(turn, 'Open shot.png').click();
    await expect.poll(() => opened().slice(before)).toEqual([expect.stringMatching(/\/shot\.png$/u)]);
  });

  test('cannot be another one than those of the session', async () => {
    await send(chat, `view ${'0'.repeat(12)}`);
    const turn = await turnIn(chat, 'completed');
    await turn.getByText('No image of this session has the reference').first().waitFor();
  });
});
