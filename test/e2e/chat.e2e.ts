import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, HANG, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import {
  type Answer,
  responseEvents,
  unfinishedEvents,
} from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { lastTurn, loggedEvents, newWorkspace, send, setApiKey, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot, until } from './harness/index.ts';

const workbench = chatWindow();

const SKILL = '---\nname: review\ndescription: Looks for bugs in what you name.\n---\nRead it twice.\n';

async function distanceToEnd(log: Locator): Promise<number> {
  return log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
}

/** Sends the first pieces of an answer, and the rest when the promise resolves; without one, never. */
function inTwoParts(answer: Answer, pieces: number, until?: Promise<unknown>): Reply {
  const all = responseEvents(answer);
  const deltas = all.flatMap((event, index) => (event.type === 'response.output_text.delta' ? [index] : []));
  const cut = deltas[pieces] ?? all.length;
  const head = events(all.slice(0, cut));
  return until === undefined ? stream([head, HANG]) : stream([head, wait(until), events(all.slice(cut))]);
}

describe('with a provider', () => {
  let chat: Frame;
  let server: ResponsesServer;
  const replies: Reply[] = [];

  beforeAll(async () => {
    server = await startResponsesServer({
      handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
    });
    chat = await workbench.open({
      workspace: await newWorkspace({ '.agents/skills/review/SKILL.md': SKILL }),
      settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
    });
    await setApiKey(workbench.page, 'sk-test');
  });

  afterAll(async () => {
    await workbench.close();
    await server?.close();
  });

  test('text is shown while it streams in', async () => {
    let release: (() => void) | undefined;
    const rest = new Promise<void>((resolve) => {
      release = resolve;
    });
    replies.push(inTwoParts({ text: ['The first half, ', 'and the second.'] }, 1, rest));
    await send(chat, 'Say something in two parts.');
    const turn = await turnIn(chat, 'running');
    await turn.getByText('The first half,').waitFor();
    expect(await turn.textContent()).not.toContain('and the second.');
    release?.();
    const done = await turnIn(chat, 'completed');
    expect(await done.textContent()).toContain('The first half, and the second.');
  });

  test('a reader who scrolled up keeps the place, and is told of what is new below', async () => {
    let release: (() => void) | undefined;
    const rest = new Promise<void>((resolve) => {
      release = resolve;
    });
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    replies.push(inTwoParts({ text: [`${lines}\n`, `${lines}\nthe very end`] }, 1, rest));
    await send(chat, 'Say much.');
    await lastTurn(chat).getByText('line 199').waitFor();
    const log = chat.getByRole('log', { name: 'Conversation' });
    expect(await distanceToEnd(log)).toBeLessThan(2);
    await log.evaluate((element) => element.scrollTo({ top: 100 }));
    release?.();
    await turnIn(chat, 'completed');
    expect(await log.evaluate((element) => element.scrollTop)).toBe(100);
    const newBelow = chat.getByRole('button', { name: 'New below' });
    await newBelow.click();
    await expect.poll(() => distanceToEnd(log)).toBeLessThan(2);
    await newBelow.waitFor({ state: 'detached' });
  });

  test('a skill that a message begins with is listed, sent and on record', async () => {
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.fill('');
    await workbench.page.keyboard.type('/rev');
    const option = chat.getByRole('option').filter({ hasText: 'Looks for bugs in what you name.' });
    await option.waitFor();
    await screenshot(workbench.page, 'skill-list');
    await message.press('Enter');
    await expect.poll(() => message.inputValue()).toBe('/review ');
    await workbench.page.keyboard.type('notes.txt');
    replies.push(streamOf(responseEvents({ text: 'No bugs.' })));
    await message.press('Enter');
    await lastTurn(chat).getByText('No bugs.').waitFor();
    await turnIn(chat, 'completed');
    await chat.getByText('Skill review is active for this turn: you called it').waitFor();
    await screenshot(workbench.page, 'skill-activated');
    expect(server.requests.at(-1)?.raw).toContain('Read it twice.');
    const skills = (await loggedEvents(workbench.vscode)).filter(({ type }) => type === 'skill_activation');
    expect(skills).toHaveLength(1);
  });

  test('a tool runs and its result goes back to the model', async () => {
    replies.push(
      streamOf(
        responseEvents({
          reasoning: { summary: ['The notes should say it.'] },
          calls: [
            {
              call_id: 'call_1',
              name: 'read_file',
              args: { path: 'notes.txt', start_line: null, end_line: null },
            },
          ],
        }),
      ),
      streamOf(responseEvents({ text: 'The notes have two lines.' })),
    );
    await send(chat, 'What is in the notes?');
    const turn = await turnIn(chat, 'completed');
    expect(await turn.locator('.call-head', { hasText: 'notes.txt' }).textContent()).toMatch(/^Read.*ok$/);
    expect(server.requests.at(-1)?.raw).toContain('second line');
  });

  test('stopping keeps what was shown and says so', async () => {
    replies.push(inTwoParts({ text: ['This is never ', 'finished.'] }, 1));
    await send(chat, 'Talk for ever.');
    await lastTurn(chat).getByText('This is never').waitFor();
    await chat.getByRole('button', { name: 'Stop' }).click();
    const turn = await turnIn(chat, 'interrupted');
    await turn.getByText('Response interrupted').waitFor();
    expect(await turn.textContent()).toContain('This is never');
    expect(await server.requests.at(-1)?.closed).toBe('client_closed');
  });

  test('a new message supersedes the answer that is running', async () => {
    replies.push(
      inTwoParts({ text: ['Going on and on', '.'] }, 1),
      streamOf(responseEvents({ text: 'As you wish.' })),
    );
    await send(chat, 'Go on.');
    await lastTurn(chat).getByText('Going on and on').waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill('Now stop that.');
    await chat.getByText('Interrupts the running answer').waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
    expect(await (await turnIn(chat, 'completed')).textContent()).toContain('As you wish.');
    await chat.locator('[data-state="interrupted"]', { hasText: 'Going on and on' }).waitFor();
  });

  test('a failure says why and what to do, and a double click does it once', async () => {
    replies.push(stream([events(unfinishedEvents({ text: 'Cut off' }))]));
    await send(chat, 'Break off.');
    const turn = await turnIn(chat, 'partial_failed');
    await turn.getByText('Stopped early: partial answer').waitFor();
    replies.push(streamOf(responseEvents({ text: 'Whole this time.' })));
    const before = server.requests.length;
    await turn.getByRole('button', { name: 'Try again' }).evaluate((node) => {
      // At once: the answer to the first click may take the button away before a slow second one.
      for (const detail of [1, 2]) node.dispatchEvent(new MouseEvent('click', { detail, bubbles: true }));
    });
    expect(await (await turnIn(chat, 'completed')).textContent()).toContain('Whole this time.');
    const asked = (await loggedEvents(workbench.vscode)).filter(
      ({ type, data }) => type === 'user_message' && data['text'] === 'Break off.',
    );
    expect({ asked: asked.length, requests: server.requests.length - before }).toEqual({
      asked: 2,
      requests: 1,
    });
  });

  test('after a reload in the middle of an answer the transcript is back and honest', async () => {
    replies.push(inTwoParts({ text: ['Before the reload ', 'and after.'] }, 1));
    await send(chat, 'Survive this.');
    await lastTurn(chat).getByText('Before the reload').waitFor();
    chat = await workbench.reload();
    const turn = lastTurn(chat).filter({ hasText: 'Survive this.' });
    await turn.waitFor();
    const state = await until({
      what: 'a turn that runs or was interrupted',
      probe: async () => (await turn.getAttribute('data-state')) ?? undefined,
    });
    expect(['running', 'interrupted']).toContain(state);
  });

  test('the page asks for nothing that its policy refuses', () => {
    expect(workbench.violations).toEqual([]);
  });
});
