import { writeFile } from 'node:fs/promises';
import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import { webviewPage, webviewPageFile, type WebviewPage } from '../page/bridge/themes.ts';

/** With LEDGERLINE_TAKE_THEMES, what VS Code shows is kept for the pages that are tried without a workbench. */
export async function keepIfAsked(file: string, content: object): Promise<void> {
  if (process.env['LEDGERLINE_TAKE_THEMES'] === undefined) return;
  await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Pages are tried with the style, the role and the sandbox that VS Code gives them: those of this one are the same. */
export async function expectKeptPage(chat: Frame, version: 'current' | 'oldest'): Promise<WebviewPage> {
  const frame = await chat.frameElement();
  const { style, role } = await chat.evaluate(() => ({
    style: document.querySelector('#_defaultStyles')?.textContent ?? '',
    role: document.body.getAttribute('role') ?? '',
  }));
  const page = {
    sandbox: (await frame.getAttribute('sandbox')) ?? '',
    role,
    style: style.trim().split('\n'),
  };
  await keepIfAsked(webviewPageFile(version), page);
  expect(webviewPage(version)).toEqual(page);
  return page;
}
