import { mkdir, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { LeftBehind } from '../../src/runtime/branch-summary.ts';
import type { Draft, LogEvent } from '../../src/runtime/events.ts';
import { forkDrafts } from '../../src/runtime/fork.ts';
import { applyToSession, emptySession, type SessionState } from '../../src/runtime/session-state.ts';
import { turnState } from '../../src/runtime/turn.ts';
import { toLine } from '../../src/runtime/event-line.ts';
import { forkLog } from '../../src/storage/fork-log.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
import { made } from '../support/made-events.ts';
import { legalLog } from '../runtime/replay/legal-log.ts';
import { story } from '../runtime/replay/legal-story.ts';
import { freshFolder, logPath, lookAt, storeIn } from './storage-place.ts';
import { searchRuns } from '../support/search-runs.ts';

function folded(events: readonly LogEvent[]): SessionState {
  return events.reduce(applyToSession, emptySession('s1'));
}

/** What the pure core makes of it, with all events at hand. */
function expected(events: readonly LogEvent[], at: number): readonly Draft[] {
  const parent = events.slice(0, at + 1);
  const left = new LeftBehind();
  for (const event of parent) left.passed(event);
  for (const event of events.slice(at + 1)) left.push(event);
  const { turn } = folded(events);
  const goes_on = turn !== null && ['running', 'waiting'].includes(turnState(turn));
  const summary = left.draft({ parent_session_id: 's1', forked_to_seq: at, damaged: false, goes_on });
  return [...forkDrafts(folded(parent), parent), ...(summary === null ? [] : [summary])];
}

/** How full the window was may be on record only behind the fork: another test has that. */
function said({ type, data }: { readonly type: string; readonly data: object }): unknown {
  return { type, data: { ...data, ...(type === 'session_fork' ? { context: undefined } : {}) } };
}

async function stored(events: readonly LogEvent[]): Promise<SessionStore> {
  const root = freshFolder();
  await mkdir(`${root}/sessions`, { recursive: true });
  await writeFile(logPath(root), events.map((event) => `${toLine(event)}\n`).join(''));
  return storeIn(root);
}

it('a log with the hash of something is forked where no body was ever stored', async () => {
  const attachments = [{ kind: 'file', path: 'a.ts', text: 'a', sha256: 'a'.repeat(64) }];
  const asked = { turn_id: 't1', client_turn_id: 'c1', text: 'look', attachments };
  const store = await stored([made('user_message', 0, asked)]);
  expect(await forkLog(store, 's1', null)).toMatchObject({ forked_to_seq: 0 });
});

it(
  'the file of a fork at every event of generated logs holds what the pure core makes of them',
  { timeout: searchRuns(120_000) },
  async () => {
    let forks = 0;
    const property = fc.asyncProperty(story, async (plan) => {
      const { events } = legalLog(plan);
      const store = await stored(events);
      for (const { seq } of events) {
        const fork = await forkLog(store, 's1', seq, { summary: true });
        const { damage, torn, events: forked } = await lookAt(store, fork?.session_id ?? '');
        expect({ damage, torn, forked_to_seq: fork?.forked_to_seq }).toEqual({
          damage: [],
          torn: null,
          forked_to_seq: seq,
        });
        expect(forked.map(said)).toEqual(expected(events, seq).map(said));
        forks += 1;
      }
    });
    await fc.assert(property, { numRuns: searchRuns(3), seed: 20261118 });
    expect(forks).toBeGreaterThan(30);
  },
);
