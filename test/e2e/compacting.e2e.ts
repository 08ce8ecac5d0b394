import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiError, streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import {
  button,
  loggedEvents,
  newWorkspace,
  runCommand,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
  turns,
  type LoggedEvent,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { checkpoints, closeMeter, meterSays, openedCheckpoint, openMeter } from './compaction-driver.ts';
import { followLinkTo, textWith } from './diagnostics-driver.ts';
import { appears, screenshot, until } from './harness/index.ts';

/** Compaction as a person meets it, from a full window to a checkpoint that opens. One test goes on where the last ended. */

const LONG = 'An answer of some length, so that there is something to sum up. '.repeat(8);
const TOO_LARGE: Reply = apiError(400, {
  message: 'Your input exceeds the context window of this model.',
  code: 'context_length_exceeded',
});

const workbench = chatWindow();
let chat: Frame;
let server: ResponsesServer;
const replies: Reply[] = [];
/** What the provider counts of a request, in a window of 1,000. */
let counted = 300;

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () =>
      replies.shift() ??
      streamOf(
        responseEvents({ text: LONG, usage: { input: counted, cached: 100, output: 5, reasoning: 0 } }),
      ),
  });
  const settings = {
    'ledgerline.baseUrl': server.url,
    'ledgerline.transport': 'sse',
    'ledgerline.contextWindow': 1000,
  };
  chat = await workbench.open({ workspace: await newWorkspace(), settings }, { width: 1100, height: 900 });
  await setApiKey(workbench.page, 'sk-test');
  await setSideBarWidth(workbench.page, 300);
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

async function compactions(): Promise<readonly LoggedEvent[]> {
  return (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'history_compaction');
}

async function ask(times: number, what: string): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await send(chat, `${what} ${n}?`);
    await turnIn(chat, 'completed');
  }
}

function inputOf(request: number): string {
  const body = server.requests.at(request)?.body as { readonly input: unknown } | undefined;
  return JSON.stringify(body?.input ?? null);
}

test('a session that is too short is not compacted, and says why', async () => {
  await ask(1, 'First');
  await runCommand(workbench.page, 'Compact History');
  await chat.locator('.notice', { hasText: 'There is nothing to compact' }).waitFor();
  expect(await compactions()).toEqual([]);
});

test('the dry run opens exactly what would be recorded, and records nothing', async () => {
  const { page } = workbench;
  await ask(13, 'Question');
  await meterSays(chat, '30 %');
  const before = (await loggedEvents(workbench.vscode)).length;
  const panel = await openMeter(chat);
  await button(panel, 'Preview compaction').click();
  const text = await textWith(page, '# Preview of a compaction');
  expect(text).toContain('Nothing was recorded.');
  expect(text).toContain('First 0?');
  await screenshot(page, 'compacting-preview');
  expect(await loggedEvents(workbench.vscode)).toHaveLength(before);
});

test('the dry run says when it is no longer what would be recorded', async () => {
  const { page, vscode } = workbench;
  await vscode.updateSettings({ 'ledgerline.compaction.strategy': 'model_assisted_v1' });
  await textWith(page, 'Settings were changed since');
  await vscode.updateSettings({ 'ledgerline.compaction.strategy': 'deterministic_v1' });
  await textWith(page, 'This is exactly what');
});

test('from its preview it is recorded, and the history above the line stays', async () => {
  const { page } = workbench;
  const link = page.locator('.editor-group-container.active .detected-link', { hasText: 'Compact now' });
  await followLinkTo(page, link.first(), 'A compaction was recorded since');
  const [event, ...more] = await compactions();
  expect(more).toEqual([]);
  expect(event?.data).toMatchObject({ trigger: 'manual', strategy: 'deterministic_v1' });
  expect(await checkpoints(chat).count()).toBe(1);
  expect(await turns(chat).count()).toBe(14);
  await chat.locator('.notice', { hasText: 'Earlier history was compacted' }).waitFor();
  const panel = await openMeter(chat);
  await panel.getByText('Estimate: history was compacted since the last request.').waitFor();
  await closeMeter(chat);
  const details = await openedCheckpoint(checkpoints(chat).first());
  await details.getByText('First 0?').first().waitFor();
  await screenshot(page, 'compacting-checkpoint');
  await ask(1, 'After the checkpoint');
  expect(inputOf(-1)).toContain('Ledgerline history checkpoint (lossy)');
  expect(inputOf(-1)).not.toContain('"First 0?"');
});

