import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiError, events, HANG, type Reply, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { lastTurn, newWorkspace, send, setSideBarWidth, turnIn } from './chat-driver.ts';
import {
  type ColorTheme,
  launchBrowser,
  launchVsCode,
  openLedgerline,
  openWorkbench,
  printEvidenceOnFailure,
  screenshot,
  type VsCode,
} from './harness/index.ts';

const THEMES: readonly ColorTheme[] = ['dark', 'light', 'hc-dark', 'hc-light'];
const WIDTH = 300;
const ANSWER = `The clock is mocked after the client is built, so the client keeps the real one. Build it after the mock:

\`\`\`ts
const clock = fakeClock();
const client = createClient({ clock, baseUrl: 'https://login.example.org/v1/sessions' });
\`\`\`

Then the test no longer depends on the time of day.`;

let browser: Browser;
let vscode: VsCode | undefined;
let page: Page | undefined;
let server: ResponsesServer;
const replies: Reply[] = [];

printEvidenceOnFailure(() => ({ vscode, page }));

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Nothing is cut off at the side: all that is wider than the view scrolls inside itself. */
async function expectNoOverflow(chat: Frame): Promise<void> {
  const overflow = await chat.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

describe.each(THEMES)('%s', (colorTheme) => {
  let chat: Frame;

  beforeAll(async () => {
    vscode = await launchVsCode({
      workspace: await newWorkspace(),
      settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
      env: { OPENAI_API_KEY: '' },
    });
    page = await openWorkbench(browser, vscode, { colorTheme, width: 900, height: 800 });
    chat = await openLedgerline(page, vscode);
    await setSideBarWidth(page, WIDTH);
  });

  afterAll(async () => {
    await page?.context().close();
    await vscode?.stop();
  });

  test('without a key it offers the key and the offline model alike', async () => {
    await chat.getByRole('button', { name: 'Set API key' }).waitFor();
    await chat.getByRole('button', { name: 'Use offline model' }).waitFor();
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-no-key`);
  });

  test('with a key it says what it is', async () => {
    await page!.keyboard.press('F1');
    await page!.keyboard.type('Ledgerline: Set API Key');
    await page!.keyboard.press('Enter');
    await page!.locator('.quick-input-widget input[type="password"]').fill('sk-test');
    await page!.keyboard.press('Enter');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await screenshot(page!, `${colorTheme}-empty`);
  });

  test('answers, tool calls and failures fit', async () => {
    const call = (id: string, path: string): { call_id: string; name: string; args: unknown } => ({
      call_id: id,
      name: 'read_file',
      args: { path, start_line: null, end_line: null },
    });
    replies.push(
      streamOf(
        responseEvents({
          reasoning: { summary: ['The test fails only on CI. The clock is the likely cause.'] },
          calls: [call('call_1', 'notes.txt'), call('call_2', 'src/authentication/session/login-client.ts')],
        }),
      ),
      streamOf(responseEvents({ text: ANSWER })),
    );
    await send(chat, 'Why does login.test.ts fail on CI?');
    await turnIn(chat, 'completed');
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-completed`);
    replies.push(apiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }));
    await send(chat, 'And this?');
    await turnIn(chat, 'failed');
    replies.push(stream([events(unfinishedEvents({ text: 'This answer breaks off in the mid' }))]));
    await send(chat, 'And that?');
    await turnIn(chat, 'partial_failed');
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-failed`);
  });

  test('a running answer says what it does and can be stopped', async () => {
    const cut = unfinishedEvents({ text: ['Looking at the client first: ', 'never sent'] });
    const second = cut.findLastIndex((event) => event.type === 'response.output_text.delta');
    replies.push(stream([events(cut.slice(0, second)), HANG]));
    await send(chat, 'Look at the client.');
    await lastTurn(chat).getByText('Looking at the client first').waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill('Look at the server instead.');
    await screenshot(page!, `${colorTheme}-running`);
    await chat.getByRole('button', { name: 'Stop' }).click();
    await turnIn(chat, 'interrupted');
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-interrupted`);
  });
});
