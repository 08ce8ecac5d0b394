import { readdir } from 'node:fs/promises';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  callRecord,
  cards,
  lastTurn,
  newWorkspace,
  send,
  turnIn,
  waitingCards,
} from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace();
  chat = await workbench.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
});

afterAll(workbench.close);

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
    // The second card so comes exactly to where the first one was.
    await lastTurn(chat)
      .locator('.call-head')
      .last()
      .evaluate((head) => Object.assign(head.style, { display: 'none' }));
    await clickAndClickWhatComes(button(cards(chat).first(), 'Approve'));
    const left = await waitingCards(chat, 1);
    expect(await callRecord(workbench.vscode, lastTurn(chat))).toMatchObject({
      decisions: ['resume by user'],
      results: ['ok'],
    });
    expect((await readdir(folder)).toSorted()).toEqual(['notes.txt', 'one.txt']);
    await button(left, 'Deny').click();
    await turnIn(chat, 'completed');
  });

  test('on Send does not stop what it sent', async () => {
    await chat.getByRole('textbox', { name: 'Message' }).fill('slow');
    await clickAndClickWhatComes(chat.getByRole('button', { name: 'Send' }));
    await turnIn(chat, 'running');
    expect(await button(chat, 'Stop').isEnabled()).toBe(true);
    await workbench.page.keyboard.press('Escape');
    await turnIn(chat, 'interrupted');
  });
});
