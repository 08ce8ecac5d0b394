import { describe, expect, test } from 'vitest';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { sessionIdIn } from '../../src/host/session-argument.ts';
import {
  ARCHIVE,
  changedLines,
  contextOf,
  lookOf,
  NO_TREE,
  relativeTime,
  sessionsTree,
  shortAge,
  sizeText,
  waitingCount,
  type SessionsTree,
} from '../../src/host/sessions-tree.ts';
import { isSessionId } from '../../src/storage/session-paths.ts';

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
    const { roots, archived, nodes } = sessionsTree(facts);
    expect([roots, archived]).toEqual([['a', 'c', ARCHIVE], ['b']]);
    expect(nodes.get(ARCHIVE)).toEqual({ kind: 'archive', count: 1, current: false });
    expect([...nodes.values()].map(contextOf)).toEqual([
      'session;unpinned;listed',
      'session;unpinned;archived',
      'session;unpinned;listed',
      'archive',
    ]);
    expect(isSessionId(ARCHIVE)).toBe(false);
  });

  test('says above the archived ones that the open one is among them', () => {
    const facts = { ...FACTS, entries: [entry('a'), entry('b', { archived: true })] };
    expect(sessionsTree({ ...facts, current: 'b' }).nodes.get(ARCHIVE)).toMatchObject({ current: true });
    expect(sessionsTree({ ...facts, current: 'a' }).nodes.get(ARCHIVE)).toMatchObject({ current: false });
  });

  test('marks the open one, and knows of it what lists cannot see', () => {
    const damage = { session_id: 'b', message: 'Line 7 of the log is damaged.' };
    const { nodes } = sessionsTree({
      entries: [entry('a'), entry('b', { pinned: true })],
      current: 'b',
      damage,
    });
    expect(
      [...nodes.values()].map((node) =>
        node.kind === 'session' ? [node.current, node.entry.problem] : null,
      ),
    ).toEqual([
      [false, null],
      [true, 'Line 7 of the log is damaged.'],
    ]);
    expect([...nodes.values()].map(contextOf)).toContain('session;pinned;listed');
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

function tree(entries: readonly SessionEntry[], current: string | null = null): SessionsTree {
  return sessionsTree({ ...FACTS, entries, current });
}

describe('what is drawn again', () => {
  const some = [entry('a'), entry('b'), entry('c', { archived: true })];

  test('is nothing when nothing changed', () => {
    expect(changedLines(tree(some), tree(some.map((one) => ({ ...one }))))).toEqual([]);
  });

  test('is only the line of a session that went on', () => {
    const on = [entry('a', { state: 'running', size: 20 }), ...some.slice(1)];
    expect(changedLines(tree(some), tree(on))).toEqual(['a']);
    expect(changedLines(tree(some, 'a'), tree(some, 'b'))).toEqual(['a', 'b']);
  });

  test('is everything when lines come, go or move', () => {
    const [a, b, c] = some;
    if (a === undefined || b === undefined || c === undefined) throw new Error('some are missing');
    expect(changedLines(NO_TREE, tree(some))).toBe('all');
    expect(changedLines(tree(some), tree([b, a, c]))).toBe('all');
    expect(changedLines(tree(some), tree([a, c]))).toBe('all');
    expect(changedLines(tree([a, b]), tree(some))).toBe('all');
  });

  test('is the line above the archived ones when those come, go or move', () => {
    const more = [...some, entry('d', { archived: true })];
    expect(changedLines(tree(some), tree(more))).toEqual([ARCHIVE]);
    expect(changedLines(tree(more), tree([...some.slice(0, 2), ...more.slice(2).toReversed()]))).toEqual([
      ARCHIVE,
    ]);
  });
});

test.each([
  [30_000, 'now'],
  [5 * 60_000, '5m'],
  [3 * 3_600_000, '3h'],
  [86_400_000, '1d'],
  [6 * 86_400_000, '6d'],
  [60 * 86_400_000, 'Nov 2, 25'],
])('a narrow line says of a time %i ms ago "%s"', (ago, words) => {
  const now = Date.parse('2026-01-01T12:00:00.000Z');
  expect(shortAge(new Date(now - ago).toISOString(), now, 'en')).toBe(words);
});

test('a narrow line names the year only of another one, and nothing where a log has no time', () => {
  const now = Date.parse('2026-12-01T12:00:00.000Z');
  expect(shortAge('2026-03-02T12:00:00.000Z', now, 'en')).toBe('Mar 2');
  expect(shortAge('some day', now, 'en')).toBe('');
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
