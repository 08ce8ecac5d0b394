import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiError, events, HANG, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { waitingCards } from '../support/browser/cards.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { COLOR_THEMES } from '../support/browser/color-themes.ts';
import { chatPage } from './chat-page.ts';
import { lowContrast } from './scenes/contrast.ts';
import { layoutShape, shapeFaults, type Shape } from './scenes/layout-shape.ts';
import { ANSWER, HELD, LOGIN, LOST_COMMAND, MARKDOWN, readCall, SCENES } from './scenes/appearance-scenes.ts';
import { EDIT_SCENES } from './scenes/edit-scenes.ts';
import { tell } from './scenes/stage.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';

const WIDTHS = [900, 300];
const HEIGHT = 560;

const model = scriptedServer();
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace({ [LOGIN.path]: LOGIN.content }),
    settings: model.settings,
  });
});

/** The model says and asks for what the scene has; its last calls wait for a decision. */
async function play(name: keyof typeof SCENES, asked: 'Approval' | 'Question'): Promise<Locator> {
  const { prompt, text, calls } = SCENES[name];
  model.replies.push(streamOf(responseEvents({ ...(text === '' ? {} : { text }), calls })));
  await send(chat, prompt);
  return waitingCards(chat, calls.length, asked);
}

/** Nothing is cut off or out of reach, as far as these are its faults. */
async function expectFits(faults: (shape: Shape) => readonly string[] = shapeFaults): Promise<void> {
  for (const theme of COLOR_THEMES) {
    await view.setTheme(theme);
    expect(faults(await layoutShape(chat)), theme).toEqual([]);
  }
}

describe('a conversation', () => {
  test('without a key it offers the key and the offline model alike', async () => {
    await chat.getByRole('button', { name: 'Set API key' }).waitFor();
    await chat.getByRole('button', { name: 'Use offline model' }).waitFor();
    await expectFits();
  });

  test('with a key it says what it is', async () => {
    await view.window.setApiKey('sk-test');
    await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
    await expectFits();
  });

  test('answers, tool calls and failures fit', async () => {
    model.replies.push(
      streamOf(
        responseEvents({
          reasoning: { summary: ['The test fails only on CI. The clock is the likely cause.'] },
          calls: [
            readCall('call_1', 'notes.txt'),
            readCall('call_2', 'src/authentication/session/login-client.ts'),
          ],
        }),
      ),
      streamOf(responseEvents({ text: ANSWER })),
    );
    await send(chat, 'Why does login.test.ts fail on CI?');
    await turnIn(chat, 'completed');
    await expectFits();
    model.replies.push(apiError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }));
    await send(chat, 'And this?');
    await turnIn(chat, 'failed');
    model.replies.push(stream([events(unfinishedEvents({ text: 'This answer breaks off in the mid' }))]));
    await send(chat, 'And that?');
    await turnIn(chat, 'partial_failed');
    await expectFits();
  });

  test('a running answer says what it does and can be stopped', async () => {
    const cut = unfinishedEvents({ text: ['Looking at the client first: ', 'never sent'] });
    const second = cut.findLastIndex((event) => event.type === 'response.output_text.delta');
    model.replies.push(stream([events(cut.slice(0, second)), HANG]));
    await send(chat, 'Look at the client.');
    await lastTurn(chat).getByText('Looking at the client first').waitFor();
    await chat.getByRole('textbox', { name: 'Message' }).fill('Look at the server instead.');
    await expectFits();
    await chat.getByRole('button', { name: 'Stop' }).click();
    await turnIn(chat, 'interrupted');
    await expectFits();
  });

  test('a call that waits asks for one decision, and a denied one is settled calmly', async () => {
    const edit = await play('edit', 'Approval');
    await expectFits();
    await edit.getByRole('button', { name: 'Reason…' }).click();
    await edit.getByRole('textbox', { name: 'Reason (optional)' }).fill('The clock is right as it is.');
    await expectFits();
    model.replies.push(streamOf(responseEvents({ text: 'Then I leave it. The test stays flaky.' })));
    await edit.getByRole('button', { name: 'Deny', exact: true }).click();
    await turnIn(chat, 'completed');
    await expectFits();
    const command = await play('command', 'Approval');
    expect(await command.locator('.parts li').count()).toBeGreaterThan(1);
    expect(await command.locator('.always code').count()).toBeGreaterThan(1);
    await expectFits();
  });

  test('a question has its choices', async () => {
    const question = await play('question', 'Question');
    await question.getByRole('button', { name: 'UTC' }).waitFor();
    await expectFits();
  });

  test('a question about several things is a form, whose words stay when one looks away', async () => {
    const form = await play('form', 'Question');
    const answer = form.getByRole('button', { name: 'Answer' });
    const platforms = form.getByRole('group', { name: 'Platforms (≥ 1)' });
    await platforms.getByLabel('Windows').check();
    await form.getByLabel('Retries of a failed upload').fill('9');
    expect(await answer.isDisabled()).toBe(true);
    await form.getByLabel('Retries of a failed upload').fill('3');
    await platforms.getByLabel('Linux').check();
    await expectFits();
    chat = await view.lookAway();
    const again = await waitingCards(chat, 1, 'Question');
    model.replies.push(streamOf(responseEvents({ text: 'Then I begin.' })));
    await again.getByRole('button', { name: 'Answer' }).click();
    await turnIn(chat, 'completed');
    expect(model.requests.at(-1)?.raw).toContain(
      JSON.stringify('{"channel":"next","platforms":["Linux","Windows"],"retries":3}'),
    );
  });

  test('several calls can be decided together', async () => {
    await play('several', 'Approval');
    await chat.getByRole('button', { name: 'Approve all (3)' }).waitFor();
    await expectFits();
  });

  test('an unknown outcome names what still runs, and a held session says so', async () => {
    await tell({ chat }, LOST_COMMAND);
    const card = await waitingCards(chat, 1, 'Unknown outcome');
    await card.getByRole('button', { name: 'End it' }).waitFor();
    await expectFits();
    await card.getByRole('button', { name: 'Skip' }).click();
    // The host knows no such call, and says that nothing happened.
    await chat.locator('.notice', { hasText: 'Nothing waits for a decision' }).waitFor();
    await tell({ chat }, HELD);
    await chat.getByRole('note', { name: 'Read-only' }).waitFor();
    await expectFits();
  });
});

