import type { CDPSession, Frame, Page } from 'playwright-core';

/** What the page of a view saw of one answer. */
export interface Seen {
  /** When the first and the last word were in the document (milliseconds since 1970); 0 while they are not. */
  readonly first_at: number;
  readonly last_at: number;
  readonly messages: number;
  readonly bytes: number;
}

declare global {
  interface Window {
    benchSeen?: Seen;
  }
}

/** Looks at what changes and no further, so that watching costs both sides little and the same. */
export async function watchFor(
  frame: Frame,
  words: { readonly first: string; readonly last: string },
): Promise<void> {
  await frame.evaluate(({ first, last }) => {
    const seen = { first_at: 0, last_at: 0, messages: 0, bytes: 0 };
    window.benchSeen = seen;
    const look = (text: string): void => {
      if (seen.first_at === 0 && text.includes(first)) seen.first_at = Date.now();
      if (seen.last_at === 0 && text.includes(last)) seen.last_at = Date.now();
    };
    const near = last.length + 40;
    new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records) {
        if (type === 'characterData') {
          const text = target.nodeValue ?? '';
          look(seen.first_at === 0 ? text : text.slice(-near));
        }
        for (const node of addedNodes) look(node.textContent ?? '');
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    window.addEventListener('message', ({ data }) => {
      seen.messages += 1;
      seen.bytes += JSON.stringify(data).length;
    });
  }, words);
}

export async function seenIn(frame: Frame): Promise<Seen> {
  const seen = await frame.evaluate(() => window.benchSeen);
  if (seen === undefined) throw new Error('the frame was not watched');
  return seen;
}

export interface Busy {
  readonly task: number;
  readonly script: number;
  readonly layout: number;
}

/** The main thread that the view runs on, which in a browser it shares with the workbench. */
export class RendererClock {
  private constructor(private readonly session: CDPSession) {}

  static async of(page: Page): Promise<RendererClock> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return new RendererClock(session);
  }

  /** Busy milliseconds so far. */
  async read(): Promise<Busy> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    const of = (name: string): number => (metrics.find((one) => one.name === name)?.value ?? 0) * 1000;
    return {
      task: of('TaskDuration'),
      script: of('ScriptDuration'),
      layout: of('LayoutDuration') + of('RecalcStyleDuration'),
    };
  }
}
