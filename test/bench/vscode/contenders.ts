import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { projectPath } from '../../../src/dev/project.mjs';
import { COMMANDS_KEY, takeFromQuickInput } from '../../e2e/harness/quick-input.ts';
import { launchVsCode, type VsCode } from '../../e2e/harness/vscode.ts';
import type { SideBar } from './measured-window.ts';

export type Name = 'nothing' | 'control' | 'short' | 'long';

/** A VS Code with nothing, with the control, or with the product: in a new session or in a long one. */
export interface Contender {
  readonly name: Name;
  readonly vscode: VsCode;
  /** Its windows share it: it remembers the session that was open. */
  readonly profile: BrowserContext;
  readonly bar: SideBar | null;
  /** Before the first stream of a window. */
  prepare(page: Page): Promise<void>;
  /** Asks for an answer as a person does. */
  begin(frame: Frame): Promise<void>;
  /** The answer is settled: nothing more comes. */
  settled(frame: Frame): Promise<void>;
}

/** The list of running extensions is to lie over nothing else. */
const EDITORS = { 'workbench.editor.useModal': 'off' };

export const CONTROL: SideBar = {
  title: 'Bare stream',
  extension: 'bench.control',
  ready: (frame) => frame.getByRole('button', { name: 'Go' }),
};

export const LEDGERLINE: SideBar = {
  title: 'Ledgerline',
  extension: 'ledgerline.ledgerline',
  ready: (frame) => frame.getByRole('textbox', { name: 'Message' }),
};

/** The same, when the last answer of the session is on screen. */
export const LEDGERLINE_SESSION: SideBar = {
  ...LEDGERLINE,
  ready: (frame) => frame.getByRole('article').last(),
};

export async function contender(
  name: Name,
  { browser, url, folder }: { readonly browser: Browser; readonly url: string; readonly folder: string },
): Promise<Contender> {
  const profile = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const workspace = join(folder, name);
  await mkdir(workspace, { recursive: true });
  switch (name) {
    case 'nothing': {
      const vscode = await launchVsCode({ workspace, extension: null, settings: EDITORS });
      return { name, vscode, profile, bar: null, prepare: doNothing, begin: doNothing, settled: doNothing };
    }
    case 'control': {
      const extension = projectPath('test', 'bench', 'control');
      const env = { CONTROL_URL: url };
      return {
        name,
        profile,
        vscode: await launchVsCode({ workspace, extension, env, settings: EDITORS }),
        bar: CONTROL,
        prepare: doNothing,
        begin: (frame) => frame.getByRole('button', { name: 'Go' }).click(),
        settled: doNothing,
      };
    }
    case 'short':
    case 'long': {
      const settings = { ...EDITORS, 'ledgerline.baseUrl': url, 'ledgerline.transport': 'sse' };
      return {
        name,
        profile,
        vscode: await launchVsCode({ workspace, settings }),
        bar: name === 'long' ? LEDGERLINE_SESSION : LEDGERLINE,
        prepare: giveKey,
        begin: send,
        settled: (frame) => frame.locator('article[data-state="completed"]').last().waitFor(),
      };
    }
  }
}

async function doNothing(): Promise<void> {
  await Promise.resolve();
}

async function giveKey(page: Page): Promise<void> {
  const words = '>Ledgerline: Set API Key';
  await takeFromQuickInput(page, { key: COMMANDS_KEY, words, label: 'Set API Key' });
  const box = page.locator('.quick-input-widget input[type="password"]');
  await box.fill('sk-bench');
  await box.press('Enter');
  await box.waitFor({ state: 'hidden' });
}

async function send(frame: Frame): Promise<void> {
  await frame.getByRole('textbox', { name: 'Message' }).fill('Tell me about the log.');
  await frame.getByRole('button', { name: 'Send' }).click();
}
