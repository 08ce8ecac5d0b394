import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { expectNoOverflow, tell } from '../page/scenes/stage.ts';
import {
  button,
  isFocused,
  newWorkspace,
  send,
  setApiKey,
  setSideBarWidth,
  turnIn,
  turns,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
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
  tabInFront,
} from './compaction-driver.ts';
import {
  AFTER_COMPACTION,
  COMPACTED_AT,
  COMPACTED_TITLE,
  compactedLog,
  fullness,
  tierNotice,
} from './compaction-scenes.ts';
import {
  expand,
  followLink,
  inlineAction,
  lineSelected,
  menuAction,
  openDiagnostics,
  openSession,
  raiseDiagnostics,
  row,
  textWith,
  writeSession,
} from './diagnostics-driver.ts';
import { inEachTheme, screenshot } from './harness/index.ts';
import { VIEW_SCENES } from '../page/scenes/view-scenes.ts';

const WIDTH = 300;

const workbench = chatWindow();
let chat: Frame;
let server: ResponsesServer;
const replies: Reply[] = [];

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  chat = await workbench.open(
    {
      workspace: await newWorkspace(),
      settings: {
        'ledgerline.baseUrl': server.url,
        'ledgerline.transport': 'sse',
        'ledgerline.contextWindow': 1000,
      },
    },
    { width: 1100, height: 900 },
  );
  await setApiKey(workbench.page, 'sk-test');
  await setSideBarWidth(workbench.page, WIDTH);
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

const stage = {
  get vscode() {
    return workbench.vscode;
  },
  get page() {
    return workbench.page;
  },
  get chat() {
    return chat;
  },
  replies,
};

/** The frame after the next has drawn them. */
async function show(messages: readonly HostMessage[]): Promise<void> {
  await tell(stage, messages);
  await chat.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

async function pictures(name: string): Promise<void> {
  const look = async (colorTheme: string): Promise<void> => {
    await expectNoOverflow(stage);
    await screenshot(workbench.page, `compaction-${colorTheme}-${name}`);
  };
  await inEachTheme(workbench.page, look, chat);
}

/** Whether all of an element is in the view, or can be scrolled to inside of it. */
async function fits(): Promise<boolean> {
  return meterPanel(chat).evaluate((panel) => {
    const { top, left, right } = panel.getBoundingClientRect();
    return top >= 0 && left >= 0 && right <= window.innerWidth + 1 && panel.scrollWidth <= panel.clientWidth;
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
    replies.push(
      streamOf(
        responseEvents({ text: 'Counted.', usage: { input: 380, cached: 200, output: 5, reasoning: 0 } }),
      ),
    );
    await send(chat, 'Count.');
    await turnIn(chat, 'completed');
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
    const { page } = workbench;
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
    const { page } = workbench;
    await openMeter(chat);
    await page.locator('.part.editor').click();
    await meterPanel(chat).waitFor({ state: 'detached' });
  });

  test('says what fills the window, and what of that is an estimate', async () => {
    await show([fullness('warning', 0.84)]);
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
    await pictures('meter');
    await show([fullness('unknown', 0.72, true)]);
    await meterSays(chat, '~72 %');
    await panel.getByText('Estimate: the provider did not count the tokens of the last request.').waitFor();
    await pictures('meter-estimate');
    await show([AFTER_COMPACTION]);
    await meterSays(chat, '~34 %');
    await panel.getByText('The next request will fill about 34 % of the window (estimate).').waitFor();
    await pictures('meter-after-compaction');
    await closeMeter(chat);
  });

  test('is seen in every theme, however full the window is', async () => {
    const fills: string[] = [];
    await inEachTheme(
      workbench.page,
      async () => {
        for (const tier of ['none', 'advisory', 'warning', 'critical', 'recovery']) {
          await show([fullness(tier, 0.8)]);
          fills.push(await chat.locator('.meter-other').evaluate((bar) => getComputedStyle(bar).fill));
        }
      },
      chat,
    );
    // What a theme does not have is drawn in black, and is not seen on black.
    expect(fills.filter((fill) => fill === 'rgb(0, 0, 0)')).toEqual([]);
  });

  test.each(['none', 'critical', 'recovery'])('has its look for the tier %s', async (tier) => {
    await show([fullness(tier, tier === 'critical' ? 0.97 : 0.31)]);
    await openMeter(chat);
    await pictures(`meter-${tier}`);
    await closeMeter(chat);
  });

  test.each([
    [WIDTH, 1],
    [WIDTH, 2],
    [600, 1],
  ])('fits into %i px at a zoom of %i', async (width, zoom) => {
    await setSideBarWidth(workbench.page, width);
    await chat.evaluate((factor) => document.documentElement.style.setProperty('zoom', String(factor)), zoom);
    await show([fullness('critical', 0.97)]);
    await openMeter(chat);
    await screenshot(workbench.page, `compaction-meter-${width}-${zoom}`);
    expect(await fits()).toBe(true);
    await closeMeter(chat);
    await chat.evaluate(() => document.documentElement.style.removeProperty('zoom'));
    await setSideBarWidth(workbench.page, WIDTH);
  });

  test('leads to the setting where the window is not known', async () => {
    const { page } = workbench;
    await show([{ v: 1, type: 'context_pressure', tier: 'unknown', ratio: null, input_tokens: 5000 }]);
    const panel = await openMeter(chat);
    expect(await meterFacts(panel)).toMatchObject({
      Used: '5,000 tokens',
      Free: 'unknown',
      Window: 'unknown',
    });
    await pictures('meter-unknown');
    await button(panel, 'Open settings').click();
    await panel.waitFor({ state: 'detached' });
    const settings = page.locator('.settings-editor', { hasText: 'Context Window' });
    await settings.waitFor();
    // A window in front of the others, in this version.
    await page.locator('.monaco-modal-editor-block .codicon-close').first().click();
    await settings.waitFor({ state: 'hidden' });
  });
});

