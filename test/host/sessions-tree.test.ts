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
import { childEntry, entry } from './session-entries.ts';

const FACTS = { current: null, damage: null } as const;

function tree(entries: readonly SessionEntry[], current: string | null = null): SessionsTree {
  return sessionsTree({ ...FACTS, entries, current });
}

function at(minute: number): string {
  return `2026-01-01T01:0${minute}:00.000Z`;
}

/** Of each line: the one above it, those below it, and whose child it is said to be. */
function shape(nodes: SessionsTree['nodes']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...nodes.values()].flatMap((node) =>
      node.kind === 'session' ? [[node.session_id, [node.under, node.children, node.child_of]]] : [],
    ),
  );
}

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
        node.kind === 'session' ? [node.session_id, node.current, node.entry.problem] : null,
      ),
    ).toEqual([
      ['b', true, 'Line 7 of the log is damaged.'],
      ['a', false, null],
    ]);
    expect([...nodes.values()].map(contextOf)).toContain('session;pinned;listed');
  });

  test('shows children below their parent, the newest first whatever they do', () => {
    const entries = [
      childEntry('one', 'a', { updated_at: at(9), created_at: at(1) }),
      entry('a'),
      childEntry('two', 'a', { updated_at: at(2), created_at: at(2) }),
      childEntry('below', 'two'),
    ];
    const { roots, nodes } = tree(entries);
    expect(roots).toEqual(['a']);
    expect(shape(nodes)).toEqual({
      a: [null, ['two', 'one'], null],
      two: ['a', ['below'], null],
      below: ['two', [], null],
      one: ['a', [], null],
    });
    expect([...nodes.values()].map(contextOf)).toContain('session;unpinned;listed;child');
  });

  test('has a parent where its newest child puts it, and pinned ones before it', () => {
    const entries = [
      entry('pinned', { pinned: true }),
      entry('new', { updated_at: at(5) }),
      entry('old'),
      childEntry('busy', 'old', { updated_at: at(9) }),
    ];
    expect(tree(entries).roots).toEqual(['pinned', 'old', 'new']);
    expect(tree(entries.slice(0, 3)).roots).toEqual(['pinned', 'new', 'old']);
  });

  test('shows a child whose parent is gone by itself, and says whose it was', () => {
    const { roots, nodes } = tree([childEntry('left', 'gone')]);
    expect([roots, shape(nodes)]).toEqual([['left'], { left: [null, [], 'gone'] }]);
  });

  test('has the family of an archived parent in the archive, and an archived child without its parent', () => {
    const some = tree([entry('a', { archived: true, title: 'Fix it' }), childEntry('one', 'a')], 'one');
    expect([some.roots, some.archived, shape(some.nodes)['one']]).toEqual([
      [ARCHIVE],
      ['a'],
      ['a', [], null],
    ]);
    expect(some.nodes.get(ARCHIVE)).toEqual({ kind: 'archive', count: 1, current: true });
    const other = tree([entry('a', { title: 'Fix it' }), childEntry('one', 'a', { archived: true })]);
    expect([other.roots, other.archived]).toEqual([['a', ARCHIVE], ['one']]);
    expect(shape(other.nodes)).toEqual({ a: [null, [], null], one: [ARCHIVE, [], 'Fix it'] });
  });

  test('loses nothing from sight, whatever logs say of each other', () => {
    const { roots, nodes } = tree([
      childEntry('a', 'b'),
      childEntry('b', 'a'),
      childEntry('c', 'a'),
      childEntry('d', 'd'),
    ]);
    expect([roots.toSorted(), [...nodes.keys()].toSorted()]).toEqual([
      ['a', 'b', 'd'],
      ['a', 'b', 'c', 'd'],
    ]);
  });

  test('counts no child as one that needs a person: what it asks is asked where its parent is', () => {
    const waiting = { state: 'waiting' } as const;
    expect(waitingCount(tree([entry('a'), childEntry('one', 'a', waiting)]))).toBe(0);
    expect(waitingCount(tree([childEntry('left', 'gone', waiting)]))).toBe(1);
  });

  test('is built for a parent of a thousand without looking at each for each', () => {
    let looks = 0;
    const counted = (of: SessionEntry): SessionEntry =>
      new Proxy(of, {
        get: (target, key) => {
          looks += 1;
          return Reflect.get(target, key);
        },
      });
    const many = Array.from({ length: 1000 }, (_, n) => counted(childEntry(`c${n}`, 'a')));
    const [one, other] = [tree([entry('a'), ...many]), tree([entry('a'), ...many], 'a')];
    expect(changedLines(one, other)).toEqual(['a']);
    expect(looks).toBeLessThan(200 * many.length);
  });

  test('damage is seen before the state of the last turn', () => {
    expect(lookOf({ state: 'waiting', problem: null })).toEqual({ icon: 'bell-dot', color: 'charts.yellow' });
    expect(lookOf({ state: 'waiting', problem: 'x' }).icon).toBe('warning');
    expect(lookOf({ state: null, problem: null }).icon).toBe('comment');
  });

  test('counts what needs a person', () => {
    const waiting = { state: 'waiting' } as const;
    const entries = [
      entry('a', waiting),
      entry('b'),
      entry('c', { ...waiting, archived: true }),
      entry('d', waiting),
    ];
    expect(waitingCount(sessionsTree({ ...FACTS, entries }))).toBe(2);
    expect(waitingCount(sessionsTree({ ...FACTS, entries, current: 'a' }))).toBe(1);
  });
});

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

  test('is the line of a child that goes on, and that of its parent when children come or go', () => {
    const family = [entry('a'), childEntry('one', 'a'), entry('b')];
    const on = [entry('a'), childEntry('one', 'a', { size: 20 }), entry('b')];
    expect(changedLines(tree(family), tree(on))).toEqual(['one']);
    expect(changedLines(tree(family), tree([...on, childEntry('two', 'a')]))).toEqual(['a']);
    expect(changedLines(tree(family), tree([entry('a'), entry('b')]))).toEqual(['a']);
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
  [30_000, 'now', 'now'],
  [5 * 60_000, '5m ago', '5m'],
  [3 * 3_600_000, '3h ago', '3h'],
  [86_400_000, 'yesterday', '1d'],
  [6 * 86_400_000, '6d ago', '6d'],
  [60 * 86_400_000, 'Nov 2, 2025', 'Nov 2, 25'],
  [-5000, 'now', 'now'],
])('a time %i ms ago is "%s", and in a narrow line "%s"', (ago, words, short) => {
  const now = Date.parse('2026-01-01T12:00:00.000Z');
  const at = new Date(now - ago).toISOString();
  expect([relativeTime(at, now, 'en'), shortAge(at, now, 'en')]).toEqual([words, short]);
});

