import type { Frame } from 'playwright-core';

/** Where a reader is in the conversation. */
export interface ScrollPlace {
  readonly seq: number;
  readonly offset: number;
}

/** The line of the conversation at the top edge, and how far below that edge it begins. */
export async function lineAtTop(chat: Frame): Promise<ScrollPlace | null> {
  return chat.evaluate(() => {
    const top = document.querySelector('.log')?.getBoundingClientRect().top ?? 0;
    const lines = [...document.querySelectorAll<HTMLElement>('.turn > [data-seq]')];
    const line = lines.find((one) => one.getBoundingClientRect().bottom > top + 1);
    if (line === undefined) return null;
    return {
      seq: Number(line.dataset['seq']),
      offset: Math.round(line.getBoundingClientRect().top - top),
    };
  });
}
