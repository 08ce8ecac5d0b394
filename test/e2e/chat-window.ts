import { type Browser, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { oneAfterAnother } from '../support/browser/one-after-another.ts';
import { removeWorkspaces } from '../support/browser/workspaces.ts';
import {
  type LaunchOptions,
  launchVsCode,
  leaveWorkbench,
  openLedgerline,
  openWorkbench,
  openWorkbenchIn,
  printEvidenceOnFailure,
  reloadWorkbench,
  sharedProfile,
  visitVsCode,
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

/** Call once in a test file. */
export function chatWindow(): ChatWindow {
  let browser: Promise<Browser> | undefined;
  let vscode: VsCode | undefined;
  let page: Page | undefined;
  const violations: string[] = [];

  printEvidenceOnFailure(() => ({ vscode, page }));
  afterAll(async () => {
    await oneAfterAnother(async () => (await browser)?.close(), removeWorkspaces);
    expect(violations, 'what the policy of the view refused').toEqual([]);
  });

  const opened = (): { code: VsCode; shown: Page } => {
    if (vscode === undefined || page === undefined) throw new Error('no window is open');
    return { code: vscode, shown: page };
  };
  const openOwn = async (launch: LaunchOptions, look?: WorkbenchOptions): Promise<Page> => {
    browser ??= chromium.connect(inject('browser'));
    vscode = await launchVsCode(launch);
    return openWorkbench(await browser, vscode, look);
  };
  const openShared = async (launch: LaunchOptions, look?: WorkbenchOptions): Promise<Page> => {
    vscode = await visitVsCode(inject('vscode'), launch);
    return openWorkbenchIn(await sharedProfile(), vscode, look);
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
      page = await (needsOwn(launch) ? openOwn(launch, look) : openShared(launch, look));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) violations.push(message.text());
      });
      if (vscode === undefined) throw new Error('VS Code is gone');
      return openLedgerline(page, vscode);
    },
    reload: () => {
      const { code, shown } = opened();
      return reloadWorkbench(shown, code);
    },
    close: async () => {
      const [shown, code] = [page, vscode];
      page = undefined;
      vscode = undefined;
      await oneAfterAnother(
        () => shown !== undefined && code !== undefined && leaveWorkbench(shown, code),
        () => shown?.close(),
        () => code?.stop(),
      );
    },
  };
}

/** What a server is started with, or what others would have left in it. */
function needsOwn({ trust, env, dataDir, extension, vscode }: LaunchOptions): boolean {
  return (
    trust === false || vscode === 'oldest' || [env, dataDir, extension].some((given) => given !== undefined)
  );
}
