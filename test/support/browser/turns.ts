import type { Frame, Locator } from 'playwright-core';
import { until } from './until.ts';

/** Turns, by the names that people and screen readers know. */

/** Sends, and waits for the turn: the one before may be in the state that is waited for next. */
export async function send(chat: Frame, text: string): Promise<void> {
  const before = await turns(chat).count();
  await write(chat, text);
  await chat.getByRole('button', { name: 'Send' }).click();
  await turns(chat).nth(before).waitFor();
  await pointAway(chat);
}

/**
 * What an earlier step opened takes the keyboard when it is drawn, which is after its tab is there: words that go
 * astray then are written again.
 */
async function write(chat: Frame, text: string): Promise<void> {
  const field = chat.getByRole('textbox', { name: 'Message' });
  await until({
    what: `the composer to have ${JSON.stringify(text.slice(0, 80))}`,
    probe: async () => {
      await field.fill(text);
      return (await field.inputValue()) === text ? true : undefined;
    },
  });
}

/** A hand that moves on: what comes under a pointer that rests takes no click for a moment. */
export async function pointAway(chat: Frame): Promise<void> {
  await chat.getByRole('log', { name: 'Conversation' }).hover({ position: { x: 4, y: 4 } });
}

export function turns(chat: Frame): Locator {
  return chat.getByRole('log', { name: 'Conversation' }).getByRole('article');
}

export function lastTurn(chat: Frame): Locator {
  return turns(chat).last();
}

/** The last turn, once it is in that state. */
export async function turnIn(chat: Frame, state: string): Promise<Locator> {
  const turn = turns(chat)
    .last()
    .and(chat.locator(`[data-state="${state}"]`));
  await turn.waitFor();
  return turn;
}
