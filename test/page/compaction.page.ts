import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { button } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { loggedEvents, type LoggedEvent } from '../support/browser/log-record.ts';
import { send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { COLOR_THEMES } from '../support/browser/color-themes.ts';
import {
  checkpoints,
  closeMeter,
  meterButton,
  meterFacts,
  meterPanel,
  meterParts,
  meterSays,
  openedCheckpoint,
  openMeter,
} from '../support/browser/compaction-driver.ts';
import { AFTER_COMPACTION, fullness } from '../support/browser/compaction-scenes.ts';
import { recordTalk } from '../support/browser/recorded-talk.ts';
import { apiError, type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { chatPage } from './chat-page.ts';

const LONG = 'An answer of some length, so that there is something to sum up. '.repeat(8);
const TOO_LARGE: Reply = apiError(400, {
  message: 'Your input exceeds the context window of this model.',
  code: 'context_length_exceeded',
});
/** More than a compaction leaves as it is. */
const TURNS = 14;

const view = chatPage();
let chat: Frame;
let server: ResponsesServer;
const replies: Reply[] = [];
/** What the provider counts of a request, in a window of 1,000. */
let counted = 380;

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () =>
      replies.shift() ??
      streamOf(
        responseEvents({ text: LONG, usage: { input: counted, cached: 200, output: 5, reasoning: 0 } }),
      ),
  });
  chat = await view.open({
    workspace: await newWorkspace(),
    apiKey: 'sk-test',
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.contextWindow': 1000,
    },
  });
});

afterAll(() => server?.close());

