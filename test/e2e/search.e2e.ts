import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newWorkspace, runCommand, send, turnIn, turns } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { inEachTheme, screenshot } from './harness/index.ts';
import { writeScenes } from './session-scenes.ts';
import { logPathOf, quickInput, sessionRow, showSessions, typeAnswer } from './sessions-driver.ts';

const workbench = chatWindow();
let chat: Frame;

const LARGE_MB = 160;

beforeAll(async () => {
  const workspace = await newWorkspace({ 'src/clock.ts': 'export const clock = Date.now;\n' });
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  await showSessions(workbench.page);
  await send(chat, 'read src/clock.ts');
  await turnIn(chat, 'completed');
  await writeScenes(await workbench.vscode.storageDir());
  await sessionRow(workbench.page, 'Publish the new version').waitFor();
});

afterAll(workbench.close);

function box(): Locator {
  return quickInput(workbench.page).locator('input').first();
}

function rows(): Locator {
  return quickInput(workbench.page).locator('.monaco-list-row');
}

function row(words: string | RegExp): Locator {
  return rows().filter({ hasText: words });
}

/** Of each line the first words: what is below or behind them is left out. */
function labels(): Promise<readonly string[]> {
  return rows().evaluateAll((all) => all.map((one) => one.querySelector('.label-name')?.textContent ?? ''));
}

async function openSearch(): Promise<void> {
  // Left open by a test that failed, it would take the keys of the next one.
  if (await quickInput(workbench.page).isVisible()) await leave();
  await runCommand(workbench.page, 'Search in All Sessions...');
  await row('Example').waitFor();
}

async function over(words: RegExp): Promise<void> {
  await quickInput(workbench.page).getByPlaceholder(words).waitFor();
}

async function leave(): Promise<void> {
  await workbench.page.keyboard.press('Escape');
  await quickInput(workbench.page).waitFor({ state: 'hidden' });
}

describe('a search in all sessions', () => {
  test('offers its filters and an example before anything was typed', async () => {
    await openSearch();
    expect(await labels()).toEqual(['state:', 'tool:', 'file:', 'after:', 'before:', 'on:', 'Example']);
    await screenshot(workbench.page, 'search-empty');
    await leave();
  });

  test('is put together by keys alone, and finds turns by their state', async () => {
    const { page } = workbench;
    await openSearch();
    await page.keyboard.press('Enter');
    await expect.poll(() => box().inputValue()).toBe('state:');
    await row('timed_out').waitFor();
    await screenshot(page, 'search-states');
    await page.keyboard.type('fai');
    await expect.poll(labels).toEqual(['failed', 'partial_failed']);
    await page.keyboard.press('Enter');
    await expect.poll(() => box().inputValue()).toBe('state:failed ');
    await row('Search').first().waitFor();
    await page.keyboard.press('Enter');
    await over(/^1 turn has it/);
    expect(await labels()).toEqual(['Publish the new version', 'Change the search']);
    await quickInput(page).getByText('Search in all sessions: All turns · State: Failed').waitFor();
    await screenshot(page, 'search-found');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => box().inputValue()).toBe('state:failed ');
    await leave();
  });

  test('says what is wrong with a filter, and searches nothing until it is right', async () => {
    const { page } = workbench;
    await openSearch();
    await typeAnswer(page, 'state:faild clock');
    await row('“faild” is no state.').waitFor();
    await screenshot(page, 'search-problem');
    await typeAnswer(page, 'after:2026-13-01');
    await row('“2026-13-01” is no date.').waitFor();
    expect(await box().inputValue()).toBe('after:2026-13-01');
    await leave();
  });

  test('finds words of turns that called a tool and saw a file, and opens the turn', async () => {
    const { page } = workbench;
    await openSearch();
    await typeAnswer(page, 'tool:READ_FILE file:src/** after:today "export const CLOCK"');
    await over(/^1 turn has it/);
    await row('export const clock').first().waitFor();
    await leave();
    await openSearch();
    await typeAnswer(page, 'state:waiting');
    await over(/^1 turn has it/);
    await page.keyboard.press('Enter');
    await turns(chat).filter({ hasText: 'Run the tests and the linter' }).waitFor();
  });

  test('shows the first turns while it still reads the others', async () => {
    const { page, vscode } = workbench;
    await writeLarge(await logPathOf(vscode, 'ses_large'));
    await sessionRow(page, 'Turn 0 of many').waitFor();
    await openSearch();
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { searchSeen: seen });
      const look = (): void => {
        const input = document.querySelector('.quick-input-widget input');
        const found = document.querySelectorAll('.quick-input-list .monaco-list-row .codicon-pass').length;
        const said = input?.getAttribute('placeholder') ?? '';
        if (said.startsWith('Searching: ') && found > 0) seen.push(said);
      };
      const options = { subtree: true, childList: true, attributes: true };
      new MutationObserver(look).observe(document.body, options);
    });
    await typeAnswer(page, 'state:completed');
    await over(/^[\d,]+ turns have it/);
    const seen = await page.evaluate(() => (globalThis as unknown as { searchSeen: string[] }).searchSeen);
    expect(seen[0]).toMatch(/^Searching: [\d.]+ .?B of \d+ MB(?:, \d+ found)?$/);
    await screenshot(page, 'search-many');
    await leave();
  }, 240_000);

  test('is read in every theme', async () => {
    const { page } = workbench;
    await openSearch();
    await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-search-empty`)));
    await typeAnswer(page, 'the');
    await over(/turns have it/);
    await inEachTheme(page, async (theme) => void (await screenshot(page, `${theme}-search-found`)));
    await leave();
  });
});

/** A log that takes a while to read: turns with an answer each, and filler between them. */
async function writeLarge(path: string): Promise<void> {
  const out = createWriteStream(path);
  const output = 'The writer checks "what" it was given.\n'.repeat(200);
  const ts = new Date(Date.now() - 60_000).toISOString();
  let seq = 0;
  const line = (type: string, data: object): string =>
    `${JSON.stringify({ v: 1, id: `e${(seq += 1)}`, session_id: 'ses_large', seq: seq - 1, ts, type, data })}\n`;
  for (let written = 0, turn = 0; written < LARGE_MB * 1024 * 1024; turn += 1) {
    const turn_id = `turn_${turn}`;
    const of = { turn_id, stream_run_id: `run_${turn}` };
    const text = [
      line('user_message', {
        turn_id,
        text: `Turn ${turn} of many`,
        client_turn_id: `c${turn}`,
        attachments: [],
      }),
      ...Array.from({ length: 4 }, () =>
        line('tool_result', { turn_id, call_id: 'gone', ok: true, output, duration_ms: 1 }),
      ),
      line('assistant_message', { ...of, text: 'Done.', metadata: { partial: false } }),
      line('run_status', { turn_id, status: 'done', reason: 'natural_end' }),
    ].join('');
    written += Buffer.byteLength(text);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
}
