import type { BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { COMMANDS_KEY, takeFromQuickInput } from '../../e2e/harness/quick-input.ts';
import { until } from '../../support/browser/until.ts';
import { leaveWorkbench } from '../../e2e/harness/workbench.ts';
import type { VsCode } from '../../e2e/harness/vscode.ts';
import { cpuMs } from './host-process.ts';

const START_MS = 60_000;
/** A host that used less than this share of a processor has come to rest. */
const AT_REST = 0.05;
const REST_LOOK_MS = 400;
/** So many looks in a row: extensions that wait for the end of the start begin late. */
const QUIET_LOOKS = 5;
const REST_PATIENCE_MS = 15_000;

/** A side bar to open: its icon, and what is there when it can be used. */
export interface SideBar {
  readonly title: string;
  readonly extension: string;
  readonly ready: (frame: ViewFrame) => Locator;
}

type ViewFrame = ReturnType<Locator['contentFrame']>;

/** One window of a VS Code, with an extension host of its own. */
export class MeasuredWindow {
  private constructor(
    private readonly vscode: VsCode,
    readonly page: Page,
    readonly host: number,
  ) {}

  static async open(profile: BrowserContext, vscode: VsCode): Promise<MeasuredWindow> {
    const page = await profile.newPage();
    await page.goto(vscode.url);
    await page.locator('.activitybar [role="tab"]').first().waitFor({ timeout: START_MS });
    const host = await until({
      what: 'an extension host',
      probe: async () => (await vscode.extensionHosts())[0],
      timeoutMs: START_MS,
    });
    const window = new MeasuredWindow(vscode, page, host);
    await window.atRest();
    return window;
  }

  /** Until the extension host has nothing more to do; on a busy machine, for as long as one may wait. */
  async atRest(): Promise<void> {
    const deadline = Date.now() + REST_PATIENCE_MS;
    for (let quiet = 0; quiet < QUIET_LOOKS && Date.now() < deadline;) {
      const before = await cpuMs(this.host);
      await this.page.waitForTimeout(REST_LOOK_MS);
      const share = ((await cpuMs(this.host)) - before) / REST_LOOK_MS;
      quiet = share <= AT_REST ? quiet + 1 : 0;
    }
  }

  /** Opens the side bar with a click, and tells how long it took until it can be used. */
  async openSideBar(bar: SideBar): Promise<{ readonly frame: Frame; readonly ms: number }> {
    const icon = this.page
      .locator('.activitybar [role="tab"]')
      .filter({ has: this.page.locator(`a[aria-label*="${bar.title}"]`) })
      .first();
    await icon.waitFor({ timeout: START_MS });
    const outer = this.page.locator(`iframe.webview[src*="extensionId=${bar.extension}"]`).first();
    const ready = bar.ready(outer.contentFrame().locator('iframe#active-frame').contentFrame());
    const began = performance.now();
    await icon.click();
    await ready.waitFor({ timeout: START_MS });
    const ms = performance.now() - began;
    const frame = await (await ready.elementHandle())?.ownerFrame();
    if (frame === null || frame === undefined) throw new Error('the view was closed while it opened');
    return { frame, ms };
  }

  /** Loading and activating, as VS Code itself measures and shows them. */
  async activationMs(title: string): Promise<number> {
    await this.runCommand('Developer: Show Running Extensions');
    const line = this.page.locator('.runtime-extensions-editor .extension', { hasText: title }).first();
    const list = this.page.locator('.runtime-extensions-editor').first();
    await list.waitFor();
    await list.hover();
    // The list draws only what is in view.
    const text = await until({
      what: `${title} among the running extensions`,
      probe: async () => {
        if ((await line.count()) > 0) return line.locator('.activation-time').innerText();
        await this.page.mouse.wheel(0, 200);
        return undefined;
      },
    });
    const ms = /(\d+)\s*ms/.exec(text)?.[1];
    if (ms === undefined) throw new Error(`no time in "${text}"`);
    return Number(ms);
  }

  private async runCommand(title: string): Promise<void> {
    const label = title.replace(/^.*: /, '');
    await takeFromQuickInput(this.page, { key: COMMANDS_KEY, words: `>${title}`, label });
  }

  /** The next window of this profile starts with another side bar, so that opening ours can be measured again. */
  async putAway(): Promise<void> {
    await this.runCommand('View: Close All Editors');
    await this.page.locator('.activitybar [role="tab"]').first().click();
    await this.page.locator('.sidebar .explorer-folders-view').waitFor();
    await this.atRest();
  }

  async close(): Promise<void> {
    await leaveWorkbench(this.page, this.vscode);
    await this.page.close();
  }
}
