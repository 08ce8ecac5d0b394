import { describe, expect, test } from 'vitest';
import { allowedArguments } from '../../src/host/allowed-actions.ts';
import { parseChatPlace, parseLogPlace, parseRequestPlace } from '../../src/host/diagnostics-arguments.ts';
import { lineOfSeq } from '../../src/host/log-lines.ts';
import { neededInAll, needsAfter, NOTHING_NEEDED } from '../../src/host/needs-person.ts';
import { nameOf, queryOf, topicOf, type ReportTopic } from '../../src/host/report-topics.ts';
import { changedNodes } from '../../src/host/tree-changes.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { node, type NodeDraft, type TreeNode } from '../../src/runtime/inspection/tree-node.ts';
import { diagnose } from '../runtime/inspection/diagnosing.ts';
import { asks, NOTHING, reports } from '../support/cast-provider.ts';
import { CUT, ENDED, handsOn } from '../support/child-stories.ts';
import { treeOf } from '../support/drawn-tree.ts';
import { runsFlow } from '../support/flow-stories.ts';

describe('a place in a log', () => {
  test.each([
    [undefined, {}],
    ['ses_1', { session_id: 'ses_1' }],
    [{ seq: 4 }, { seq: 4 }],
    [
      { session_id: 'ses_1', line: 1, other: 'x' },
      { session_id: 'ses_1', line: 1 },
    ],
  ])('is read from %j', (value, place) => {
    expect(parseLogPlace(value)).toEqual(place);
  });

  test.each([
    '../../etc/passwd',
    '',
    'con',
    7,
    [],
    ['ses_1'],
    { session_id: '..' },
    { session_id: 7 },
    { seq: -1 },
    { seq: 1.5 },
    { seq: '4' },
    { line: 0 },
    { line: Infinity },
  ])('is refused from %j', (value) => {
    expect(parseLogPlace(value)).toBeNull();
  });
});

test('a request is named by the last event it is made of, also by none', () => {
  expect(parseRequestPlace({ at_seq: -1 })).toEqual({ at_seq: -1 });
  expect(parseRequestPlace(undefined)).toEqual({});
  for (const wrong of [{ at_seq: -2 }, { at_seq: '1' }, { session_id: 'a/b' }, 4])
    expect(parseRequestPlace(wrong)).toBeNull();
});

test('a place in the chat is a turn or its decision', () => {
  expect(parseChatPlace({ turn_id: 't1' })).toEqual({ what: 'turn', turn_id: 't1' });
  expect(parseChatPlace({ turn_id: 't1', what: 'decision' })).toEqual({ what: 'decision', turn_id: 't1' });
  for (const wrong of [undefined, 't1', {}, { turn_id: '' }, { turn_id: 't1', what: 'composer' }, [1]])
    expect(parseChatPlace(wrong)).toBeNull();
});

test('a command of the menus is for nobody else: a button could run itself for ever', () => {
  for (const name of ['revealLogLine', 'inspectNodeRequest', 'runNextAction', 'copyNode', 'showEarlierTurns'])
    expect(allowedArguments(`ledgerline.${name}`, ['session'])).toBeNull();
  expect(allowedArguments('ledgerline.revealInChat', [{ turn_id: 't1' }])).toEqual([{ turn_id: 't1' }]);
});

test('whatever a tree and a diagnosis offer about children and workflows may be run', async () => {
  const stories = await Promise.all([
    handsOn([asks(['ask', 'run_command', { command: 'make' }])], {}, { mode: 'ask' }),
    handsOn([CUT, NOTHING], { agent: 'explorer' }),
    ENDED.timed_out(),
    ENDED.detached(),
    runsFlow({ steps: { one: { says: reports('failed', 'No.') } } }),
  ]);
  const nodes = stories.flatMap((one) =>
    [...treeOf(one).values()].flatMap(({ next_actions }) => next_actions),
  );
  const checks = stories.flatMap(({ events }) => diagnose(events).checks.flatMap((one) => one.next_actions));
  const all = [...nodes, ...checks].map(({ command, args }) => [command, allowedArguments(command, args)]);
  expect(all.filter(([, args]) => args === null)).toEqual([]);
  const named = new Set(all.map(([command]) => String(command)));
  for (const name of ['openAgent', 'stopAgent', 'resumeAgent', 'discardAgent', 'resumeWorkflow'])
    expect(named).toContain(`ledgerline.${name}`);
});