test('a narrow line names the year only of another one, and nothing where a log has no time', () => {
  const now = Date.parse('2026-12-01T12:00:00.000Z');
  expect(shortAge('2026-03-02T12:00:00.000Z', now, 'en')).toBe('Mar 2');
  expect(shortAge('some day', now, 'en')).toBe('');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
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

function of(session_id: string): SessionEntry['fork'] {
  return { session_id, to_seq: 7 };
}

function lineage({ nodes }: SessionsTree): unknown {
  return [...nodes.values()].flatMap((node) =>
    node.kind === 'session' ? [[node.session_id, node.under, node.fork_of, node.forks]] : [],
  );
}

describe('forks', () => {
  test('stand under the session that they were made of, and forks of forks under those', () => {
    const forked = tree([entry('c', { fork: of('b') }), entry('b', { fork: of('a') }), entry('a')]);
    expect(forked.roots).toEqual(['a']);
    expect(lineage(forked)).toEqual([
      ['a', null, null, 1],
      ['b', 'a', null, 1],
      ['c', 'b', null, 0],
    ]);
  });

  test('stand by themselves, and say whose they are, where that one is gone', () => {
    expect(lineage(tree([entry('b', { fork: of('gone') })]))).toEqual([['b', null, 'gone', 0]]);
  });

  test('stay in the list when the session that they were made of is archived, and go there alone', () => {
    const kept = tree([entry('a', { archived: true }), entry('b', { fork: of('a') })]);
    expect([kept.roots, kept.archived]).toEqual([['b', ARCHIVE], ['a']]);
    const gone = tree([entry('a'), entry('b', { fork: of('a'), archived: true })]);
    expect([gone.roots, gone.archived]).toEqual([['a', ARCHIVE], ['b']]);
  });

  test('are at the top where they are pinned', () => {
    const forked = tree([entry('a'), entry('b', { fork: of('a'), pinned: true })]);
    expect(forked.roots).toEqual(['b', 'a']);
  });

  test('count by themselves when they need a person, and children of agents still do not', () => {
    const parent = { session_id: 'a', subagent_id: 'x', agent: 'worker', depth: 1 };
    const forked = tree([
      entry('a'),
      entry('b', { fork: of('a'), state: 'waiting' }),
      entry('c', { parent, state: 'waiting' }),
    ]);
    expect(waitingCount(forked)).toBe(1);
  });

  test('lift the session that they were made of to where their last use puts it', () => {
    const late = { updated_at: '2026-03-01T00:00:00.000Z' };
    const forked = tree([
      entry('other', { updated_at: '2026-02-01T00:00:00.000Z' }),
      entry('a'),
      entry('b', { fork: of('a'), ...late }),
    ]);
    expect(forked.roots).toEqual(['a', 'other']);
  });
});
