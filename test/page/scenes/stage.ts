import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import type { HostMessage } from '../../../src/presenter/protocol.ts';

/** A chat whose looks are tried, one after the other. */
export interface Stage {
  readonly chat: Frame;
}

/** Nothing is cut off at the side: all that is wider than the view scrolls inside itself. */
export async function expectNoOverflow({ chat }: Stage): Promise<void> {
  const overflow = await chat.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}

/** As if the host had said so; all of it is drawn then. */
export async function tell({ chat }: Stage, messages: readonly HostMessage[]): Promise<void> {
  await chat.evaluate(
    (all) =>
      new Promise<void>((resolve) => {
        for (const message of all) window.postMessage(message, '*');
        // Messages are handed out in order: when this one is, the others have been, and the frame after it draws them.
        const hear = ({ data }: MessageEvent): void => {
          if (data !== 'told') return;
          window.removeEventListener('message', hear);
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        };
        window.addEventListener('message', hear);
        window.postMessage('told', '*');
      }),
    messages,
  );
}
