import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Draft, EventData, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { forkDrafts } from '../../src/runtime/fork.ts';
import { foldReplay } from '../../src/runtime/replay/fold.ts';
import { applyToPressure, NO_PRESSURE, type Pressure } from '../../src/runtime/pressure.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { made, numbered, oneOfEach } from '../support/made-events.ts';
import { legalLog } from './replay/legal-log.ts';
import { story } from './replay/legal-story.ts';
import { searchRuns } from '../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const TARGETS = [
  { model: 'm1', endpoint: 'e1' },
  { model: 'm2', endpoint: 'e2' },
];
const data = oneOfEach();

/** The log of a fork, as it would be written. */
function fork(events: readonly LogEvent[]): readonly LogEvent[] {
  const parent = events.reduce(applyToSession, emptySession('s1'));
  return forkDrafts(parent, events).map(({ type, data: it }: Draft, seq) => made(type, seq, it));
}

function bytes(events: readonly LogEvent[]): string {
  return JSON.stringify(TARGETS.map((target) => foldReplay(events, target)));
}

function checkpointsIn(events: readonly LogEvent[]): readonly KnownEvent<'history_compaction'>[] {
  return events.filter((event) => event.type === 'history_compaction');
}

/** As if each checkpoint had cut a turn between its rounds: its prompt and its skills stay, and so would an audit event. */
function withKeeps(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.map((event) => {
    if (event.type !== 'history_compaction') return event;
    const before = events.slice(0, event.data.tail_from_seq);
    const start = before.findLastIndex(({ type }) => type === 'user_message');
    const keeps = before.slice(Math.max(0, start)).flatMap(({ type, seq }) => {
      const stays = type === 'user_message' || type === 'skill_activation' || type === 'run_status';
      return stays ? [seq] : [];
    });
    return made('history_compaction', event.seq, { ...event.data, keeps });
  });
}

function checkpoint(more: Partial<EventData['history_compaction']>): LogEvent {
  return made('history_compaction', 0, { ...data.history_compaction.data, ...more });
}

describe('a fork of a session with checkpoints', GENERATED, () => {
  it.each([
    ['as they are', (events: readonly LogEvent[]) => events],
    ['that keep the prompt of their turn', withKeeps],
  ])('sends at every seq what the parent sent there, byte for byte: %s', (_, told) => {
    const seen = { checkpoints: 0, kept: 0, cut: 0 };
    const property = fc.property(story, (plan) => {
      const events = told(legalLog(plan).events);
      for (const { seq } of events) {
        const parent = events.slice(0, seq + 1);
        const child = fork(parent);
        expect(bytes(child)).toBe(bytes(parent));
        if (seq % 5 === 0) expect(bytes(fork(child))).toBe(bytes(parent));
      }
      const child = fork(events);
      for (const { seq, data: it } of checkpointsIn(child)) {
        const { range, tail_from_seq, keeps = [] } = it;
        expect(range.to_seq).toBeLessThan(Math.max(tail_from_seq, range.from_seq + 1));
        expect(tail_from_seq).toBeLessThanOrEqual(seq);
        seen.checkpoints += 1;
        seen.kept += keeps.length;
        if (tail_from_seq > 1) seen.cut += 1;
      }
    });
    fc.assert(property, { numRuns: searchRuns(20), seed: 20261118 });
    expect(seen.checkpoints).toBeGreaterThan(8);
    expect(seen.cut).toBeGreaterThan(5);
    expect(seen.kept > 5).toBe(told === withKeeps);
  });

  it('names what the parent named, where it is now', () => {
    const { user_message, assistant_message, tool_call, tool_result, run_status, diagnostic } = data;
    const parent = numbered([
      data.session_started,
      data.developer_context,
      user_message,
      run_status,
      data.skill_activation,
      tool_call,
      diagnostic,
      tool_result,
      run_status,
      assistant_message,
      diagnostic,
      checkpoint({
        range: { from_seq: 0, to_seq: 8 },
        tail_from_seq: 9,
        keeps: [2, 3, 4],
        tool_calls: { total: 2, failed: 0, by_name: { read: 2 }, last: [{ seq: 7, name: 'read' }, 'odd'] },
      }),
    ]);
    const [found] = checkpointsIn(fork(parent));
    expect(found?.seq).toBe(7);
    expect(found?.data).toEqual({
      ...data.history_compaction.data,
      range: { from_seq: 1, to_seq: 5 },
      tail_from_seq: 6,
      keeps: [2, 3],
      tool_calls: { total: 2, failed: 0, by_name: { read: 2 }, last: [{ seq: 5, name: 'read' }, 'odd'] },
    });
  });

  it('begins its tail with the first event after an audit event that the parent named', () => {
    const parent = numbered([
      data.user_message,
      data.assistant_message,
      data.run_status,
      data.run_status,
      data.user_message,
      checkpoint({ range: { from_seq: 0, to_seq: 1 }, tail_from_seq: 2 }),
    ]);
    const [found] = checkpointsIn(fork(parent));
    expect(found?.data).toMatchObject({ range: { from_seq: 1, to_seq: 2 }, tail_from_seq: 3 });
    expect(found?.data).not.toHaveProperty('keeps');
    expect(found?.data).not.toHaveProperty('tool_calls');
  });

  it('keeps nothing of a checkpoint whose tail is empty', () => {
    const parent = numbered([data.user_message, data.run_status, checkpoint({ tail_from_seq: 2 })]);
    expect(checkpointsIn(fork(parent))[0]?.data.tail_from_seq).toBe(2);
    expect(bytes(fork(parent))).toBe(bytes(parent));
  });
});

function pressureAfter(events: readonly LogEvent[]): Pick<Pressure, 'gauge' | 'scale'> {
  const { gauge, scale } = events.reduce(applyToPressure, NO_PRESSURE);
  return { gauge, scale: gauge === null ? null : scale };
}

describe('how full the window is in a fork', GENERATED, () => {
  it('is what its parent knew there, at every seq, also in a fork of the fork', () => {
    const seen = new Set<string | undefined>();
    const property = fc.property(story, (plan) => {
      const { events } = legalLog(plan);
      for (const { seq } of events) {
        const parent = events.slice(0, seq + 1);
        const known = pressureAfter(parent);
        const child = fork(parent);
        expect(pressureAfter(child)).toEqual(known);
        if (seq % 5 === 0) expect(pressureAfter(fork(child))).toEqual(known);
        seen.add(known.gauge?.of);
      }
    });
    fc.assert(property, { numRuns: searchRuns(20), seed: 20261119 });
    expect(seen).toEqual(new Set(['call', undefined]));
  });

  it('is what a checkpoint came to, until something is answered to it', () => {
    const relieved = numbered([data.user_message, data.assistant_message, checkpoint({ tokens_after: 70 })]);
    expect(pressureAfter(fork(relieved)).gauge).toMatchObject({ of: 'checkpoint', input_tokens: 70 });
    const answered = numbered([...fork(relieved), data.user_message, data.assistant_message]);
    expect(pressureAfter(answered).gauge).toBeNull();
  });

  it('is not known where the parent does not say, and what is of another shape is read as that', () => {
    for (const odd of [undefined, 'full', { input_tokens: 'many' }]) {
      const forked = made('session_fork', 0, { ...data.session_fork.data, context: odd as never });
      const { replay_event_count: inherited_to } = data.session_fork.data;
      expect(applyToPressure(NO_PRESSURE, forked)).toEqual({ ...NO_PRESSURE, inherited_to });
    }
  });
});