/** As if the host had said so; the frame after the next has drawn them. */
async function show(...messages: readonly HostMessage[]): Promise<void> {
  await chat.evaluate((all) => {
    for (const message of all) window.postMessage(message, '*');
  }, messages);
  await chat.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** A session of fourteen turns, as another run left it, in the chat. */
async function openTalk(id: string): Promise<void> {
  const questions = Array.from({ length: TURNS }, (_, index) => `Question ${index} of ${id}?`);
  await recordTalk(view, { id, questions, answer: LONG });
  await view.window.vscode.run('ledgerline.openSession', id);
  await chat
    .locator('.log[aria-busy="false"]')
    .getByText(questions.at(-1) ?? '')
    .waitFor();
}

async function compactions(): Promise<readonly LoggedEvent[]> {
  return (await loggedEvents(view)).filter(({ type }) => type === 'history_compaction');
}

async function triggers(): Promise<readonly string[]> {
  return (await compactions()).map(({ data }) => String(data['trigger'])).toSorted();
}

async function ask(what: string): Promise<void> {
  await send(chat, what);
  await turnIn(chat, 'completed');
}

function inputOf(request: number): string {
  const body = server.requests.at(request)?.body as { readonly input: unknown } | undefined;
  return JSON.stringify(body?.input ?? null);
}

/** Whether all of the panel is in the view, or can be scrolled to inside of it, and nothing is cut off at the side. */
async function fits(): Promise<boolean> {
  return meterPanel(chat).evaluate((panel) => {
    const { top, left, right } = panel.getBoundingClientRect();
    const isInside = top >= 0 && left >= 0 && right <= window.innerWidth + 1;
    const isWhole = document.documentElement.scrollWidth <= window.innerWidth;
    return isInside && isWhole && panel.scrollWidth <= panel.clientWidth;
  });
}

describe('the meter', () => {
  test('has nothing to say before the first request, and offers nothing', async () => {
    const panel = await openMeter(chat);
    await panel.getByText('Nothing was measured yet.').waitFor();
    expect(await panel.getByRole('button').count()).toBe(0);
    await closeMeter(chat);
  });

  test('says what the provider counted', async () => {
    await ask('Count.');
    await meterSays(chat, '38 %');
    const panel = await openMeter(chat);
    expect(await meterFacts(panel)).toEqual({
      Used: '380 tokens',
      'From cache': '200 tokens',
      Free: '620 tokens',
      Window: '1,000 tokens',
    });
    await panel.getByText('Tokens of the last request, as the provider counted them.').waitFor();
    await closeMeter(chat);
  });

  test('is used with the keyboard alone', async () => {
    const { page } = view;
    const meter = meterButton(chat);
    await meter.focus();
    await page.keyboard.press('Enter');
    const panel = meterPanel(chat);
    await panel.waitFor();
    const preview = panel.getByRole('button', { name: 'Preview compaction' });
    for (let steps = 0; steps < 5 && !(await isFocused(preview)); steps += 1)
      await page.keyboard.press('Tab');
    expect(await isFocused(preview)).toBe(true);
    await page.keyboard.press('Tab');
    expect(await isFocused(panel.getByRole('button', { name: 'Compact now' }))).toBe(true);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await isFocused(meter)).toBe(true);
  });

  test('closes when the keyboard goes elsewhere', async () => {
    await openMeter(chat);
    await chat.getByRole('textbox', { name: 'Message' }).focus();
    await meterPanel(chat).waitFor({ state: 'detached' });
    await openMeter(chat);
    // To another part of the window than this page.
    await view.page.locator('iframe').evaluate((frame) => frame.blur());
    await meterPanel(chat).waitFor({ state: 'detached' });
  });

  test('says what fills the window, and what of that is an estimate', async () => {
    await show(fullness('warning', 0.84));
    await meterSays(chat, '84 %');
    const panel = await openMeter(chat);
    expect(await meterParts(panel)).toEqual({
      Instructions: '1,927',
      Tools: '4,770',
      Skills: '826',
      History: '55,962',
      'Tool outputs': '44,035',
    });
    await panel.getByRole('heading', { name: 'What fills it, by estimated shares' }).waitFor();
    await show(fullness('unknown', 0.72, true));
    await meterSays(chat, '~72 %');
    await panel.getByText('Estimate: the provider did not count the tokens of the last request.').waitFor();
    await show(AFTER_COMPACTION);
    await meterSays(chat, '~34 %');
    await panel.getByText('The next request will fill about 34 % of the window (estimate).').waitFor();
    await closeMeter(chat);
  });

  test('is seen in every theme, however full the window is', async () => {
    const fills: string[] = [];
    await openMeter(chat);
    for (const theme of COLOR_THEMES) {
      await view.setTheme(theme);
      for (const tier of ['none', 'advisory', 'warning', 'critical', 'recovery']) {
        await show(fullness(tier, 0.8));
        const bars = chat.locator('.meter-other');
        fills.push(...(await bars.evaluateAll((all) => all.map((bar) => getComputedStyle(bar).fill))));
        expect([theme, tier, await fits()]).toEqual([theme, tier, true]);
      }
    }
    await closeMeter(chat);
    await view.setTheme('dark');
    // On the button, in the panel and beside its name.
    expect(fills).toHaveLength(60);
    // What a theme does not have is drawn in black, and is not seen on black.
    expect(fills.filter((fill) => fill === 'rgb(0, 0, 0)')).toEqual([]);
  });

  test.each([
    [300, 1],
    [300, 2],
    [600, 1],
  ])('fits into %i px at a zoom of %i', async (width, zoom) => {
    await view.page.setViewportSize({ width, height: 560 });
    await chat.evaluate((factor) => document.documentElement.style.setProperty('zoom', String(factor)), zoom);
    await openMeter(chat);
    for (const tier of ['none', 'critical', 'recovery']) {
      await show(fullness(tier, tier === 'critical' ? 0.97 : 0.31));
      expect([tier, await fits()]).toEqual([tier, true]);
    }
    await closeMeter(chat);
    await chat.evaluate(() => document.documentElement.style.removeProperty('zoom'));
    await view.page.setViewportSize({ width: 300, height: 560 });
  });

  test('leads to the setting where the window is not known', async () => {
    await show({ v: 1, type: 'context_pressure', tier: 'unknown', ratio: null, input_tokens: 5000 });
    const panel = await openMeter(chat);
    expect(await meterFacts(panel)).toMatchObject({
      Used: '5,000 tokens',
      Free: 'unknown',
      Window: 'unknown',
    });
    await button(panel, 'Open settings').click();
    await panel.waitFor({ state: 'detached' });
    await expect
      .poll(() => view.window.vscode.executed)
      .toContainEqual(['workbench.action.openSettings', 'ledgerline.contextWindow']);
  });
});

