import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelOf } from '../../../src/runtime/channels.ts';
import { HistoryFold } from '../../../src/runtime/compaction/history.ts';
import { planCompaction, TAILS, type CompactionView } from '../../../src/runtime/compaction/plan.ts';
import type { CompactionRecord } from '../../../src/runtime/context-events.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { NO_PRESSURE } from '../../../src/runtime/pressure.ts';
import { foldReplay, ReplayFold } from '../../../src/runtime/replay/fold.ts';
import { partsOf, WEIGHTLESS, withWeight } from '../../../src/runtime/replay/weights.ts';
import { made } from '../../support/made-events.ts';
import { legalLog } from '../replay/legal-log.ts';
import { story } from '../replay/legal-story.ts';
import { naiveProblems } from '../replay/naive-checker.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(120_000) };

const TARGET = { model: 'm1', endpoint: 'e1' };
const SURFACE = { instructions: '', tools: [] };
/** Rounding, and the commas between items. */
const SLACK = 12;
const FEW = [...TAILS, 3, 1];

interface Made {
  readonly before: readonly LogEvent[];
  readonly record: CompactionRecord;
  readonly event: LogEvent;
  readonly tail: number;
}

function viewOf(events: readonly LogEvent[]): CompactionView & { readonly replay: ReplayFold } {
  const replay = new ReplayFold();
  const history = new HistoryFold();
  for (const event of events) {
    replay.push(event);
    history.push(event);
  }
  return {
    replay,
    history,
    pressure: NO_PRESSURE,
    parts: (checkpoint) => {
      const entries =
        checkpoint === undefined ? replay.sent(TARGET) : replay.withCheckpoint(checkpoint, TARGET);
      return partsOf(entries.reduce(withWeight, WEIGHTLESS), SURFACE);
    },
  };
}

/** Every compaction that could be made of generated logs, at each of their requests. */
function forEveryCompaction(check: (made: Made) => void): number {
  let times = 0;
  fc.assert(
    fc.property(story, (told) => {
      const { events, requests } = legalLog(told);
      for (const { length } of requests) {
        const before = events.slice(0, length);
        for (const tail of FEW) {
          const view = viewOf(before);
          const plan = planCompaction(view, { trigger: 'overflow_recovery', tail, turn_id: null });
          if (plan.kind !== 'planned') continue;
          times += 1;
          const { record } = plan;
          check({ before, record, tail, event: made('history_compaction', length, record) });
        }
      }
    }),
    { numRuns: searchRuns(25), seed: 20260101 },
  );
  return times;
}

