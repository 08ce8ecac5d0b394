import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { apiError, events, HANG, type Reply, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import {
  lastTurn,
  newWorkspace,
  removeWorkspaces,
  runCommand,
  send,
  setSideBarWidth,
  turnIn,
} from './chat-driver.ts';
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

const TS = '2026-01-02T03:04:05.678Z';
const SETTINGS = { provider: 'openai', model: 'gpt-5.4', mode: 'ask' };
const EDIT = { path: 'src/login.ts', old_text: 'const t = Date.now()', new_text: 'const t = clock.now()' };

/** Messages of a host that has a pending edit; the engine of this version cannot make one. */
const WAITING_SNAPSHOT: HostMessage = {
  v: 1,
  type: 'snapshot',
  session_id: 'waiting',
  title: 'Fix the flaky login test',
  access: { kind: 'writer' },
  items: [
    item(0, 'user_message', { text: 'Fix the flaky login test', client_turn_id: 'c1', attachments: [] }),
    item(1, 'tool_call', {
      call_id: 'call_1',
      name: 'run_command',
      args: '{"command":"npm test -- login"}',
      stream_run_id: 's1',
    }),
    item(2, 'tool_result', {
      call_id: 'call_1',
      ok: false,
      duration_ms: 8200,
      output: '1 failed',
      error: { kind: 'exit_1', message: 'The command failed.' },
    }),
    item(3, 'tool_call', {
      call_id: 'call_2',
      name: 'edit_file',
      args: JSON.stringify(EDIT),
      stream_run_id: 's2',
    }),
    item(4, 'tool_call_status', {
      call_id: 'call_2',
      from: 'new',
      to: 'suspended',
      suspension: {
        id: 'suspension_1',
        reason: 'approval',
        message: 'edit_file wants to change src/login.ts.',
      },
    }),
    item(5, 'run_status', { status: 'waiting', reason: 'suspended' }),
  ],
  first_seq: 0,
  last_seq: 5,
  has_more: false,
  stream: null,
  settings: SETTINGS,
};

const WAITING: readonly HostMessage[] = [
  WAITING_SNAPSHOT,
  {
    v: 1,
    type: 'turn_state',
    turn_id: 't1',
    client_turn_id: 'c1',
    state: 'waiting',
    reason: 'suspended',
    next_actions: [],
  },
];

const HELD: HostMessage = {
  ...WAITING_SNAPSHOT,
  access: {
    kind: 'read_only',
    reason: 'held',
    message: 'This session is open in another window (process 4711). You see it live, but cannot send.',
    next_actions: [{ label: 'Take over', command: 'ledgerline.takeOver' }],
  },
};

function item(seq: number, type: string, data: Record<string, unknown>): Item {
  return { seq, ts: TS, type, turn_id: 't1', data: { turn_id: 't1', ...data } };
}

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
  await removeWorkspaces();
});

function readCall(call_id: string, file: string): { call_id: string; name: string; args: unknown } {
  return { call_id, name: 'read_file', args: { path: file, start_line: null, end_line: null } };
}

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
    await runCommand(page!, 'Set API Key');
    await page!.locator('.quick-input-widget input[type="password"]').fill('sk-test');
    await page!.keyboard.press('Enter');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await screenshot(page!, `${colorTheme}-empty`);
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

  test('a call that waits asks for one decision, and a held session says so', async () => {
    await chat.evaluate((messages) => {
      for (const message of messages) window.postMessage(message, '*');
    }, WAITING);
    const approval = chat.getByRole('group', { name: 'Approval' });
    await approval.getByRole('button', { name: 'Approve' }).waitFor();
    await approval.getByRole('button', { name: 'Deny' }).waitFor();
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-approval`);
    await approval.getByRole('button', { name: 'Approve' }).click();
    // The host knows no such call, and says that nothing happened.
    await chat.getByText('Nothing waits for a decision').waitFor();
    await chat.evaluate((message) => window.postMessage(message, '*'), HELD);
    await chat.getByRole('note', { name: 'Read-only' }).waitFor();
    await expectNoOverflow(chat);
    await screenshot(page!, `${colorTheme}-held`);
  });
});
