import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import { setApiKey, setSideBarWidth } from '../../e2e/workbench-driver.ts';
import { send, turnIn } from '../../support/browser/turns.ts';
import { until } from '../../support/browser/until.ts';
import { launchVsCode } from '../../e2e/harness/vscode.ts';
import { leaveWorkbench, openLedgerline, openWorkbench } from '../../e2e/harness/workbench.ts';
import { launchBrowser } from '../../support/browser/chromium.ts';
import { ManyChildren, SEND_ALL } from '../../support/many-children.ts';
import { startResponsesServer } from '../../support/responses-server/server.ts';
import { spread, type Spread } from '../children/loop-watch.ts';
import { median, row, type Row } from '../table.ts';
import { longestTask, type LongestTask } from './traced-tasks.ts';
import { RendererClock } from './watched-frame.ts';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3);
const MANY = 64;
const WORDS = 'what is typed while they work shows at once';
const KEY_EVERY_MS = 40;
const PATIENCE_MS = 60_000;

/** What a person who types feels of a page. */
interface Typed {
  /** From each key to the frame that shows it. */
  readonly key_ms: Spread;
  /** How much of the time the thread of the page was busy. */
  readonly busy: number;
  readonly longest: LongestTask;
}

/** Typing while 64 children stream, against typing in the same page before them. */
export async function crewCost(): Promise<readonly Row[]> {
  const browser = await launchBrowser();
  const runs: { readonly idle: Typed; readonly working: Typed }[] = [];
  try {
    for (let i = 0; i < RUNS; i += 1) {
      runs.push(await crewRun(browser));
      process.stderr.write(`  ${JSON.stringify(runs.at(-1))}\n`);
    }
  } finally {
    await browser.close();
  }
  const of = (when: 'idle' | 'working', pick: (typed: Typed) => number): number =>
    median(runs.map((run) => pick(run[when])));
  const both = (pick: (typed: Typed) => number): { readonly ours: number; readonly baseline: number } => ({
    ours: of('working', pick),
    baseline: of('idle', pick),
  });
  const idle = 'against the same page before';
  return [
    row(`key to frame with ${MANY} children`, {
      ...both(({ key_ms }) => key_ms.p50),
      unit: 'ms',
      goal: 2,
      note: idle,
    }),
    row('- p99', { ...both(({ key_ms }) => key_ms.p99), unit: 'ms', note: idle }),
    row('- page busy', { ...both(({ busy }) => busy * 100), unit: '%', note: idle }),
    row('- longest task', {
      ours: Math.max(...runs.map(({ working }) => working.longest.cpu_ms)),
      baseline: 50,
      unit: 'ms',
      goal: 1,
      note: `processor time of the worst, against 50 ms; before ${of('idle', ({ longest }) => longest.cpu_ms).toFixed(0)}`,
    }),
  ];
}

async function crewRun(browser: Browser): Promise<{ readonly idle: Typed; readonly working: Typed }> {
  // Not inside the project: its repository would keep the window busy.
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-bench-'));
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  const children = new ManyChildren(MANY);
  const server = await startResponsesServer({ handler: children.reply });
  const vscode = await launchVsCode({
    workspace,
    settings: {
      'ledgerline.baseUrl': server.url,
      'ledgerline.transport': 'sse',
      'ledgerline.subagents.maxRunning': MANY,
    },
  });
  try {
    const page = await openWorkbench(browser, vscode);
    const chat = await openLedgerline(page, vscode);
    await setApiKey(page, 'sk-bench');
    await setSideBarWidth(page, 300);
    const idle = await typing(browser, page, chat);
    await send(chat, SEND_ALL);
    await until({
      what: `${MANY} children at work`,
      probe: async () => (children.streaming < MANY ? undefined : true),
      timeoutMs: PATIENCE_MS,
    });
    await chat.locator('.agent-list').getByText(`${MANY} agents: ${MANY} working`).waitFor();
    children.beat();
    const working = await typing(browser, page, chat);
    children.release();
    await turnIn(chat, 'completed');
    await leaveWorkbench(page, vscode);
    await page.context().close();
    return { idle, working };
  } finally {
    children.release();
    await vscode.stop();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

declare global {
  interface Window {
    benchKeys?: number[];
  }
}

async function typing(browser: Browser, page: Page, chat: Frame): Promise<Typed> {
  const message = chat.getByRole('textbox', { name: 'Message' });
  await message.click();
  await chat.evaluate(() => {
    const keys: number[] = [];
    const isWatched = window.benchKeys !== undefined;
    window.benchKeys = keys;
    if (isWatched) return;
    document.addEventListener('keydown', ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => window.benchKeys?.push(performance.now() - timeStamp)));
    });
  });
  const clock = await RendererClock.of(page);
  const [before, began] = [await clock.read(), performance.now()];
  await page.keyboard.type(WORDS, { delay: KEY_EVERY_MS });
  const busy = ((await clock.read()).task - before.task) / (performance.now() - began);
  const key_ms = spread((await chat.evaluate(() => window.benchKeys)) ?? []);
  const longest = await longestTask(browser, page, () => page.keyboard.type(WORDS, { delay: KEY_EVERY_MS }));
  await message.fill('');
  return { key_ms, busy, longest };
}
