import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { removeWorkspaces } from './chat-driver.ts';
import {
  type LaunchOptions,
  launchBrowser,
  launchVsCode,
  openLedgerline,
  openWorkbench,
  printEvidenceOnFailure,
  reloadWorkbench,
  type VsCode,
  type WorkbenchOptions,
} from './harness/index.ts';

/** The chat of one real VS Code in one browser; at most one at a time. */
export type ChatWindow = {
  /** Of the window that is open. */
  readonly vscode: VsCode;
  readonly page: Page;
  /** What the pages asked for and the policy of the view refused. */
  readonly violations: readonly string[];
  readonly open: (launch: LaunchOptions, look?: WorkbenchOptions) => Promise<Frame>;
  readonly reload: () => Promise<Frame>;
  readonly close: () => Promise<void>;
};

/** Call once in a test file: the browser starts with the first window and ends after the tests. */
export function chatWindow(): ChatWindow {
  let browser: Promise<Browser> | undefined;
  let vscode: VsCode | undefined;
  let page: Page | undefined;
  const violations: string[] = [];

  printEvidenceOnFailure(() => ({ vscode, page }));
  afterAll(async () => {
    await (await browser)?.close();
    await removeWorkspaces();
  });

  const opened = (): { code: VsCode; shown: Page } => {
    if (vscode === undefined || page === undefined) throw new Error('no window is open');
    return { code: vscode, shown: page };
  };
  return {
    get vscode() {
      return opened().code;
    },
    get page() {
      return opened().shown;
    },
    violations,
    open: async (launch, look) => {
      // It comes up beside VS Code.
      browser ??= launchBrowser();
      vscode = await launchVsCode(launch);
      page = await openWorkbench(await browser, vscode, look);
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) violations.push(message.text());
      });
      return openLedgerline(page, vscode);
    },
    reload: () => {
      const { code, shown } = opened();
      return reloadWorkbench(shown, code);
    },
    close: async () => {
      await page?.context().close();
      await vscode?.stop();
      page = undefined;
      vscode = undefined;
    },
  };
}
