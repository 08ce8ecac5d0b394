import { describe, expect, test } from 'vitest';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { sessionIdIn } from '../../src/host/session-argument.ts';
import {
  archivedNodes,
  contextOf,
  lookOf,
  relativeTime,
  sizeText,
  treeRoots,
  waitingCount,
} from '../../src/host/sessions-tree.ts';

function entry(session_id: string, facts: Partial<SessionEntry> = {}): SessionEntry {
  return {
    session_id,
    title: session_id,
    state: 'completed',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    size: 10,
    problem: null,
    pinned: false,
    archived: false,
    ...facts,
  };
}

const FACTS = { current: null, damage: null } as const;

describe('the tree of sessions', () => {
  test('shows archived ones below one line of their own', () => {
    const facts = { ...FACTS, entries: [entry('a'), entry('b', { archived: true }), entry('c')] };
    const roots = treeRoots(facts);
    expect(roots.map((node) => (node.kind === 'session' ? node.session_id : node))).toEqual([
      'a',
      'c',
      { kind: 'archive', count: 1 },
    ]);
    expect(archivedNodes(facts).map((node) => node.session_id)).toEqual(['b']);
    expect(roots.map(contextOf)).toEqual(['session;unpinned;listed', 'session;unpinned;listed', 'archive']);
    expect(archivedNodes(facts).map(contextOf)).toEqual(['session;unpinned;archived']);
  });

  test('marks the open one, and knows of it what lists cannot see', () => {
    const damage = { session_id: 'b', message: 'Line 7 of the log is damaged.' };
    const nodes = treeRoots({ entries: [entry('a'), entry('b', { pinned: true })], current: 'b', damage });
    expect(
      nodes.map((node) => (node.kind === 'session' ? [node.current, node.entry.problem] : null)),
    ).toEqual([
      [false, null],
      [true, 'Line 7 of the log is damaged.'],
    ]);
    expect(nodes.map(contextOf)).toContain('session;pinned;listed');
  });

  test('damage is seen before the state of the last turn', () => {
    expect(lookOf({ state: 'waiting', problem: null })).toEqual({ icon: 'bell-dot', color: 'charts.yellow' });
    expect(lookOf({ state: 'waiting', problem: 'x' }).icon).toBe('warning');
    expect(lookOf({ state: null, problem: null }).icon).toBe('comment');
  });

  test('counts what needs a person', () => {
    const waiting = { state: 'waiting' } as const;
    expect(
      waitingCount([
        entry('a', waiting),
        entry('b'),
        entry('c', { ...waiting, archived: true }),
        entry('d', waiting),
      ]),
    ).toBe(2);
  });
});

test.each([
  [30_000, 'now'],
  [5 * 60_000, '5m ago'],
  [3 * 3_600_000, '3h ago'],
  [86_400_000, 'yesterday'],
  [6 * 86_400_000, '6d ago'],
  [60 * 86_400_000, 'Nov 2, 2025'],
  [-5000, 'now'],
])('a time %i ms ago is "%s"', (ago, words) => {
  const now = Date.parse('2026-01-01T12:00:00.000Z');
  expect(relativeTime(new Date(now - ago).toISOString(), now, 'en')).toBe(words);
});

test.each([
  [0, '0B'],
  [999, '999B'],
  [1500, '1.5 kB'],
  [123_456, '123 kB'],
  [104_857_600, '105 MB'],
  [3_200_000_000, '3.2 GB'],
])('%i bytes are "%s"', (bytes, words) => {
  expect(sizeText(bytes, 'en')).toBe(words);
});

test('a session can be named by its id or by its line in the tree, and by nothing else', () => {
  expect(sessionIdIn('ses_1')).toBe('ses_1');
  expect(sessionIdIn({ kind: 'session', session_id: 'ses_1' })).toBe('ses_1');
  for (const other of [undefined, null, 7, {}, '', '../x', { session_id: '../x' }, { session_id: 3 }])
    expect(sessionIdIn(other)).toBeNull();
});
