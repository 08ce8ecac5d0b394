import type { Frame, Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { button, waitingCards } from '../support/browser/cards.ts';
import { lastTurn, send, turnIn, turns } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { events, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import { type ResponseEvent, responseEvents } from '../support/responses-server/response-events.ts';
import { chatPage } from './chat-page.ts';
import { readCall } from './scenes/appearance-scenes.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';

const LINES = Array.from({ length: 8 }, (_, index) => `Line ${index + 1} of what the model has to say.\n\n`);

const model = scriptedServer();
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open(
    { workspace: await newWorkspace(), settings: model.settings, apiKey: 'sk-test' },
    { height: 420 },
  );
  // More than fits into the view.
  model.replies.push(streamOf(responseEvents({ text: LINES.join('') })));
  await send(chat, 'Say much.');
  await turnIn(chat, 'completed');
});

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
  return async () => {
    // It is the same element to the end: one that was replaced is looked at no more.
    const { length } = await watched();
    await expect.poll(async () => (await watched()).length).toBeGreaterThan(length);
    return watched();
  };
}

function watched(): Promise<readonly number[]> {
  return chat.evaluate(() => (globalThis as unknown as { tops: number[] }).tops);
}

function furthestDown(tops: readonly number[]): number {
  return Math.max(...tops.slice(1).map((top, index) => top - (tops[index] ?? top)));
}

test('a card that is settled, output that comes and output that is folded away push nothing down', async () => {
  const args = { command: 'seq 8', timeout_s: null };
  model.replies.push(
    streamOf(responseEvents({ calls: [{ call_id: 'c1', name: 'run_command', args }] })),
    streamOf(responseEvents({ text: 'These are eight.' })),
  );
  await send(chat, 'Count to eight.');
  const card = await waitingCards(chat, 1);
  const seen = await watch(lastTurn(chat).locator('.call-head'));
  await button(card, 'Approve').click();
  await turnIn(chat, 'completed');
  const tops = await seen();
  expect(tops.length).toBeGreaterThan(1);
  expect(furthestDown(tops)).toBeLessThan(2);
});

test('a line that is opened while an answer comes in stays where it is', async () => {
  model.replies.push(
    streamOf(responseEvents({ calls: [readCall('c2', 'notes.txt')] })),
    streamOf(responseEvents({ text: 'Two lines.' })),
  );
  await send(chat, 'Read the notes.');
  await turnIn(chat, 'completed');
  const call = await turns(chat).last().getAttribute('data-turn-id');
  const pieces = LINES.map(() => Promise.withResolvers<void>());
  model.replies.push(slowly(pieces.map(({ promise }) => promise)));
  await send(chat, 'Say it line by line.');
  const answer = lastTurn(chat).locator('.answer');
  pieces[0]?.resolve();
  await answer.getByText('Line 1 of').waitFor();
  await chat.locator(`[data-turn-id="${call}"] .call-toggle`).first().click();
  const seen = await watch(chat.locator(`[data-turn-id="${call}"] .call-head`).first());
  for (const [index, piece] of pieces.entries()) {
    piece.resolve();
    await answer.getByText(`Line ${index + 1} of`).waitFor();
    // Each is looked at where it was drawn.
    await chat.evaluate(() => new Promise(requestAnimationFrame));
  }
  await turnIn(chat, 'completed');
  const tops = await seen();
  expect(tops.length).toBeGreaterThan(LINES.length);
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(2);
});

test('a reader who moves up in the very moment in which something comes is not pulled back', async () => {
  const up = await chat.evaluate(async () => {
    const log = document.querySelector<HTMLElement>('[role="log"]');
    if (log === null) throw new Error('no log');
    log.scrollTop = log.scrollHeight;
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    const end = log.scrollTop;
    // The browser tells of the move in the next frame; the notice is drawn before that.
    log.scrollTop = end - 120;
    const data = { v: 1, type: 'notice', level: 'info', message: 'Meanwhile', next_actions: [] };
    window.dispatchEvent(new MessageEvent('message', { data }));
    while (document.querySelector('.notices')?.textContent?.includes('Meanwhile') !== true)
      await new Promise(requestAnimationFrame);
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    return end - log.scrollTop;
  });
  expect(up).toBe(120);
});

test('a line that grows a little in what is being read is no news below', async () => {
  const newBelow = button(chat, 'New below');
  const grow = (px: number): Promise<void> =>
    chat.evaluate(async (more) => {
      const turn = document.querySelector<HTMLElement>('[role="log"] article');
      if (turn === null) throw new Error('no turn');
      turn.style.paddingBottom = `${more}px`;
      const data = { v: 1, type: 'notice', level: 'info', message: `Grown by ${more}`, next_actions: [] };
      window.dispatchEvent(new MessageEvent('message', { data }));
      while (document.querySelector('.notices')?.textContent?.includes(`Grown by ${more}`) !== true)
        await new Promise(requestAnimationFrame);
    }, px);
  await chat.evaluate(async () => {
    const log = document.querySelector('[role="log"]');
    log?.scrollTo(0, log.scrollHeight - log.clientHeight - 200);
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  });
  expect(await newBelow.count()).toBe(0);
  await grow(12);
  expect(await newBelow.count()).toBe(0);
  await grow(60);
  await newBelow.waitFor();
});

/** An answer in as many pieces, each of which is sent when it is let go. */
function slowly(released: readonly Promise<void>[]): Reply {
  const all = responseEvents({ text: LINES });
  const first = all.findIndex(isPiece);
  const pieces = all.filter(isPiece);
  return stream([
    events(all.slice(0, first)),
    ...pieces.flatMap((piece, index) => [wait(released[index] ?? Promise.resolve()), events([piece])]),
    events(all.slice(first + pieces.length)),
  ]);
}

function isPiece({ type }: ResponseEvent): boolean {
  return type === 'response.output_text.delta';
}
