import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Frame, type Locator, type Page } from 'playwright-core';
import { until } from './until.ts';

/** What the tests of the chat do and see, by the names that people and screen readers know. */

/** Where the logs are: of a window of VS Code, or of a page without one. */
export interface Storage {
  readonly storageDir: () => Promise<string>;
}

const workspaces: string[] = [];

/** A folder with a short file of two lines, and more where they are given. */
export async function newWorkspace(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-workspace-'));
  workspaces.push(folder);
  for (const [name, text] of Object.entries({ 'notes.txt': 'first line\nsecond line\n', ...files })) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

export async function removeWorkspaces(): Promise<void> {
  for (const folder of workspaces.splice(0)) await rm(folder, { recursive: true, force: true });
}

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

export function button(within: Frame | Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

/** A page that lost the keyboard still has its active element. */
export async function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate(
    (node) => node.ownerDocument.hasFocus() && node.ownerDocument.activeElement === node,
  );
}

export async function tabBackTo(page: Page, element: Locator): Promise<void> {
  for (let steps = 0; steps < 20; steps += 1) {
    if (await isFocused(element)) return;
    await page.keyboard.press('Shift+Tab');
  }
  throw new Error('twenty steps back do not lead there');
}

export type LoggedEvent = {
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
};

/** The events of all sessions, one log after the other. */
export async function loggedEvents(window: Storage): Promise<readonly LoggedEvent[]> {
  const folder = path.join(await window.storageDir(), 'sessions');
  const files = await until({
    what: `a log in ${folder}`,
    probe: async () => {
      const found = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
      return found.length === 0 ? undefined : found;
    },
  });
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return (
    texts
      // A line may be half written.
      .flatMap((text) => text.split('\n').slice(0, -1))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedEvent)
  );
}

/** What the log says of the calls of a turn, in the order it was said. */
export type CallRecord = {
  readonly decisions: readonly string[];
  readonly permissions: readonly string[];
  readonly results: readonly string[];
};

export async function callRecord(window: Storage, turn: Locator): Promise<CallRecord> {
  const all = await turnEvents(window, turn);
  const of = (type: string): readonly LoggedEvent['data'][] =>
    all.filter((event) => event.type === type).map(({ data }) => data);
  return {
    decisions: of('tool_call_decision').map((data) => `${String(data.action)} by ${String(data.decided_by)}`),
    permissions: of('permission_decision').map(
      (data) => `${String(data.decision)} by ${String(data.decided_by)}`,
    ),
    results: of('tool_result').map((data) => (data.ok === true ? 'ok' : errorKind(data.error))),
  };
}

function errorKind(error: unknown): string {
  return typeof error === 'object' && error !== null && 'kind' in error ? String(error.kind) : 'error';
}

/** What the log has of a turn. */
export async function turnEvents(window: Storage, turn: Locator): Promise<readonly LoggedEvent[]> {
  const id = await turn.getAttribute('data-turn-id');
  return (await loggedEvents(window)).filter((event) => event.data.turn_id === id);
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