describe('the address of a report', () => {
  test.each<ReportTopic>([
    { kind: 'request', session_id: 's1', at: null, raw: false },
    { kind: 'request', session_id: 's1', at: 12, raw: true },
    { kind: 'diagnosis', session_id: 's1', raw: true },
    { kind: 'checkpoint', session_id: 's1', seq: 143, raw: false },
    { kind: 'compaction_preview', session_id: 's1', raw: true },
    { kind: 'log', session_id: 's1', place: { line: 3 } },
    { kind: 'log', session_id: 's1', place: null },
  ])('is enough to make it again: %j', (topic) => {
    expect(topicOf(queryOf(topic))).toEqual(topic);
  });

  test.each([
    '',
    'no JSON',
    '7',
    'null',
    '{}',
    '{"kind":"request"}',
    '{"kind":"secret","session_id":"s1"}',
    '{"kind":"checkpoint","session_id":"s1"}',
    '{"kind":"checkpoint","session_id":"s1","seq":-1}',
  ])('is not %j', (query) => {
    expect(topicOf(query)).toBeNull();
  });

  test('never leaves the folder of the sessions', () => {
    expect(topicOf('{"kind":"log","session_id":"../../x","place":null}')).toBeNull();
  });

  test('has the ending of its language', () => {
    expect(nameOf({ kind: 'request', session_id: 's1', at: 12, raw: false }, inEnglish)).toBe(
      'Request after seq 12.md',
    );
    expect(nameOf({ kind: 'diagnosis', session_id: 's1', raw: true }, inEnglish)).toBe('Diagnosis.json');
    expect(nameOf({ kind: 'checkpoint', session_id: 's1', seq: 143, raw: false }, inEnglish)).toBe(
      'Checkpoint at seq 143.md',
    );
    expect(nameOf({ kind: 'compaction_preview', session_id: 's1', raw: true }, inEnglish)).toBe(
      'Preview of a compaction.json',
    );
  });
});

function inEnglish(words: string, ...values: readonly (string | number)[]): string {
  return words.replace('{0}', String(values[0]));
}

function at(lines: readonly string[], seq: number): number | null {
  return lineOfSeq({ count: lines.length, at: (index) => lines[index] ?? '' }, seq);
}

describe('the line of an event', () => {
  test('is that of its seq in a sound log', () => {
    expect(at(['{"seq":0}', '{"seq":1}', '{"seq":2}'], 1)).toBe(1);
  });

  test('is found by its content where lines are blank or damaged', () => {
    expect(at(['{"seq":0}', '', '{"seq":1', '{"data":{"seq":2},"seq":1}', '{"seq":2}'], 2)).toBe(4);
    expect(at(['', '{ "seq": 0 }'], 0)).toBe(1);
  });

  test('is none where no line holds it', () => {
    expect(at(['{"seq":0}', '{"seq":10}'], 1)).toBeNull();
    expect(at([], 0)).toBeNull();
  });
});

function turnState(pending?: readonly { reason: string; decided?: boolean }[]): HostMessage {
  return {
    v: 1,
    type: 'turn_state',
    turn_id: 't1',
    client_turn_id: 'k1',
    state: 'waiting',
    reason: null,
    next_actions: [],
    ...(pending === undefined
      ? {}
      : {
          pending: pending.map(({ reason, ...decided }, index) => ({
            call_id: `c${index}`,
            name: 'x',
            suspension: { reason },
            ...decided,
          })),
        }),
  };
}

test('what needs a person is counted by kind, and what is decided already is not', () => {
  const some = needsAfter(
    NOTHING_NEEDED,
    turnState([
      { reason: 'approval' },
      { reason: 'approval', decided: true },
      { reason: 'question' },
      { reason: 'outcome_unknown' },
    ]),
  );
  expect(some).toMatchObject({
    approvals: 1,
    questions: 1,
    unknown_outcomes: 1,
    locked: false,
    turn_id: 't1',
  });
  expect(neededInAll(some)).toBe(3);
  expect(needsAfter(some, { v: 1, type: 'plan', steps: [] })).toBe(some);
  expect(neededInAll(needsAfter(some, turnState()))).toBe(0);
  const earlier = { ...turnState(), turn_id: 't0', state: 'completed' } as HostMessage;
  expect(needsAfter(some, earlier)).toBe(some);
  const next = { ...turnState(), turn_id: 't2', state: 'running' } as HostMessage;
  expect(needsAfter(some, next)).toEqual(NOTHING_NEEDED);
});

function tree(...drafts: readonly NodeDraft[]): ReadonlyMap<string, TreeNode> {
  return new Map(drafts.map((draft) => [draft.id, node(draft)]));
}

describe('what is drawn again', () => {
  const session: NodeDraft = { id: 'session', parent: null, kind: 'session', state: 'running', label: 'S' };
  const turn: NodeDraft = { id: 'a', parent: 'session', kind: 'turn', state: 'running', label: 'A' };
  const call: NodeDraft = { id: 'b', parent: 'a', kind: 'call', state: 'running', label: 'B' };

  test('is nothing when nothing changed', () => {
    expect(changedNodes(tree(session, turn, call), tree(session, turn, call))).toEqual([]);
    expect(changedNodes(new Map(), new Map())).toEqual([]);
  });

  test('is everything when there was nothing', () => {
    expect(changedNodes(new Map(), tree(session))).toBe('all');
    expect(changedNodes(tree(session), new Map())).toBe('all');
  });

  test('is the topmost that changed, and not what only counts events', () => {
    const counted = { ...session, evidence: ['2 events'] };
    const done = { ...call, state: 'completed' } as const;
    expect(changedNodes(tree(session, turn, call), tree(counted, turn, done))).toEqual(['b']);
    const both = tree(counted, { ...turn, children: ['b'] }, done);
    expect(changedNodes(tree(session, turn, call), both)).toEqual(['a']);
  });
});
