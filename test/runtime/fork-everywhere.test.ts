import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { LeftBehind } from '../../src/runtime/branch-summary.ts';
import type { Draft, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { forkDrafts, isInFork } from '../../src/runtime/fork.ts';
import { promptCacheKey } from '../../src/runtime/prompt/contract.ts';
import { foldReplay } from '../../src/runtime/replay/fold.ts';
import { RequestValidator } from '../../src/runtime/replay/validator.ts';
import { sessionRecovery } from '../../src/runtime/session-recovery.ts';
import { applyToSession, emptySession, type SessionState } from '../../src/runtime/session-state.ts';
import { isTerminal, turnState } from '../../src/runtime/turn.ts';
import { utf8Length } from '../../src/runtime/text-size.ts';
import { made } from '../support/made-events.ts';
import { CountedIds } from '../support/memory-log.ts';
import { searchRuns } from '../support/search-runs.ts';
import { legalLog } from './replay/legal-log.ts';
import { story } from './replay/legal-story.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };
const TARGETS = [
  { model: 'm1', endpoint: 'e1' },
  { model: 'm2', endpoint: 'e2' },
];

interface Forked {
  readonly parent: readonly LogEvent[];
  readonly plain: readonly LogEvent[];
  /** With a summary, where there is something to sum up. */
  readonly told: readonly LogEvent[];
  readonly summary: KnownEvent<'branch_summary'> | null;
}

function written(drafts: readonly Draft[]): readonly LogEvent[] {
  return drafts.map(({ type, data }, seq) => made(type, seq, data));
}

function folded(events: readonly LogEvent[], id = 's1'): SessionState {
  return events.reduce(applyToSession, emptySession(id));
}

function forkAt(events: readonly LogEvent[], at: number): Forked {
  const parent = events.slice(0, at + 1);
  const left = new LeftBehind();
  for (const event of parent) left.passed(event);
  for (const event of events.slice(at + 1)) left.push(event);
  const facts = { parent_session_id: 's1', forked_to_seq: at, damaged: false, goes_on: false };
  const draft = left.draft(facts);
  const drafts = forkDrafts(folded(parent), parent);
  const told = written(draft === null ? drafts : [...drafts, draft]);
  const last = told.at(-1);
  const summary = draft !== null && last?.type === 'branch_summary' ? last : null;
  return { parent, plain: written(drafts), told, summary };
}

function inputs(events: readonly LogEvent[]): readonly string[] {
  return TARGETS.map((target) => JSON.stringify(foldReplay(events, target)));
}

/** As much of a log as a fork may have, event by event: seqs apart, and what a checkpoint says of them. */
function content(events: readonly LogEvent[]): readonly unknown[] {
  return events.map(({ type, data }) =>
    type === 'history_compaction' ? { type, summary: data.summary } : { type, data },
  );
}

function keyOf(events: readonly LogEvent[], id: string): string {
  const { fork_root_session_id } = folded(events, id);
  const family = { model: 'm', mode: 'ask', toolset_hash: 't', skill_index_hash: 'k' } as const;
  return promptCacheKey({ ...family, fork_root_session_id }, nodeHasher);
}

function everywhere(check: (forked: Forked, at: number, events: readonly LogEvent[]) => void): void {
  const property = fc.property(story, (plan) => {
    const { events } = legalLog(plan);
    for (const { seq } of events) check(forkAt(events, seq), seq, events);
  });
  fc.assert(property, { numRuns: searchRuns(8), seed: 20261121 });
}

describe('a fork at every event of generated logs', GENERATED, () => {
  it('begins with where it comes from and has the replayed events up to there, in order, and nothing else', () => {
    everywhere(({ parent, plain, told, summary }, at) => {
      const replayed = parent.filter(isInFork);
      expect(plain.map(({ seq }) => seq)).toEqual(plain.map((_, index) => index));
      expect(plain[0]).toMatchObject({
        type: 'session_fork',
        data: { parent_session_id: 's1', forked_to_seq: at, replay_event_count: replayed.length },
      });
      expect(content(plain.slice(1))).toEqual(content(replayed));
      expect(told.slice(0, plain.length)).toEqual(plain);
      expect(told.slice(plain.length)).toEqual(summary === null ? [] : [summary]);
    });
  });

  it('sends what its parent sent there, and a summary only after all of that', () => {
    let summaries = 0;
    everywhere(({ parent, plain, told, summary }) => {
      expect(inputs(plain)).toEqual(inputs(parent));
      if (summary === null) return;
      summaries += 1;
      for (const target of TARGETS) {
        const before = foldReplay(parent, target);
        const after = foldReplay(told, target);
        expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
        expect(after).toHaveLength(before.length + 1);
      }
    });
    expect(summaries).toBeGreaterThan(30);
  });

  it('yields a request that the provider accepts, cut off after any of its events', () => {
    everywhere(({ told }, at) => {
      if (at % 4 !== 0) return;
      for (const target of TARGETS)
        for (let length = 1; length <= told.length; length += 1) {
          const problems = new RequestValidator().check(foldReplay(told.slice(0, length), target));
          expect(problems.filter(({ kind }) => kind !== 'empty_input')).toEqual([]);
        }
    });
  });

  it('has the family of its root in its cache key, also as a fork of a fork', () => {
    everywhere(({ parent, plain }, at) => {
      if (at % 4 !== 0) return;
      const again = written(forkDrafts(folded(plain, 's2'), plain));
      expect([keyOf(plain, 's2'), keyOf(again, 's3')]).toEqual([keyOf(parent, 's1'), keyOf(parent, 's1')]);
    });
  });

  it('folds to a legal state that opening it settles, and never claims that a call did not start', () => {
    let left = 0;
    everywhere(({ parent, told }) => {
      const state = folded(told, 's2');
      expect(state.turn?.violations ?? []).toEqual([]);
      const was = folded(parent).turn;
      const now = state.turn;
      // Only what the fork proves: what completed there completed here, and nothing else did.
      if (now !== null && turnState(now) === 'completed') expect(was?.answered).toBe(true);
      const recovered = sessionRecovery(state, {
        scratch: null,
        specs: [],
        ids: new CountedIds(),
        batch: false,
      });
      const opened = [...told, ...recovered.map(({ type, data }, n) => made(type, told.length + n, data))];
      const settled = folded(opened, 's2').turn;
      expect(settled?.violations ?? []).toEqual([]);
      expect(settled === null || isTerminal(turnState(settled))).toBe(true);
      expect(settled?.open.size ?? 0).toBe(0);
      const kinds = recovered.flatMap((one) => (one.type === 'tool_result' ? [one.data.error?.kind] : []));
      expect(new Set(kinds)).toEqual(new Set(kinds.length === 0 ? [] : ['left_behind']));
      left += kinds.length;
      for (const target of TARGETS)
        expect(new RequestValidator().check(foldReplay(opened, target))).toEqual(
          told.some(isInFork) ? [] : [{ kind: 'empty_input' }],
        );
    });
    expect(left).toBeGreaterThan(15);
  });
});

describe('the summary of what a fork leaves behind', GENERATED, () => {
  it('is the same for the same log, bounded, and states its limits', () => {
    everywhere(({ parent, summary }, at, events) => {
      expect(forkAt(structuredClone(events), at).summary).toEqual(summary);
      if (summary === null) return;
      const { data } = summary;
      expect(utf8Length(data.summary)).toBeLessThanOrEqual(24 * 1024);
      expect(utf8Length(JSON.stringify(data))).toBeLessThanOrEqual(160 * 1024);
      expect(data.limitations).toContain(
        'Files that were changed there are still changed on disk: forking takes nothing back.',
      );
      expect(data).toMatchObject({ parent_session_id: 's1', forked_to_seq: at });
      expect(parent.length).toBe(at + 1);
    });
  });

  it('quotes no text of answers that failed or did not complete', () => {
    let unfinished = 0;
    const property = fc.property(story, (plan) => {
      const { events } = legalLog(plan);
      const failed = new Set(
        events.flatMap((event) => (event.type === 'turn_failed' ? [event.data.turn_id] : [])),
      );
      const forbidden = events.flatMap((event) =>
        event.type === 'assistant_message' && (event.data.metadata.partial || failed.has(event.data.turn_id))
          ? [event.data.text]
          : [],
      );
      const { summary } = forkAt(events, 0);
      for (const text of forbidden.filter((one) => one.length > 3)) {
        unfinished += 1;
        expect(summary?.data.summary).not.toContain(JSON.stringify(text).slice(1, -1));
      }
    });
    fc.assert(property, { numRuns: searchRuns(40), seed: 20261122 });
    expect(unfinished).toBeGreaterThan(12);
  });
});