describe('whatever a log holds, a compaction of it', GENERATED, () => {
  it('leaves a request that the API accepts and that is smaller', () => {
    const times = forEveryCompaction(({ before, event, record }) => {
      const after = foldReplay([...before, event], TARGET);
      expect(naiveProblems(after)).toEqual([]);
      const unchanged = JSON.stringify(foldReplay(before, TARGET));
      // What a picture takes has nothing to do with the bytes that stand for it here.
      if (!unchanged.includes('input_image'))
        expect(JSON.stringify(after).length - unchanged.length).toBeLessThan(SLACK);
      expect(record.tokens_after).toBeLessThan(record.tokens_before);
    });
    expect(times).toBeGreaterThan(50);
  });

  it('comes to exactly what was foreseen', () => {
    forEveryCompaction(({ before, event, record }) => {
      const foreseen = viewOf(before)
        .replay.withCheckpoint(record, TARGET)
        .map(({ item }) => item);
      expect(foldReplay([...before, event], TARGET)).toEqual(foreseen);
    });
  });

  it('cuts where a turn or a round begins, and keeps each call with its result', () => {
    forEveryCompaction(({ before, record }) => {
      const { tail_from_seq, keeps = [], range } = record;
      expect(range).toEqual({ from_seq: 0, to_seq: tail_from_seq - 1 });
      const isBefore = ({ seq }: LogEvent): boolean => seq < tail_from_seq;
      const calls = before.filter((event) => event.type === 'tool_call');
      for (const call of calls.filter(isBefore)) {
        const result = before.find(
          (event) => event.type === 'tool_result' && event.data.call_id === call.data.call_id,
        );
        expect(result === undefined ? Infinity : result.seq).toBeLessThan(tail_from_seq);
      }
      const first = before[tail_from_seq];
      const openings = ['developer_context', 'interruption_note', 'user_message'];
      const inside = !openings.includes(first?.type ?? '');
      expect(keeps.length > 0).toBe(inside);
      if (!inside) return;
      expect(['reasoning', 'assistant_message', 'tool_call']).toContain(first?.type);
      const turn_id = first !== undefined && 'turn_id' in first.data ? first.data.turn_id : '';
      const prompt = before.find((event) => event.type === 'user_message' && event.data.turn_id === turn_id);
      expect(keeps).toContain(prompt?.seq);
    });
  });

  it('keeps no more than the tail, but for a last round that is larger by itself', () => {
    forEveryCompaction(({ before, record, tail }) => {
      // An earlier checkpoint among them is taken up by this one.
      const kept = before.filter(
        (event) =>
          event.seq >= record.tail_from_seq &&
          channelOf(event) === 'replayed' &&
          event.type !== 'history_compaction',
      );
      if (kept.length <= tail) return;
      const streams = new Set(
        kept.flatMap((event) => (event.type === 'tool_call' ? [event.data.stream_run_id] : [])),
      );
      const pending = kept.some(
        (event) =>
          event.type === 'tool_call' &&
          !kept.some((other) => other.type === 'tool_result' && other.data.call_id === event.data.call_id),
      );
      const settledLate = kept.some((event) => event.type === 'tool_call_decision');
      expect(streams.size <= 1 || pending || settledLate || hasLateResult(kept)).toBe(true);
    });
  });

  it('quotes no text that failed or was cut off, and always states what it is not', () => {
    forEveryCompaction(({ before, record }) => {
      const failed = new Set(
        before.flatMap((event) => (event.type === 'turn_failed' ? [event.data.turn_id] : [])),
      );
      for (const event of before) {
        if (event.type === 'turn_failed') expect(record.summary).not.toContain(event.data.error_message);
        if (event.type !== 'assistant_message') continue;
        const bad = event.data.metadata.partial || failed.has(event.data.turn_id);
        if (bad) expect(record.summary).not.toContain(`${event.data.text}"`);
      }
      expect(record.limitations.length).toBeGreaterThanOrEqual(2);
      expect(record.summary.length).toBeLessThanOrEqual(16_000);
    });
  });

  it('counts every event that it stands for, those of earlier checkpoints too', () => {
    forEveryCompaction(({ before, record }) => {
      const earlier = before.some((event) => event.type === 'history_compaction');
      const total = Object.values(record.event_counts).reduce((sum, count) => sum + count, 0);
      // Checkpoints in generated logs do not say what they counted.
      if (!earlier) expect(total).toBe(record.tail_from_seq);
    });
  });

  it('names the skills that it drops', () => {
    forEveryCompaction(({ before, record }) => {
      const { tail_from_seq, keeps = [] } = record;
      const sent = JSON.stringify(
        foldReplay([...before, made('history_compaction', before.length, record)], TARGET),
      );
      for (const event of before) {
        if (event.type !== 'skill_activation' || event.seq >= tail_from_seq) continue;
        const isSent = keeps.includes(event.seq);
        expect(sent.includes(event.data.content)).toBe(isSent);
      }
    });
  });
});

/** A result that came after a later response: nothing can be cut between them. */
function hasLateResult(events: readonly LogEvent[]): boolean {
  let last = '';
  const streams = new Map<string, string>();
  return events.some((event) => {
    if (event.type === 'tool_call') {
      streams.set(event.data.call_id, event.data.stream_run_id);
      last = event.data.stream_run_id;
    }
    if (event.type === 'assistant_message') last = event.data.stream_run_id;
    return event.type === 'tool_result' && streams.get(event.data.call_id) !== last;
  });
}
