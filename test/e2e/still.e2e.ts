import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { button, lastTurn, newWorkspace, send, turnIn, turns, waitingCards } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { until } from './harness/index.ts';

const workbench = chatWindow();
let chat: Frame;

beforeAll(async () => {
  chat = await workbench.open(
    { workspace: await newWorkspace(), settings: { 'ledgerline.provider': 'offline' } },
    { width: 1000, height: 560 },
  );
  // More than fits into the view.
  for (const text of ['help', 'read notes.txt']) {
    await send(chat, text);
    await turnIn(chat, 'completed');
  }
});

afterAll(workbench.close);

/** Where an element is in each frame, from now on. */
async function watch(element: Locator): Promise<() => Promise<readonly number[]>> {
  await element.evaluate((node) => {
    const tops: number[] = [];
    Object.assign(globalThis, { tops });
    const look = (): void => {
      if (!node.isConnected) return;
      tops.push(node.getBoundingClientRect().top);
      requestAnimationFrame(look);
    };
    look();
  });
  return () => chat.evaluate(() => (globalThis as unknown as { tops: number[] }).tops);
}

function furthestDown(tops: readonly number[]): number {
  return Math.max(...tops.slice(1).map((top, index) => top - (tops[index] ?? top)));
}

test('a card that is settled, output that comes and output that is folded away push nothing down', async () => {
  await send(chat, 'run seq 8');
  const card = await waitingCards(chat, 1);
  const seen = await watch(lastTurn(chat).locator('.call-head'));
  await button(card, 'Approve').click();
  await turnIn(chat, 'completed');
  expect(furthestDown(await seen())).toBeLessThan(2);
});

test('a line that is opened while an answer comes in stays where it is', async () => {
  await send(chat, 'read notes.txt');
  await turnIn(chat, 'completed');
  const call = await turns(chat).last().getAttribute('data-turn-id');
  await send(chat, 'slow');
  await turnIn(chat, 'running');
  const opened = chat.locator(`[data-turn-id="${call}"] .call-toggle`).first();
  await opened.click();
  const seen = await watch(chat.locator(`[data-turn-id="${call}"] .call-head`).first());
  const answer = lastTurn(chat).locator('.answer');
  const before = ((await answer.textContent()) ?? '').length;
  await until({
    what: 'a good deal more of the answer',
    probe: async () => (((await answer.textContent()) ?? '').length > before + 200 ? true : undefined),
  });
  const tops = await seen();
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(2);
  await button(chat, 'Stop').click();
  await turnIn(chat, 'interrupted');
});
