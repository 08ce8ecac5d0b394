import type { Frame, Locator } from 'playwright-core';
import { lastTurn, turnIn } from './turns.ts';
import { until } from './until.ts';

export function button(within: Frame | Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

export type Card = 'Approval' | 'Question' | 'Unknown outcome';

export function cards(chat: Frame, name: Card = 'Approval'): Locator {
  return lastTurn(chat).getByRole('group', { name });
}

/** The calls that wait, once there are so many of them and nothing else is under way. */
export async function waitingCards(chat: Frame, count: number, name: Card = 'Approval'): Promise<Locator> {
  await turnIn(chat, 'waiting');
  await until({
    what: `${count} of ${name}`,
    probe: async () => ((await cards(chat, name).count()) === count ? true : undefined),
  });
  return cards(chat, name);
}