test('the document of the next request says when that is another one', async () => {
  const { page } = workbench;
  await runCommand(page, 'Inspect Request');
  expect(await textWith(page, '# Next request')).not.toContain('The log has grown since.');
  await ask(1, 'Meanwhile');
  await textWith(page, 'The log has grown since.');
});

test('it is recorded from the palette as well', async () => {
  await ask(8, 'Later');
  await runCommand(workbench.page, 'Compact History');
  await checkpoints(chat).nth(1).waitFor();
  expect(await compactions()).toHaveLength(2);
});

test('a summary by the model takes its time: that is said, and it can be stopped', async () => {
  const { page, vscode } = workbench;
  await ask(8, 'Long');
  await vscode.updateSettings({ 'ledgerline.compaction.strategy': 'model_assisted_v1' });
  const silence: Reply = { kind: 'silence' };
  const before = server.requests.length;
  await until({
    what: 'a request for a summary',
    timeoutMs: 30_000,
    probe: async () => {
      replies.splice(0, replies.length, silence);
      await runCommand(page, 'Preview Compaction (Dry Run)');
      const said = page.locator('.notification-toast', { hasText: 'Summing up the history…' });
      if (!(await appears(said, 5000))) return undefined;
      await screenshot(page, 'compacting-slow');
      await said.getByRole('button', { name: 'Cancel' }).click();
      return true;
    },
  });
  await chat.locator('.notice[data-level="info"]', { hasText: 'Compacting was stopped.' }).waitFor();
  expect(server.requests.length).toBeGreaterThan(before);
  expect(await compactions()).toHaveLength(2);
  replies.length = 0;
  await vscode.updateSettings({ 'ledgerline.compaction.strategy': 'deterministic_v1' });
});

test('a window that is nearly full is told once, and relieved before the next turn', async () => {
  const { page } = workbench;
  await ask(9, 'Filler');
  counted = 930;
  await ask(1, 'Full');
  await meterSays(chat, '93 %');
  await chat
    .locator('.notice[data-level="warning"]', { hasText: 'The context window is 93 % full.' })
    .waitFor();
  await screenshot(page, 'compacting-critical');
  counted = 400;
  await ask(1, 'Go on');
  const found = await compactions();
  expect(found).toHaveLength(3);
  expect(found.at(-1)?.data).toMatchObject({ trigger: 'critical_pressure_preflight' });
  await chat.locator('.notice', { hasText: 'The context window was nearly full' }).waitFor();
  await checkpoints(chat).last().scrollIntoViewIfNeeded();
  await screenshot(page, 'compacting-preflight');
  await meterSays(chat, '40 %');
});

test('a request that is too large is made smaller and asked again, and the turn completes', async () => {
  await ask(9, 'Another');
  const before = server.requests.length;
  replies.push(TOO_LARGE, TOO_LARGE);
  await ask(1, 'Too much');
  expect(server.requests.length - before).toBe(3);
  const found = (await compactions()).slice(3);
  expect(found.map(({ data }) => (data as { trigger: string }).trigger)).toEqual([
    'overflow_recovery',
    'overflow_recovery',
  ]);
  expect(inputOf(-1).length).toBeLessThan(inputOf(-3).length);
  await screenshot(workbench.page, 'compacting-overflow');
});

test('when nothing helps, the turn fails and says what to do', async () => {
  replies.push(...Array.from({ length: 4 }, () => TOO_LARGE));
  await send(chat, 'Far too much.');
  const turn = await turnIn(chat, 'failed');
  await turn.getByText('The conversation is larger than the context window of the model.').waitFor();
  await button(turn, 'New session').waitFor();
  await screenshot(workbench.page, 'compacting-failed');
  replies.length = 0;
});

test('after a reload all of it is there again, and nothing is told twice', async () => {
  const { page } = workbench;
  const lines = (await compactions()).length;
  chat = await workbench.reload();
  await until({
    what: 'the checkpoints',
    probe: async () => ((await checkpoints(chat).count()) > 0 ? true : undefined),
  });
  expect(await compactions()).toHaveLength(lines);
  expect(await chat.locator('.notice', { hasText: /context window|compacted/u }).count()).toBe(0);
  await screenshot(page, 'compacting-reloaded');
});