/** The lines of files are as dense as those of a tree. */
function faultsOfLines(shape: Shape): readonly string[] {
  return shapeFaults({ ...shape, targets: [] });
}

describe('what a turn did', () => {
  test('fits, closed and open', async () => {
    await tell({ chat }, EDIT_SCENES.completed);
    await chat.getByText('2 files changed, 2 commands (1 failed), 12.4k tokens, 91 % cached').waitFor();
    await expectFits(faultsOfLines);
    await chat.locator('.evidence > .disclosure').click();
    await chat.locator('.evidence-details').waitFor();
    await expectFits(faultsOfLines);
  });

  test('fits where it was undone, and where the turn failed', async () => {
    await tell({ chat }, EDIT_SCENES.undone);
    await chat.getByText('2 files changed (1 undone)').waitFor();
    await expectFits(faultsOfLines);
    await tell({ chat }, EDIT_SCENES.failed);
    await chat.getByText('Failed:').waitFor();
    await expectFits(faultsOfLines);
  });

  test('fits with a plan and a running command', async () => {
    await tell({ chat }, EDIT_SCENES.planRunning);
    await chat.getByText('Plan: 1 of 3 done').waitFor();
    await chat.getByText('expires after a minute').waitFor();
    await expectFits(faultsOfLines);
    await tell({ chat }, EDIT_SCENES.planDone);
    await chat.getByText('Plan: 3 of 3 done').waitFor();
    await expectFits(faultsOfLines);
  });
});

/** Tables and code scroll inside themselves: nothing else is wider than the view. */
async function widerThanView(turn: Locator): Promise<readonly string[]> {
  return turn.evaluate((root) => {
    const { right } = root.getBoundingClientRect();
    return [...root.querySelectorAll('p, li, h3, h4, blockquote, .table, .code-block, .code-head')]
      .filter((element) => element.getBoundingClientRect().right > right + 1)
      .map((element) => `${element.localName} ${element.className}`);
  });
}

test('Markdown is calm and legible, in every theme and width', async () => {
  await view.window.vscode.run('ledgerline.newSession');
  await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
  for (const [index, text] of MARKDOWN.entries()) {
    // The API takes no id twice.
    const reasoning = { id: `rs_${index}`, summary: ['**Looking** at `clock.ts`.'] };
    model.replies.push(streamOf(responseEvents({ text, reasoning })));
    await send(chat, `Explain, part ${index + 1}.`);
    const turn = await turnIn(chat, 'completed');
    await turn.locator('.thought summary').click();
    const code = turn.getByRole('group', { name: /^Code/ });
    for (const width of WIDTHS) {
      await view.page.setViewportSize({ width, height: HEIGHT });
      await expect.poll(() => chat.evaluate(() => window.innerWidth)).toBe(width);
      // Its buttons come with the pointer.
      if ((await code.count()) > 0) await code.first().hover();
      for (const colorTheme of COLOR_THEMES) {
        await view.setTheme(colorTheme);
        const [wide, faint] = [await widerThanView(turn), await lowContrast(turn)];
        expect({ colorTheme, width, wide, faint }).toEqual({ colorTheme, width, wide: [], faint: [] });
      }
    }
  }
});
