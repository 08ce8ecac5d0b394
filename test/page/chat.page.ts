import type { Frame, Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { button } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { message } from '../support/browser/composer-driver.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { events, HANG, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import {
  type Answer,
  responseEvents,
  unfinishedEvents,
} from '../support/responses-server/response-events.ts';
import { chatPage } from './chat-page.ts';

const server = scriptedServer();
const view = chatPage();
let chat: Frame;

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

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace({ '.agents/skills/review/SKILL.md': SKILL }),
    settings: server.settings,
    apiKey: 'sk-test',
  });
});

test('text is shown while it streams in', async () => {
  const { promise: rest, resolve: release } = Promise.withResolvers<void>();
  server.replies.push(inTwoParts({ text: ['The first half, ', 'and the second.'] }, 1, rest));
  await send(chat, 'Say something in two parts.');
  const turn = await turnIn(chat, 'running');
  await turn.getByText('The first half,').waitFor();
  expect(await turn.textContent()).not.toContain('and the second.');
  release();
  const done = await turnIn(chat, 'completed');
  expect(await done.textContent()).toContain('The first half, and the second.');
});

test('a reader who scrolled up keeps the place, and is told of what is new below', async () => {
  const { promise: rest, resolve: release } = Promise.withResolvers<void>();
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
  server.replies.push(inTwoParts({ text: [`${lines}\n`, `${lines}\nthe very end`] }, 1, rest));
  await send(chat, 'Say much.');
  await lastTurn(chat).getByText('line 199').waitFor();
  const log = chat.getByRole('log', { name: 'Conversation' });
  await expect.poll(() => distanceToEnd(log)).toBeLessThan(2);
  // The page has heard of it when whoever listened later has.
  await log.evaluate(async (element) => {
    const heard = new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }));
    element.scrollTo({ top: 100 });
    await heard;
  });
  release();
  await turnIn(chat, 'completed');
  expect(await log.evaluate((element) => element.scrollTop)).toBe(100);
  const newBelow = button(chat, 'New below');
  await newBelow.click();
  await expect.poll(() => distanceToEnd(log)).toBeLessThan(2);
  await newBelow.waitFor({ state: 'detached' });
});

test('a skill that a message begins with is listed, sent and on record', async () => {
  await message(chat).click();
  await view.page.keyboard.type('/rev');
  const option = chat.getByRole('option').filter({ hasText: 'Looks for bugs in what you name.' });
  await option.waitFor();
  await message(chat).press('Enter');
  await expect.poll(() => message(chat).inputValue()).toBe('/review ');
  await view.page.keyboard.type('notes.txt');
  server.says({ text: 'No bugs.' });
  await message(chat).press('Enter');
  await lastTurn(chat).getByText('No bugs.').waitFor();
  await turnIn(chat, 'completed');
  await chat.getByText('Skill review is active for this turn: you called it').waitFor();
  expect(server.lastRequest()).toContain('Read it twice.');
  const skills = (await loggedEvents(view)).filter(({ type }) => type === 'skill_activation');
  expect(skills).toHaveLength(1);
});

test('a tool runs and its result goes back to the model', async () => {
  server.replies.push(
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
  await turnIn(chat, 'completed');
  expect(server.lastRequest()).toContain('second line');
});

test('a tool call is one line that opens in place', async () => {
  const line = lastTurn(chat).locator('.call-head', { hasText: 'notes.txt' });
  expect(await line.textContent()).toMatch(/^Read.*ok$/);
  const output = lastTurn(chat).getByText('second line');
  expect(await output.count()).toBe(0);
  // The button of the line lies over all of it, and takes the click.
  await line.locator('.outcome').click({ force: true });
  await output.first().waitFor();
});

test('stopping keeps what was shown and says so', async () => {
  server.replies.push(inTwoParts({ text: ['This is never ', 'finished.'] }, 1));
  await send(chat, 'Talk for ever.');
  await lastTurn(chat).getByText('This is never').waitFor();
  await button(chat, 'Stop').click();
  const turn = await turnIn(chat, 'interrupted');
  await turn.getByText('Response interrupted').waitFor();
  expect(await turn.textContent()).toContain('This is never');
  expect(await server.requests.at(-1)?.closed).toBe('client_closed');
});

test('a new message supersedes the answer that is running', async () => {
  server.replies.push(
    inTwoParts({ text: ['Going on and on', '.'] }, 1),
    streamOf(responseEvents({ text: 'As you wish.' })),
  );
  await send(chat, 'Go on.');
  await lastTurn(chat).getByText('Going on and on').waitFor();
  await message(chat).fill('Now stop that.');
  await chat.getByText('Interrupts the running answer').waitFor();
  await message(chat).press('Enter');
  expect(await (await turnIn(chat, 'completed')).textContent()).toContain('As you wish.');
  await chat.locator('[data-state="interrupted"]', { hasText: 'Going on and on' }).waitFor();
});

test('a failure says why and what to do, and a double click does it once', async () => {
  server.replies.push(stream([events(unfinishedEvents({ text: 'Cut off' }))]));
  await send(chat, 'Break off.');
  const turn = await turnIn(chat, 'partial_failed');
  await turn.getByText('Stopped early: partial answer').waitFor();
  server.says({ text: 'Whole this time.' });
  const before = server.requests.length;
  await button(turn, 'Try again').evaluate((node) => {
    // At once: the answer to the first click may take the button away before a slow second one.
    for (const detail of [1, 2]) node.dispatchEvent(new MouseEvent('click', { detail, bubbles: true }));
  });
  expect(await (await turnIn(chat, 'completed')).textContent()).toContain('Whole this time.');
  const asked = (await loggedEvents(view)).filter(
    ({ type, data }) => type === 'user_message' && data['text'] === 'Break off.',
  );
  expect({ asked: asked.length, requests: server.requests.length - before }).toEqual({
    asked: 2,
    requests: 1,
  });
});

test('the page asks for nothing that its policy refuses', () => {
  expect(view.violations).toEqual([]);
});
