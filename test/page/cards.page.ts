import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { button, cards, waitingCards } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { callRecord } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';

const view = chatPage();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace();
  chat = await view.open(
    { workspace: folder, settings: { 'ledgerline.provider': 'offline' } },
    { height: 420 },
  );
});

/** Clicks, and clicks once more as soon as another button has come to where the first one was. */
async function clickAndClickWhatComes(first: Locator): Promise<void> {
  const clicked = first.evaluate(
    (here) =>
      new Promise<void>((resolve) => {
        const follow = ({ clientX, clientY }: MouseEvent): void => {
          const next = here.ownerDocument.elementFromPoint(clientX, clientY)?.closest('button') ?? null;
          if (next === null || next === here || next.disabled)
            return void requestAnimationFrame(() => follow({ clientX, clientY } as MouseEvent));
          next.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }));
          resolve();
        };
        here.addEventListener('click', (event) => follow(event as MouseEvent), { once: true });
      }),
  );
  await first.click();
  await clicked;
}

describe('a double click', () => {
  test('on Approve does not approve the call that moves up under the pointer', async () => {
    await send(chat, 'all write one.txt: 1; write two.txt: 2');
    await waitingCards(chat, 2);
    // Without the lines of calls the second card comes exactly to where the first one was, also when its result is there.
    await chat.evaluate(() =>
      document.styleSheets[0]?.insertRule('.call > :not(.decision) { display: none !important; }'),
    );
    await clickAndClickWhatComes(button(cards(chat).first(), 'Approve'));
    await chat.evaluate(() => document.styleSheets[0]?.deleteRule(0));
    const left = await waitingCards(chat, 1);
    // The card goes with the decision, and the result comes after it.
    await expect
      .poll(() => callRecord(view, lastTurn(chat)))
      .toMatchObject({ decisions: ['resume by user'], results: ['ok'] });
    expect((await readdir(folder)).toSorted()).toEqual(['notes.txt', 'one.txt']);
    await button(left, 'Deny').click();
    await turnIn(chat, 'completed');
  });

  test('on Send does not stop what it sent', async () => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('slow');
    await clickAndClickWhatComes(chat.getByRole('button', { name: 'Send' }));
    await turnIn(chat, 'running');
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await view.page.keyboard.press('Escape');
    await turnIn(chat, 'interrupted');
  });
});

describe('an answer that is being typed while the turn runs', () => {
  test('stays in view when something comes below it, and Escape only leaves its field', async () => {
    await send(chat, 'all ask Which colour?; run while [ ! -e go ]; do sleep 0.1; done; seq 9; sleep 300');
    await waitingCards(chat, 1);
    await button(cards(chat), 'Approve').click();
    await turnIn(chat, 'running');
    const field = cards(chat, 'Question').getByRole('textbox', { name: 'Answer' });
    await field.fill('teal, I');
    const log = chat.getByRole('log', { name: 'Conversation' });
    const before = await log.evaluate((element) => element.scrollTop);
    await writeFile(path.join(folder, 'go'), '');
    await lastTurn(chat).locator('.progress', { hasText: '9' }).waitFor();
    await button(chat, 'New below').waitFor();
    expect(await log.evaluate((element) => element.scrollTop)).toBe(before);

    await view.page.keyboard.press('Escape');
    await expect.poll(() => isFocused(cards(chat, 'Question'))).toBe(true);
    expect(await field.inputValue()).toBe('teal, I');
    expect(await lastTurn(chat).getAttribute('data-state')).toBe('running');
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await view.page.keyboard.press('Escape');
    await turnIn(chat, 'interrupted');
  });
});

describe('who looks at another view and comes back', () => {
  test('finds the reason that was being typed, and the keyboard where it belongs', async () => {
    await send(chat, 'write never.txt: 1');
    await button(await waitingCards(chat, 1), 'Reason…').click();
    await cards(chat).getByRole('textbox', { name: 'Reason (optional)' }).fill('not in this');
    chat = await view.lookAway();
    const reason = (await waitingCards(chat, 1)).getByRole('textbox', { name: 'Reason (optional)' });
    expect(await reason.inputValue()).toBe('not in this');
    expect(await isFocused(reason)).toBe(false);
    await reason.press('Escape');
    chat = await view.lookAway();
    await button(await waitingCards(chat, 1), 'Reason…').waitFor();
    await button(cards(chat), 'Deny').click();
    await turnIn(chat, 'completed');
  });

  test('finds what a running command said so far', async () => {
    await send(chat, 'run seq 3; sleep 300');
    await button(await waitingCards(chat, 1), 'Approve').click();
    const said = lastTurn(chat).locator('.progress', { hasText: '1\n2\n3' });
    await said.waitFor();
    chat = await view.lookAway();
    await lastTurn(chat).locator('.progress', { hasText: '1\n2\n3' }).waitFor();
    await view.page.keyboard.press('Escape');
    await turnIn(chat, 'interrupted');
  });
});

describe('what is long', () => {
  test('is bounded: a prompt is folded, and of many cards the first is in view', async () => {
    const log = chat.getByRole('log', { name: 'Conversation' });
    const writes = Array.from({ length: 8 }, (_, index) => `write f${index}.txt: 1`).join(';\n');
    await send(chat, `all ${writes}`);
    await waitingCards(chat, 8);
    const turn = lastTurn(chat);
    await expect.poll(() => isInView(log, button(cards(chat).first(), 'Approve'))).toBe(true);
    expect(await isInView(log, button(cards(chat).last(), 'Approve'))).toBe(false);
    expect(await isFocused(chat.getByRole('textbox', { name: 'Message' }))).toBe(true);
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await button(turn, 'Deny all (8)').click();
    await turnIn(chat, 'completed');

    const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join('\n');
    await send(chat, lines);
    await turnIn(chat, 'completed');
    const prompt = lastTurn(chat).locator('.prompt');
    expect((await prompt.boundingBox())?.height).toBeLessThan(400);
    await button(prompt, 'Show all').click();
    await prompt.getByText('line 300').waitFor();
    await button(prompt, 'Show less').click();
    await prompt.getByText('line 300').waitFor({ state: 'detached' });
  });

  test('a command of many parts leaves the command and its buttons in view', async () => {
    const parts = Array.from({ length: 31 }, (_, index) => `echo ${index}`).join(' && ');
    await send(chat, `run ${parts}`);
    const card = await waitingCards(chat, 1);
    expect((await card.boundingBox())?.height).toBeLessThan(600);
    await button(card, 'Deny').click();
    await turnIn(chat, 'completed');
  });
});

test('evidence that is opened at the end comes into view', async () => {
  const log = chat.getByRole('log', { name: 'Conversation' });
  await send(chat, 'all read notes.txt; list; search first');
  const turn = await turnIn(chat, 'completed');
  await turn.locator('.evidence > .disclosure').click();
  await expect.poll(() => isInView(log, turn.locator('.evidence-details'))).toBe(true);
});

async function isInView(log: Locator, element: Locator): Promise<boolean> {
  const [outer, inner] = await Promise.all([log.boundingBox(), element.boundingBox()]);
  if (outer === null || inner === null) return false;
  return inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1;
}
