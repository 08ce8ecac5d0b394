import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { VsCode } from './harness/index.ts';
import type { Reply } from '../support/responses-server/reply.ts';

/** The one window in which all of the chat's looks are tried, one after the other. */
export interface Stage {
  readonly vscode: VsCode;
  readonly page: Page;
  readonly chat: Frame;
  /** What the provider answers next. */
  readonly replies: Reply[];
}

/** Nothing is cut off at the side: all that is wider than the view scrolls inside itself. */
export async function expectNoOverflow({ chat }: Stage): Promise<void> {
  const overflow = await chat.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** As if the host had said so. */
export async function tell({ chat }: Stage, messages: readonly HostMessage[]): Promise<void> {
  await chat.evaluate((all) => {
    for (const message of all) window.postMessage(message, '*');
  }, messages);
}