describe('a notice about the window', () => {
  test('takes the place of the one before, and goes when history is compacted', async () => {
    await show([...VIEW_SCENES.pressure, tierNotice('advisory'), tierNotice('critical')]);
    await chat.locator('.notice[data-level="warning"]', { hasText: '93 %' }).waitFor();
    expect(await chat.locator('.notice').count()).toBe(1);
    await pictures('notice');
    const data = { turn_id: 't1' };
    const items = [
      { seq: 200, ts: '2026-01-02T03:04:05.678Z', type: 'history_compaction', turn_id: 't1', data },
    ];
    await show([{ v: 1, type: 'append', session_id: 'scene', items }]);
    expect(await chat.locator('.notice').count()).toBe(0);
  });
});

describe('a checkpoint', () => {
  test('is a line across the conversation that opens in place', async () => {
    await show(VIEW_SCENES.checkpoint);
    expect(await checkpoints(chat).count()).toBe(2);
    await pictures('checkpoint');
    const line = checkpoints(chat).first();
    const details = await openedCheckpoint(line);
    await details.getByText('Run the tests on Windows').waitFor();
    await line.scrollIntoViewIfNeeded();
    await pictures('checkpoint-open');
    await openedCheckpoint(checkpoints(chat).last());
    await checkpoints(chat).last().locator('strong', { hasText: 'clock' }).waitFor();
    await screenshot(workbench.page, 'compaction-checkpoint-model');
  });

  test('of a log stands between its turns, and what is above it stays', async () => {
    const { page, vscode } = workbench;
    await writeSession(vscode, 'compacted', compactedLog());
    await openSession(page, COMPACTED_TITLE);
    await turns(chat).nth(2).waitFor();
    const order = await chat
      .locator('.log > :is(.turn, .checkpoint)')
      .evaluateAll((all) => all.map(({ className }) => className));
    expect(order).toEqual(['turn', 'turn', 'checkpoint', 'turn']);
    await turns(chat).first().getByText('The clock is mocked after the client is built.').waitFor();
  });

  test('opens whole, as a document that leads to the log', async () => {
    const { page } = workbench;
    const details = await openedCheckpoint(checkpoints(chat).first());
    await button(details, 'Open checkpoint').click();
    // However the editor breaks its lines.
    const text = (await textWith(page, '# Checkpoint')).replaceAll(/\s+/gu, ' ');
    expect(text).toContain('Sums up seq 0 – seq 6: 7 events');
    expect(text).toContain('the conversation from seq 7 on (5 events before the checkpoint)');
    await tabInFront(page, `Checkpoint at seq ${COMPACTED_AT}.md`);
    await screenshot(page, 'compaction-document');
    const link = page.locator('.editor-group-container.active .detected-link', {
      hasText: `seq ${COMPACTED_AT}`,
    });
    await followLink(page, link.first(), COMPACTED_AT + 1);
  });

  test('is a line of the tree, with its evidence and its menu', async () => {
    const { page } = workbench;
    await openDiagnostics(page);
    await raiseDiagnostics(page, 300);
    const line = row(page, /^History compacted, Completed, 7 events, about 48,012 to 9,120 tokens/);
    await line.waitFor();
    await screenshot(page, 'compaction-tree');
    // From another line to its own, so that it is seen to be reached. The editor takes the keyboard then, and a menu that
    // is open would close.
    await inlineAction(row(page, /^And on Windows\?/), 'Reveal Log Line');
    await lineSelected(page, COMPACTED_AT + 2);
    await inlineAction(line, 'Reveal Log Line');
    await lineSelected(page, COMPACTED_AT + 1);
    await textWith(page, '"type":"history_compaction"');
    await menuAction(page, line, 'Inspect Its Request');
    await textWith(page, '# Request');
    await menuAction(page, line, 'Open Checkpoint');
    await textWith(page, '# Checkpoint');
    await expand(row(page, /^And on Windows\?/));
    await line.click();
    await tabInFront(page, `Checkpoint at seq ${COMPACTED_AT}.md`);
  });
});

test('the policy of the page refused nothing', () => {
  expect(workbench.violations).toEqual([]);
});
