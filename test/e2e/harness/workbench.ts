import type { Browser, BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { count } from '../../support/browser/counts.ts';
import { screenshot } from '../../support/browser/screenshot.ts';
import { type ColorTheme, followContrast, schemeOf, SYSTEM_THEMES, workbenchClass } from './color-theme.ts';
import { appears, until } from '../../support/browser/until.ts';
import { endProcess } from './process-groups.ts';
import type { VsCode } from './vscode.ts';

const START_MS = 60_000;

export type WorkbenchOptions = {
  readonly width?: number;
  readonly height?: number;
  readonly colorTheme?: ColorTheme;
  /** What VS Code speaks to extensions. Its own words stay English: they come with a language pack. */
  readonly language?: string;
};

/** Opens the workbench in a browser profile of its own, and waits until its parts are there. */
export async function openWorkbench(
  browser: Browser,
  vscode: VsCode,
  options: WorkbenchOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ permissions: CLIPBOARD });
  return openWorkbenchIn(context, vscode, options);
}

export const CLIPBOARD = ['clipboard-read', 'clipboard-write'];

/** Opens the workbench in this browser profile, which may have its files already. */
export async function openWorkbenchIn(
  context: BrowserContext,
  vscode: VsCode,
  options: WorkbenchOptions = {},
): Promise<Page> {
  count('windows');
  const colorTheme = options.colorTheme ?? 'dark';
  await vscode.updateSettings(SYSTEM_THEMES);
  const page = await context.newPage();
  try {
    return await openedIn(page, vscode, { ...options, colorTheme });
  } catch (error) {
    await page.close();
    throw error;
  }
}

async function openedIn(
  page: Page,
  vscode: VsCode,
  options: WorkbenchOptions & { readonly colorTheme: ColorTheme },
): Promise<Page> {
  const { colorTheme } = options;
  await page.setViewportSize({ width: options.width ?? 1280, height: options.height ?? 800 });
  // Nothing that moves is under test here, and what fades or turns is painted by the processor.
  await page.emulateMedia({ colorScheme: schemeOf(colorTheme), reducedMotion: 'reduce' });
  await followContrast(page, colorTheme);
  if (options.language !== undefined)
    await page.addInitScript(
      (language) => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language }),
      options.language,
    );
  await explained({ what: 'the workbench did not open', page, vscode }, async () => {
    await page.goto(vscode.url);
    await page.locator(`.monaco-workbench.${workbenchClass(colorTheme)}`).waitFor({ timeout: START_MS });
    await activityIcon(page).waitFor({ timeout: START_MS });
  });
  return page;
}

/** Shows Ledgerline's view and gives the inner frame of its webview, once a message can be typed there. */
export async function openLedgerline(page: Page, vscode?: VsCode): Promise<Frame> {
  return explained({ what: 'Ledgerline did not open', page, vscode }, async () => {
    const icon = activityIcon(page);
    await icon.waitFor({ timeout: START_MS });
    await until({
      what: 'the view of Ledgerline',
      timeoutMs: START_MS,
      probe: async (patience) => {
        // A click on the icon of the view that is open would close it, also when it opened by itself meanwhile.
        if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
        return appears(chatView(page), patience);
      },
    });
    return chatFrame(page);
  });
}

/** Reloads a window that shows Ledgerline. The workbench shows it again by itself: a click could come late. */
export async function reloadWorkbench(page: Page, vscode: VsCode): Promise<Frame> {
  return explained({ what: 'Ledgerline is not there again', page, vscode }, async () => {
    count('reloads');
    const before = await vscode.extensionHosts();
    await page.reload();
    await hostsGone(vscode, before);
    return chatFrame(page);
  });
}

/** Comes back to a window that shows something else than Ledgerline, as a person does who has closed it meanwhile. */
export async function returnToWorkbench(page: Page, vscode: VsCode): Promise<void> {
  await explained({ what: 'the workbench is not there again', page, vscode }, async () => {
    count('reloads');
    await leaveWorkbench(page, vscode);
    await page.goto(vscode.url);
    await activityIcon(page).waitFor({ timeout: START_MS });
  });
}

/** Leaves the window until its extension host is gone. What the workbench shows may not be written down then. */
export async function leaveWorkbench(page: Page, vscode: VsCode): Promise<void> {
  const before = await vscode.extensionHosts();
  await page.goto('about:blank');
  await hostsGone(vscode, before);
}

const GOODBYE_MS = 20_000;
/** Its end by force takes a moment more. */
const HOSTS_GONE_MS = GOODBYE_MS + 15_000;

/** Also after a lost goodbye VS Code ends the host by itself, except the oldest one. */
async function hostsGone(vscode: VsCode, hosts: readonly number[]): Promise<void> {
  const deadline = Date.now() + GOODBYE_MS;
  await until({
    what: 'the end of the extension host',
    timeoutMs: HOSTS_GONE_MS,
    probe: async () => {
      const left = (await vscode.extensionHosts()).filter((pid) => hosts.includes(pid));
      if (vscode.keepsHosts && Date.now() > deadline) for (const pid of left) endByForce(pid);
      return left.length === 0 ? true : undefined;
    },
  });
}

function endByForce(pid: number): void {
  process.stderr.write(`extension host ${pid} was still there after ${GOODBYE_MS} ms and was ended\n`);
  endProcess(pid);
}

function chatView(page: Page): Locator {
  return page.locator('iframe.webview[src*="extensionId=ledgerline.ledgerline"]').first();
}

/** The chat that is in view or about to be. */
export async function chatFrame(page: Page): Promise<Frame> {
  const message = chatView(page)
    .contentFrame()
    .locator('iframe#active-frame')
    .contentFrame()
    .getByRole('textbox', { name: /^(?:Message|Nachricht)$/u });
  await message.waitFor({ state: 'visible', timeout: START_MS });
  const frame = await (await message.elementHandle())?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error('the webview was closed while it opened');
  // Before that the host's first words would replace what is shown.
  await frame.locator('.log[aria-busy="false"]').waitFor({ timeout: START_MS });
  return frame;
}

/** The label may go on after the name: VS Code appends what a badge says. */
function activityIcon(page: Page): Locator {
  return page
    .locator('.activitybar [role="tab"]')
    .filter({ has: page.locator('a[aria-label*="Ledgerline"]') })
    .first();
}

/** What a person needs to understand a failure, as text. */
export async function evidence(options: {
  vscode?: VsCode | undefined;
  page?: Page | undefined;
}): Promise<string> {
  const shot =
    options.page === undefined || options.page.isClosed()
      ? 'no page is open'
      : `screenshot: ${await screenshot(options.page, `failure-${Date.now()}`)}`;
  return [shot, ...(options.vscode === undefined ? [] : [await options.vscode.logs()])].join('\n');
}

async function explained<T>(
  options: { what: string; page: Page; vscode: VsCode | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${options.what}\n${await evidence(options)}`, { cause: error });
  }
}
