import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Frame } from 'playwright-core';
import { send, turnIn } from '../../support/browser/turns.ts';
import { until } from '../../support/browser/until.ts';
import { launchVsCode } from '../../e2e/harness/vscode.ts';
import { leaveWorkbench, openLedgerline, openWorkbench } from '../../e2e/harness/workbench.ts';
import { grown } from './long-session.ts';
import { longestTask, type LongestTask } from './traced-tasks.ts';

const TURNS = 200;
/** So many times the reader comes to the top of what is loaded. */
const SCREENS = 8;

/** Ordinary prose, a list, a table and a block of code: some two kilobytes, as models answer. */
const ANSWER = `## What happens

The client in \`src/session/login-client.ts:42\` keeps **the clock** that it got, so *mocking later* does nothing. See [the docs](https://example.org/a) and src/a/b.ts:12. ${'It reads the time once, when it is built, and never again. '.repeat(8)}

1. Read the clock late.
2. Mock before.
   - in the test
   - in its setup

| file | change |
|---|---|
| \`a.ts\` | +4 -2 |
| \`b.ts\` | +1 -1 |

\`\`\`ts
${'export function now(clock: Clock = systemClock): number {\n  const value = clock.now() ?? 0; // a comment\n  return Math.max(value, Number(`${value}`));\n}\n\n'.repeat(6)}\`\`\`

${'Then run the tests again, and look at the first that fails. '.repeat(6)}
`;

export interface ReadingRun {
  readonly opening: LongestTask;
  readonly back: LongestTask;
}

/**
 * The longest tasks while a session of ordinary answers is read backwards, and while one is opened in a page that is
 * there: what the workbench does to show a side bar is not the page's work.
 */
export async function readingRun(
  browser: Browser,
  folder: string,
  how: { readonly turns: number; readonly answer: string } = { turns: TURNS, answer: ANSWER },
): Promise<ReadingRun> {
  const workspace = join(folder, 'reading');
  await mkdir(workspace, { recursive: true });
  const vscode = await launchVsCode({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  try {
    const page = await openWorkbench(browser, vscode);
    const first = await openLedgerline(page, vscode);
    await send(first, 'hello');
    await turnIn(first, 'completed');
    await page
      .getByRole('tab', { name: /^Explorer/ })
      .first()
      .click();
    await leaveWorkbench(page, vscode);
    await grown(vscode, how);
    await page.goto(vscode.url);
    await page.locator('.activitybar [role="tab"]').first().waitFor();
    const chat = await openLedgerline(page, vscode);
    await turnIn(chat, 'completed');
    await keepItems(chat);
    const back = await longestTask(browser, page, async () => {
      for (let screens = 0; screens < SCREENS; screens += 1) await readBack(chat);
    });
    const opening = await longestTask(browser, page, () => openAgain(chat));
    await page.context().close();
    return { opening, back };
  } finally {
    await vscode.stop();
  }
}

declare global {
  interface Window {
    benchItems?: readonly { readonly turn_id?: string; readonly seq: number }[];
  }
}

/** What the page was last told of what comes before. */
async function keepItems(chat: Frame): Promise<void> {
  await chat.evaluate(() => {
    window.addEventListener('message', ({ data }) => {
      if (data?.type === 'prepend') window.benchItems = data.items;
    });
  });
}

/** The same items as another session, until all of its turns are drawn and what is in view is coloured. */
async function openAgain(chat: Frame): Promise<void> {
  const turns = await chat.evaluate(() => {
    const items = window.benchItems ?? [];
    const settings = { provider: 'offline', model: '', mode: 'ask' };
    const access = { kind: 'writer' };
    const stream = null;
    const known = { session_id: 'again', title: 'Again', access, settings, stream, has_more: false };
    window.postMessage({ v: 1, type: 'snapshot', ...known, items }, '*');
    return new Set(items.flatMap(({ turn_id }) => turn_id ?? [])).size;
  });
  await until({
    what: `${turns} turns`,
    probe: async () => {
      const last = chat.locator('.code-block').last().locator('[class^="tone-"]');
      return (await chat.getByRole('article').count()) === turns && (await last.count()) > 0
        ? true
        : undefined;
    },
  });
}

/** To the top of what is there, and until there is more of it. */
async function readBack(chat: Frame): Promise<void> {
  const log = chat.getByRole('log', { name: 'Conversation' });
  const height = await log.evaluate((element) => {
    element.scrollTop = 0;
    return element.scrollHeight;
  });
  await until({
    what: 'what comes before',
    probe: async () => ((await log.evaluate((element) => element.scrollHeight)) > height ? true : undefined),
  });
}
