import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { neededInAll, needsAfter, NOTHING_NEEDED } from '../../src/host/needs-person.ts';
import { statusLook } from '../../src/host/status-item.ts';
import { needsDecision, NO_TURN_FACTS, turnFactsAfter, type TurnFacts } from '../../src/host/turn-facts.ts';
import { INITIAL } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { asks, stage, type Window } from './window.ts';

const on = stage();

function factsOf({ messages }: Window): TurnFacts {
  return messages.reduce(turnFactsAfter, NO_TURN_FACTS);
}

/** As the badge counts it. */
function needed({ messages }: Window): number {
  return neededInAll(messages.reduce(needsAfter, NOTHING_NEEDED));
}

async function waiting(): Promise<Window> {
  await on.script(asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]));
  const window = await on.open();
  expect(await window.turn('Write it.')).toBe('waiting');
  expect([needsDecision(factsOf(window)), needed(window)]).toEqual([true, 1]);
  await rm(join(on.place.storage, 'sessions', 's1.jsonl'));
  return window;
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
    const shown = window.messages.reduce((state, message) => apply(state, message, 0), INITIAL);
    expect(shown.session?.access).toMatchObject({ kind: 'read_only', reason: 'deleted' });
    expect(shown.notices).toEqual([]);
  });

  it('is found to be gone by a decision, which is not made', async () => {
    const window = await waiting();
    await window.decide('c1', 'resume');
    await window.conversation.answered();
    expect([needsDecision(factsOf(window)), needed(window)]).toEqual([false, 0]);
    expect(await on.read('a.txt')).toBeNull();
  });
});

it('a log that is in its place is left alone', async () => {
  await on.script(asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]));
  const window = await on.open();
  await window.turn('Write it.');
  const before = window.messages.length;
  await window.conversation.lookForLog();
  expect(window.messages.length).toBe(before);
});
