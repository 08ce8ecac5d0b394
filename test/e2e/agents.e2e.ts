import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { button, isFocused, newWorkspace, runCommand, send, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openDiagnostics, row } from './diagnostics-driver.ts';
import { inEachTheme, screenshot, until } from './harness/index.ts';
import { expectRows, showSessions } from './sessions-driver.ts';

/** Children and workflows as people meet them: the offline model, the real loop, the real window. */

const workbench = chatWindow();
let chat: Frame;
let folder: string;

beforeAll(async () => {
  folder = await newWorkspace({
    'other.txt': 'third line\n',
    '.ledgerline/workflows/look.json': JSON.stringify({
      name: 'Look around',
      description: 'Reads a file and lists the rest.',
      parameters: { file: { type: 'string', description: 'Which file', default: 'notes.txt' } },
      steps: [
        { id: 'read', task: 'read ${file}', agent: 'explorer' },
        { id: 'list', task: 'list', agent: 'explorer', depends_on: ['read'] },
      ],
    }),
  });
  chat = await workbench.open({ workspace: folder, settings: { 'ledgerline.provider': 'offline' } });
});

afterAll(workbench.close);

function agentCard(task: string): Locator {
  return chat.getByRole('group', { name: new RegExp(`^Agent .*${task}`, 'u') });
}

function workflowCard(name: string): Locator {
  return chat.getByRole('group', { name: `Workflow ${name}` });
}

async function inState(card: Locator, state: string): Promise<void> {
  await card
    .and(chat.locator(`[data-state="${state}"]`))
    .first()
    .waitFor();
}

/** The page of a child's transcript. */
async function transcript(): Promise<Frame> {
  return until({
    what: 'the transcript of the child',
    timeoutMs: 60_000,
    probe: async () => {
      for (const frame of workbench.page.frames()) {
        if (frame === chat) continue;
        const found = await frame
          .getByRole('log', { name: 'Conversation' })
          .count()
          .catch(() => 0);
        if (found > 0) return frame;
      }
      return undefined;
    },
  });
}

describe('children', () => {
  test('have a card each, with their state and what they said, and the turn is completed after them', async () => {
    await send(chat, 'agent read notes.txt; read other.txt');
    await turnIn(chat, 'completed');
    await inState(agentCard('read notes.txt'), 'completed');
    await inState(agentCard('read other.txt'), 'completed');
    await screenshot(workbench.page, 'agents-completed');
  });

  test('are asked about in the chat of their parent, with who asks', async () => {
    await send(chat, 'agent write made.txt: by a child');
    const asked = chat.getByRole('group', { name: 'Approval' });
    await asked.waitFor();
    expect(await asked.textContent()).toContain('write made.txt');
    await chat.getByRole('textbox', { name: 'Message' }).click();
    await workbench.page.keyboard.press('Control+Alt+Enter');
    await expect.poll(() => isFocused(asked.getByRole('button', { name: 'Diff' }))).toBe(true);
    await asked.getByRole('button', { name: 'Diff' }).click();
    await workbench.page.locator('.tab', { hasText: 'made.txt (proposed by Ledgerline)' }).waitFor();
    const { page } = workbench;
    await inEachTheme(page, async (theme) => void (await screenshot(page, `agent-asks-${theme}`)), chat);
    await button(asked, 'Approve').click();
    await turnIn(chat, 'completed');
    expect(await readFile(path.join(folder, 'made.txt'), 'utf8')).toBe('by a child');
  });

  test('can be stopped one by one, and say so', async () => {
    await send(chat, 'agent slow');
    const card = agentCard('slow');
    await inState(card, 'running');
    await card.getByRole('button', { name: /^End /u }).click();
    await inState(card, 'cancelled');
    await turnIn(chat, 'completed');
    await screenshot(workbench.page, 'agent-cancelled');
  });

  test('end with Stop', async () => {
    await send(chat, 'agent slow; slow');
    await inState(agentCard('slow'), 'running');
    await button(chat, 'Stop').click();
    await turnIn(chat, 'interrupted');
    await inState(agentCard('slow').last(), 'cancelled');
  });

  test('open their own transcript beside the chat', async () => {
    const card = agentCard('read notes.txt').first();
    await card
      .getByRole('button', { name: /transcript/iu })
      .first()
      .click();
    const page = await transcript();
    await page.getByText('first line').first().waitFor();
    await screenshot(workbench.page, 'agent-transcript');
  });

  test('are in the list of sessions, below their parent', async () => {
    await showSessions(workbench.page);
    await expectRows(workbench.page, [/^agent read notes\.txt.*agents/u]);
    await screenshot(workbench.page, 'agents-in-list');
  });
});

describe('a workflow', () => {
  test('is picked in the palette, asked for its parameters, and runs before the model is asked', async () => {
    const { page } = workbench;
    await runCommand(page, 'Ledgerline: Run Workflow');
    const input = page.locator('.quick-input-widget');
    await input.getByText('Reads a file and lists the rest.').first().waitFor();
    await page.keyboard.press('Enter');
    await input
      .getByText(/Which file/u)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await inState(workflowCard('Look around'), 'completed');
    await turnIn(chat, 'completed');
    await screenshot(page, 'workflow-picked');
  });

  test('of stages shows its steps as a graph, holds where it has to ask, and goes on from the answer', async () => {
    await send(chat, 'workflow read notes.txt; list then hold Which file?');
    const card = workflowCard('Offline workflow');
    await turnIn(chat, 'waiting');
    await inState(card, 'partial');
    // To resume it would take its question away.
    expect(await card.getByRole('button', { name: 'Resume workflow' }).count()).toBe(0);
    const { page } = workbench;
    await inEachTheme(page, async (theme) => void (await screenshot(page, `workflow-holds-${theme}`)), chat);
    const question = chat.getByRole('group', { name: 'Question' });
    await question.getByRole('textbox').fill('The first one.');
    await question.getByRole('textbox').press('Control+Enter');
    await turnIn(chat, 'completed');
    await inState(card, 'completed');
    await openDiagnostics(page);
    await row(page, /^Offline workflow.*Completed/u)
      .first()
      .waitFor();
    await screenshot(page, 'workflow-completed');
  });
});
