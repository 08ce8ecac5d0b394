import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersIn } from '../../../src/runtime/compaction/answers.ts';
import { HistoryFold } from '../../../src/runtime/compaction/history.ts';
import { cutOf } from '../../../src/runtime/compaction/cut.ts';
import { deterministicStory } from '../../../src/runtime/compaction/plan.ts';
import { summaryRequest } from '../../../src/runtime/compaction/model-summary.ts';
import { rangeFacts } from '../../../src/runtime/compaction/range-facts.ts';
import type { Draft, LogEvent } from '../../../src/runtime/events.ts';
import { SessionFolds } from '../../../src/runtime/session-folds.ts';
import { forkDrafts } from '../../../src/runtime/fork.ts';
import { NO_PRESSURE } from '../../../src/runtime/pressure.ts';
import { made } from '../../support/made-events.ts';
import { call, fails, message, responds } from '../../support/scripted-provider.ts';
import { SessionBench, SETTINGS } from '../../support/session-bench.ts';
import { legalLog } from '../replay/legal-log.ts';
import { story } from '../replay/legal-story.ts';
import { compact, LONG, longAnswers } from './long-talks.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(120_000) };

const PARENT = { session_id: 's1', fork_root_session_id: 's1', pressure: NO_PRESSURE };

/** The log of a fork, as it would be written: without the evidence that the parent has. */
function forked(events: readonly LogEvent[]): readonly LogEvent[] {
  return forkDrafts(PARENT, events).map(({ type, data }: Draft, seq) => made(type, seq, data));
}

/** A turn that says something while a call of it waits, goes on once that is decided, and fails. */
async function failedAfterWords(): Promise<readonly LogEvent[]> {
  const one = new SessionBench({
    scripts: [
      responds(call('w', 'write', { path: 'a' }), call('r', 'read', { path: 'b' })),
      responds(message(`Nearly WRONG. ${LONG}`)),
      responds(call('c', 'read', { path: 'c' })),
      [fails('invalid_request')],
      responds(message(`Quite RIGHT. ${LONG}`)),
    ],
    settings: { permission_mode: 'ask' },
  });
  expect(await one.run('Write a.')).toBe('waiting');
  await one.clock.until(one.decide('w', 'resume'));
  await one.settled();
  expect(one.state).toBe('failed');
  expect(await one.run('Again?')).toBe('completed');
  return one.events;
}

describe('what a turn said before it failed in the parent of a fork', () => {
  it.each(['deterministic_v1', 'model_assisted_v1'] as const)(
    'is not in a checkpoint of the fork by %s, which does not know that it failed',
    async (compaction_strategy) => {
      const lines = forked(await failedAfterWords()).map((event) => JSON.stringify(event));
      const one = new SessionBench({
        lines,
        scripts: [...longAnswers(12), responds(message('{}'))],
        settings: { compaction_strategy },
      });
      expect(one.of('turn_failed')).toEqual([]);
      for (let n = 0; n < 12; n += 1) await one.run(`Question ${n}?`, `again_${n}`);
      await compact(one);
      const { summary, limitations } = one.only('history_compaction');
      expect(summary).toContain('Asked: "Write a."');
      expect(summary).toContain('No answer was completed.');
      expect(summary).toContain('Quite RIGHT.');
      expect(summary).not.toContain('WRONG');
      expect(limitations).toContain('Text of answers that failed or were cut off is not quoted.');
      const asked = one.provider.requests.filter(({ purpose }) => purpose === 'compaction');
      expect(asked).toHaveLength(compaction_strategy === 'model_assisted_v1' ? 1 : 0);
      if (asked.length > 0) expect(JSON.stringify(asked)).toContain('Quite RIGHT.');
      expect(JSON.stringify(asked)).not.toContain('WRONG');
    },
  );

  it('is told from answers by the same evidence that completes a turn', GENERATED, () => {
    const property = fc.property(story, (told) => {
      const { events, requests } = legalLog(told);
      for (const { length } of [...requests, { length: events.length }]) {
        const part = events.slice(0, length);
        const folds = new SessionFolds('s1');
        for (const event of part) folds.push(event);
        const prompts = part.filter((event) => event.type === 'user_message');
        const completed = prompts.filter(
          ({ data }) => folds.find(data.client_turn_id)?.state === 'completed',
        );
        const answered = [...answersIn(part).keys()];
        expect(answered.toSorted()).toEqual(completed.map(({ data }) => data.turn_id).toSorted());
        const inFork = [...answersIn(forked(part)).keys()];
        expect(inFork.toSorted()).toEqual(answered.toSorted());
      }
    });
    fc.assert(property, { numRuns: searchRuns(80), seed: 20261121 });
  });

  it('is in no checkpoint of any fork of generated logs, wherever it was made', GENERATED, () => {
    let [failures, quotes] = [0, 0];
    const property = fc.property(story, (told) => {
      const { events, requests } = legalLog(told);
      const failed = new Set(
        events.flatMap((event) => (event.type === 'turn_failed' ? [event.data.turn_id] : [])),
      );
      for (const { length } of [...requests, { length: events.length }]) {
        const fold = new HistoryFold();
        for (const event of forked(events.slice(0, length))) fold.push(event);
        for (const tail of [20, 5, 1]) {
          const cut = cutOf(fold.events, tail);
          if (cut === null) continue;
          const { text } = deterministicStory(rangeFacts(fold, cut)).told;
          const range = fold.events.filter(({ seq }) => seq < cut.tail_from_seq);
          const material = { range, completed: new Set(answersIn(fold.events).keys()) };
          const asked = JSON.stringify(summaryRequest(material, null, { ...SETTINGS, prompt_cache_key: '' }));
          for (const event of range) {
            if (event.type !== 'assistant_message') continue;
            if (failed.has(event.data.turn_id)) {
              failures += 1;
              expect(text).not.toContain(`${event.data.text}"`);
              expect(asked).not.toContain(`Assistant: ${event.data.text}\\n`);
            } else if (text.includes(`${event.data.text}"`)) quotes += 1;
          }
        }
      }
    });
    fc.assert(property, { numRuns: searchRuns(80), seed: 20261118 });
    expect(failures).toBeGreaterThan(50);
    expect(quotes).toBeGreaterThan(50);
  });
});
