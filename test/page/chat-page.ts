import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { removeWorkspaces } from '../support/browser/workspaces.ts';
import type { ColorTheme } from '../support/browser/color-themes.ts';
import { THEMES } from '../support/browser/color-themes.ts';
import { oneAfterAnother } from '../support/browser/one-after-another.ts';
import { screenshot } from '../support/browser/screenshot.ts';
import { PageWindow, type WindowOptions } from './bridge/page-window.ts';
import { type PageServer, startPageServer } from './bridge/server.ts';

export interface Look {
  /** Of the chat; that of a side bar unless it is said. */
  readonly width?: number;
  readonly height?: number;
}

const SIDE_BAR: Required<Look> = { width: 300, height: 560 };

/** The chat in a browser without a workbench; at most one at a time. */
export interface ChatPage {
  readonly page: Page;
  readonly window: PageWindow;
  /** What the page asked for and its policy refused. */
  readonly violations: readonly string[];
  readonly open: (options: WindowOptions & { readonly workspace?: string }, look?: Look) => Promise<Frame>;
  /** The extension ends and starts again, and the page with it. */
  readonly reload: () => Promise<Frame>;
  /** Closes the view and opens it again, as a person does who looks at something else; the new page. */
  readonly lookAway: () => Promise<Frame>;
  readonly setTheme: (theme: ColorTheme) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly storageDir: () => Promise<string>;
}

/** Call once in a test file: what it opened is closed after the tests. */
export function chatPage(): ChatPage {
  let browser: Browser | undefined;
  let server: PageServer | undefined;
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let window: PageWindow | undefined;
  const violations: string[] = [];
  const errors: string[] = [];

  const opened = (): { page: Page; window: PageWindow } => {
    if (page === undefined || window === undefined) throw new Error('no page is open');
    return { page, window };
  };
  const close = async (): Promise<void> => {
    const [shown, behind] = [context, window];
    context = page = window = undefined;
    await oneAfterAnother(
      () => shown?.close(),
      () => behind?.close(),
    );
  };
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || page === undefined) return;
    const file = await screenshot(page, `failure-${Date.now()}`);
    process.stderr.write(`\n${task.name}\nscreenshot: ${file}\n${window?.vscode.logged.join('\n')}\n`);
  });
  afterAll(async () => {
    await oneAfterAnother(
      close,
      () => server?.close(),
      () => browser?.close(),
      removeWorkspaces,
    );
    expect({ violations, errors }, 'what the pages were refused and what failed in them').toEqual({
      violations: [],
      errors: [],
    });
  });
  return {
    get page() {
      return opened().page;
    },
    get window() {
      return opened().window;
    },
    violations,
    open: async ({ workspace, ...options }, look = {}) => {
      await close();
      browser ??= await chromium.connect(inject('browser'));
      server ??= await startPageServer();
      window = await PageWindow.open(server, {
        ...options,
        ...(workspace === undefined ? {} : { folders: [workspace] }),
      });
      context = await browser.newContext({
        viewport: { ...SIDE_BAR, ...look },
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      // Also in the tabs beside the chat.
      context.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) violations.push(message.text());
      });
      context.on('weberror', (failed) => errors.push(String(failed.error())));
      page = await context.newPage();
      await page.goto(window.url);
      return frameOf(page);
    },
    reload: async () => {
      const now = opened();
      await now.page.goto('about:blank');
      await now.window.reload();
      await now.page.goto(now.window.url);
      return frameOf(now.page);
    },
    lookAway: async () => {
      const now = opened();
      now.window.show(false);
      await now.page.locator('iframe').waitFor({ state: 'detached' });
      now.window.show(true);
      const frame = await frameOf(now.page);
      // It has the keyboard once all of it is loaded.
      await expect.poll(() => frame.evaluate(() => document.hasFocus())).toBe(true);
      return frame;
    },
    setTheme: async (theme) => {
      const now = opened();
      now.window.setTheme(theme);
      await now.page
        .frameLocator('iframe')
        .locator(`body[data-vscode-theme-kind="${THEMES[theme].kind}"]`)
        .waitFor();
    },
    close,
    storageDir: async () => opened().window.storage,
  };
}

/** The page of a webview, once a message can be typed there. */
export async function frameOf(page: Page): Promise<Frame> {
  const message = page.frameLocator('iframe').getByRole('textbox', { name: /^(?:Message|Nachricht)$/u });
  await message.waitFor({ state: 'visible' });
  const frame = await (await message.elementHandle())?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error('the page was closed while it opened');
  // Before that the host's first words would replace what is shown.
  await frame.locator('.log[aria-busy="false"]').waitFor();
  return frame;
}