describe('a compaction that a person asks for', () => {
  test('of a session that is too short is not made, and says why', async () => {
    await view.window.vscode.run('ledgerline.compact');
    await chat.locator('.notice', { hasText: 'There is nothing to compact' }).waitFor();
    expect(await compactions()).toEqual([]);
  });

  test('is tried first: nothing is recorded, and what would be is opened', async () => {
    await openTalk('asked');
    const before = (await loggedEvents(view)).length;
    counted = 300;
    await ask('And now?');
    await meterSays(chat, '30 %');
    const asked = (await loggedEvents(view)).length;
    expect(asked).toBeGreaterThan(before);
    await button(await openMeter(chat), 'Preview compaction').click();
    await expect.poll(shownDocuments).toEqual(['Preview of a compaction.md']);
    expect(await loggedEvents(view)).toHaveLength(asked);
  });

  test('is recorded, and the history above the line stays', async () => {
    await button(await openMeter(chat), 'Compact now').click();
    await checkpoints(chat).first().waitFor();
    const [event, ...more] = await compactions();
    expect(more).toEqual([]);
    expect(event?.data).toMatchObject({ trigger: 'manual', strategy: 'deterministic_v1' });
    const order = await chat
      .locator('.log > :is(.turn, .checkpoint)')
      .evaluateAll((all) => all.map(({ className }) => className));
    expect(order).toEqual([...Array.from({ length: TURNS + 1 }, () => 'turn'), 'checkpoint']);
    await chat.locator('.notice', { hasText: 'Earlier history was compacted' }).waitFor();
    const panel = await openMeter(chat);
    await panel.getByText('Estimate: history was compacted since the last request.').waitFor();
    await closeMeter(chat);
  });

  test('is a line across the conversation that opens in place, and whole as a document', async () => {
    const details = await openedCheckpoint(checkpoints(chat).first());
    await details.getByText('Question 0 of asked?').first().waitFor();
    await button(details, 'Open checkpoint').click();
    const [event] = await compactions();
    await expect.poll(shownDocuments).toContain(`Checkpoint at seq ${event?.seq}.md`);
    await ask('After the checkpoint?');
    expect(inputOf(-1)).toContain('Ledgerline history checkpoint (lossy)');
    expect(inputOf(-1)).not.toContain('"Question 0 of asked?"');
  });

  test('can be stopped while a model sums up', async () => {
    await openTalk('slow');
    const lines = await compactions();
    const before = server.requests.length;
    replies.push({ kind: 'silence' });
    view.window.vscode.changeSettings({ 'ledgerline.compaction.strategy': 'model_assisted_v1' });
    const done = view.window.vscode.run('ledgerline.compact');
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await view.window.vscode.run('ledgerline.stop');
    await done;
    await chat.locator('.notice[data-level="info"]', { hasText: 'Compacting was stopped.' }).waitFor();
    expect(await compactions()).toEqual(lines);
    view.window.vscode.changeSettings({ 'ledgerline.compaction.strategy': 'deterministic_v1' });
  });
});

describe('a window that fills up', () => {
  test('is told of once a tier, each in the place of the one before, and relieved before the next turn', async () => {
    const notices = chat.locator('.notice', { hasText: 'The context window' });
    await openTalk('full');
    counted = 720;
    await ask('Three quarters?');
    await notices.filter({ hasText: '72 % full' }).waitFor();
    counted = 930;
    await ask('Full?');
    await meterSays(chat, '93 %');
    await notices.and(chat.locator('[data-level="warning"]')).filter({ hasText: '93 % full' }).waitFor();
    expect(await notices.count()).toBe(1);
    counted = 400;
    await ask('Go on.');
    expect(await triggers()).toEqual(['critical_pressure_preflight', 'manual']);
    await notices.filter({ hasText: 'The context window was nearly full' }).waitFor();
    expect(await notices.count()).toBe(1);
    await meterSays(chat, '40 %');
  });

  test('of a request that is too large: it is made smaller and asked again, and the turn completes', async () => {
    await openTalk('large');
    const before = server.requests.length;
    replies.push(TOO_LARGE, TOO_LARGE);
    await ask('Too much?');
    expect(server.requests.length - before).toBe(3);
    const recovery = 'overflow_recovery';
    expect(await triggers()).toEqual(['critical_pressure_preflight', 'manual', recovery, recovery]);
    expect(inputOf(-1).length).toBeLessThan(inputOf(-3).length);
  });

  test('fails the turn when nothing helps, and says what to do', async () => {
    replies.push(...Array.from({ length: 4 }, () => TOO_LARGE));
    await send(chat, 'Far too much.');
    const turn = await turnIn(chat, 'failed');
    await turn.getByText('The conversation is larger than the context window of the model.').waitFor();
    await button(turn, 'New session').waitFor();
    replies.length = 0;
  });
});

test('after a reload all of it is there again, and nothing is told twice', async () => {
  const lines = await compactions();
  const told = (): Promise<number> =>
    chat.locator('.notice', { hasText: /context window|compacted/u }).count();
  expect(await told()).toBeGreaterThan(0);
  chat = await view.reload();
  await checkpoints(chat).first().waitFor();
  await expect.poll(() => turns(chat).count()).toBe(TURNS + 2);
  expect(await compactions()).toEqual(lines);
  expect(await told()).toBe(0);
  expect(view.violations).toEqual([]);
});

/** The documents that the extension asked VS Code to open, by their names. */
function shownDocuments(): readonly string[] {
  return view.window.vscode.executed.flatMap(([command, uri]) =>
    command === 'showTextDocument' && typeof uri === 'object' && uri !== null && 'path' in uri
      ? [String(uri.path).split('/').at(-1) ?? '']
      : [],
  );
}
