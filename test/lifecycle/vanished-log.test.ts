import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { neededInAll, needsAfter, NOTHING_NEEDED } from '../../src/host/needs-person.ts';
import { statusLook } from '../../src/host/status-item.ts';
import { needsDecision, NO_TURN_FACTS, turnFactsAfter, type TurnFacts } from '../../src/host/turn-facts.ts';
import { INITIAL, lastTurn, type State, turnStateOf } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

function factsOf({ messages }: Window): TurnFacts {
  return messages.reduce(turnFactsAfter, NO_TURN_FACTS);
}

/** As the badge counts it. */
function needed({ messages }: Window): number {
  return neededInAll(messages.reduce(needsAfter, NOTHING_NEEDED));
}

function logFile(): string {
  return join(on.place.storage, 'sessions', 's1.jsonl');
}

async function waiting(): Promise<Window> {
  const window = await on.turn('Write it.', [asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }])]);
  expect(window.state).toBe('waiting');
  expect([needsDecision(factsOf(window)), needed(window)]).toEqual([true, 1]);
  await rm(logFile());
  return window;
}

/** As the page shows it. */
function shownBy({ messages }: Window): { readonly page: State; readonly state: string | undefined } {
  const page = messages.reduce((state, message) => apply(state, message, 0), INITIAL);
  const turn = lastTurn(page);
  return { page, state: turn === undefined ? undefined : turnStateOf(page, turn) };
}

describe('a session that waits and whose log is gone', () => {
  it('needs nobody any more, and says why', async () => {
    const window = await waiting();
    await window.conversation.lookForLog();
    const facts = factsOf(window);
    expect([facts.state, facts.has_log, needsDecision(facts), needed(window)]).toEqual([
      null,
      false,
      false,
      0,
    ]);
    expect(statusLook(facts, (words) => words, String)).toBeNull();
    const { page, state } = shownBy(window);
    expect(page.session?.access).toMatchObject({ kind: 'read_only', reason: 'deleted' });
    expect(page.notices).toEqual([]);
    expect(state).toBe('interrupted');
  });

  it('is found to be gone by a decision, which is not made', async () => {
    const window = await waiting();
    await window.decide('c1', 'resume');
    await window.conversation.answered();
    expect([needsDecision(factsOf(window)), needed(window)]).toEqual([false, 0]);
    expect(await on.read('a.txt')).toBeNull();
  });
});

it('a session that was only opened, and whose log is gone, is not begun anew by a decision', async () => {
  await on.script(asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]));
  const first = await on.open();
  await first.turn('Write it.');
  await first.close();
  const window = await on.open();
  await rm(logFile());
  await window.decide('c1', 'resume');
  await window.conversation.answered();
  expect(existsSync(logFile())).toBe(false);
  expect(shownBy(window).page.session?.access).toMatchObject({ kind: 'read_only', reason: 'deleted' });
});

it('a log that goes while a command runs is found to be gone when it ends', async () => {
  const command = `rm '${logFile()}'`;
  const window = await on.turn('Remove it.', [asks(['c1', 'run_command', { command, timeout_s: null }])]);
  await window.decide('c1', 'resume');
  await window.until(
    (message) =>
      message.type === 'snapshot' &&
      message.access.kind === 'read_only' &&
      message.access.reason === 'deleted',
  );
  expect(shownBy(window).state).toBe('interrupted');
  expect([factsOf(window).state, needed(window)]).toEqual([null, 0]);
});

it('a disk that does not answer keeps nobody from what comes next', async () => {
  const window = await on.turn('Hi.', [says('Hello.'), says('Again.')]);
  // A folder in its place: what is looked up there is none of the things that a log can be.
  await rename(join(on.place.storage, 'sessions'), join(on.place.storage, 'elsewhere'));
  await writeFile(join(on.place.storage, 'sessions'), '');
  await window.conversation.lookForLog();
  await rm(join(on.place.storage, 'sessions'));
  await rename(join(on.place.storage, 'elsewhere'), join(on.place.storage, 'sessions'));
  expect(await window.turn('Again.')).toBe('completed');
});

it('a log that is in its place is left alone', async () => {
  const window = await on.turn('Write it.', [asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }])]);
  const before = window.messages.length;
  await window.conversation.lookForLog();
  expect(window.messages.length).toBe(before);
});
