import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { at, BEGAN, begun, child, childOf, crewOf, ended } from './crew-items.ts';
import { crewAfter } from '../../../webview/agents/crew.ts';
import { childState } from '../../../webview/agents/shown-state.ts';

const SEEN = { lost: false, seen_from: -1 };

describe('what the log says of a child', () => {
  test('is its role, its task, and since when and until when it works', () => {
    expect(childOf(begun(1))).toMatchObject({
      agent: 'explorer',
      task: 'Find the clock',
      state: 'running',
      started_at: BEGAN + 3000,
      deadline_at: BEGAN + 603_000,
      timeout_ms: 600_000,
      end: null,
    });
  });

  test('is that it is queued until it begins', () => {
    expect(childOf(begun(1).slice(0, 2))).toMatchObject({ state: 'queued', started_at: null });
  });

  test.each([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['timed_out', 'timed_out'],
    ['interrupted', 'interrupted'],
    ['cancelled', 'cancelled'],
    ['closed', 'closed'],
  ])('is how it ended: %s', (status, state) => {
    const one = childOf([...begun(1), ended(9, status, { reason: 'Because.' })]);
    expect(one).toMatchObject({ state, status, end: { reason: 'Because.', elapsed_ms: 65_000 } });
  });

  test('is how long it had worked when it began to wait for a person, and no time of that wait', () => {
    const waiting = [...begun(1), child(8, 'waiting', 'running'), child(70, 'heartbeat', 'running')];
    expect(childOf(waiting)).toMatchObject({ waits: true, worked_ms: 5000 });
    const went = child(100, 'went_on', 'running', { deadline_at: at(100 + 595) });
    expect(childOf([...waiting, went])).toMatchObject({
      waits: false,
      worked_ms: null,
      started_at: BEGAN + 95_000,
      deadline_at: BEGAN + 695_000,
    });
  });

  test('is how long it had worked also after it was put away', () => {
    const detached = child(9, 'detached', 'detached', { elapsed_ms: 6000 });
    const away = ended(90, 'closed', { elapsed_ms: 0 });
    expect(childOf([...begun(1), detached, away]).end).toMatchObject({ elapsed_ms: 6000 });
  });

  test('names what its checkpoint has', () => {
    const checkpoint = {
      status: 'checkpoint_ready',
      summary: 's',
      limitations: ['Not on Windows.', 7],
      verification: ['Ran it.'],
      artifacts: [
        { path: 'out.md', sha256: 'c0ffee', bytes: 3 },
        { path: 'gone.md', sha256: null, problem: 'No such file.' },
        {},
      ],
    };
    expect(childOf([...begun(1), ended(9, 'completed', { checkpoint })]).end?.reported).toEqual({
      limitations: ['Not on Windows.'],
      verification: ['Ran it.'],
      artifacts: [
        { path: 'out.md', sha256: 'c0ffee', bytes: 3, problem: '' },
        { path: 'gone.md', sha256: null, bytes: null, problem: 'No such file.' },
      ],
    });
  });

  test('tells the attempts before the present one, which has a session of its own', () => {
    const retry_history = [
      {
        attempt: 1,
        child_session_id: 'child_1',
        error_kind: 'server_error',
        reason: 'HTTP 500',
        elapsed_ms: 900,
      },
    ];
    const one = childOf([
      ...begun(1),
      child(5, 'retried', 'running', { child_session_id: 'child_2', retry_history }),
    ]);
    expect(one).toMatchObject({
      child_session_id: 'child_2',
      state: 'running',
      attempts: [{ reason: 'HTTP 500', elapsed_ms: 900, child_session_id: 'child_1' }],
    });
  });

  test('is that it needs a person until it went on', () => {
    const asked = [...begun(1), child(5, 'waiting', 'running'), child(6, 'heartbeat', 'running')];
    expect(childState(childOf(asked), undefined, SEEN)).toBe('waiting');
    expect(childState(childOf([...asked, child(7, 'went_on', 'running')]), undefined, SEEN)).toBe('running');
  });

  test('is open again when it got more to do, and its old end is gone', () => {
    const one = childOf([...begun(1), ended(9, 'completed'), child(12, 'continued', 'running')]);
    expect(one).toMatchObject({ state: 'running', end: null, started_at: BEGAN + 12_000 });
  });

  test('does not change because the parent was told, or by what comes late', () => {
    const over = [...begun(1), ended(9, 'completed')];
    const late = [child(10, 'delivered', 'completed', { turn_id: 't2' }), child(11, 'heartbeat', 'running')];
    expect(childOf([...over, ...late])).toEqual({ ...childOf(over), as_of: 11 });
  });

  test('is that a detached one was discarded, once it was', () => {
    const lost = [...begun(1), child(9, 'detached', 'detached', { next_actions: [] })];
    expect(childOf(lost).state).toBe('detached');
    expect(childOf([...lost, ended(10, 'closed')]).state).toBe('closed');
  });

  test('is the same in whatever order its parts of the log are loaded, and however often', () => {
    const all: readonly Item[] = [
      ...begun(1),
      child(5, 'waiting', 'running'),
      child(6, 'went_on', 'running'),
      ended(9, 'failed', { reason: 'No.' }),
    ];
    const whole = childOf(all);
    const late = crewAfter(crewOf(all.slice(4)), all.slice(0, 4));
    expect(late.children.get('a1')).toEqual(whole);
    expect(crewAfter(late, all).children.get('a1')).toEqual(whole);
  });

  test('is what is known of it where it began before what is shown', () => {
    const beat = childOf([child(90, 'heartbeat', 'running', { elapsed_ms: 30_000 })]);
    expect(beat).toMatchObject({ agent: null, task: null, state: 'running', started_at: BEGAN + 60_000 });
    expect(childOf([ended(90, 'completed')])).toMatchObject({ agent: 'explorer', task: 'Find the clock' });
  });

  test('of another version is what can be read of it', () => {
    const odd = child(1, 'levitated', 'floating', { retry_history: 'many', deadline_at: 'soon' });
    expect(childOf([{ ...odd, ts: 'now' }])).toMatchObject({
      status: 'floating',
      state: 'unknown',
      attempts: [],
      deadline_at: null,
      end: null,
    });
  });
});

describe('how a child stands', () => {
  const open = childOf(begun(1));
  const busy = { child_session_id: 's', activity: { text: 'Reading', since: 0 }, news_at: 0, questions: [] };

  test('is what the host says of the moment, until the log has its end', () => {
    expect(childState(childOf(begun(1).slice(0, 2)), busy, SEEN)).toBe('running');
    expect(childState(childOf([...begun(1), ended(9, 'failed')]), busy, SEEN)).toBe('failed');
    expect(childState(undefined, busy, SEEN)).toBe('running');
  });

  test('is not that it works where nobody writes the log', () => {
    expect(childState(open, undefined, { ...SEEN, lost: true })).toBe('stale');
  });

  test('is not known where its end may be in a part of the log that was not loaded', () => {
    expect(childState(open, undefined, { ...SEEN, seen_from: 500 })).toBe('unknown');
    expect(childState(open, busy, { ...SEEN, seen_from: 500 })).toBe('running');
  });
});
