import { describe, expect, test } from 'vitest';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { changedFiles } from '../../src/presenter/turn-evidence.ts';
import { INITIAL, lastTurn, toldOf, type State } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { toolLine } from '../../webview/tool-lines.ts';
import { foldItems } from '../../webview/transcript.ts';
import { evidenceOf, evidenceWords } from '../../webview/turn-evidence.ts';
import { lookOf, phraseOf } from '../../webview/turn-phrases.ts';
import { waitingCalls } from '../../webview/waiting-calls.ts';
import {
  answer,
  append,
  call,
  callOf,
  decision,
  item,
  moved,
  permission,
  prompt,
  result,
  snapshot,
  suspended,
  toldOfTurn,
  toolState,
  turnOf,
  turnState,
} from './log-items.ts';

function words(...items: readonly Item[]): string {
  return evidenceWords(evidenceOf(turnOf(items), null));
}

function usage(seq: number, total: number | null): Item {
  return item(seq, 'provider_usage', { tokens: { input: 1000, cached: 910, output: 10, total } });
}

function command(seq: number, call_id: string, line = 'npm test'): Item {
  const args = JSON.stringify({ command: line });
  return item(seq, 'tool_call', { call_id, name: 'run_command', args, stream_run_id: 's1' });
}

function exited(seq: number, call_id: string, code: number): Item {
  const output = `exit code ${code}\nall of it`;
  const error = { kind: 'exit_code', message: `exit code ${code}`, details: { exit_code: code } };
  return item(seq, 'tool_result', {
    call_id,
    ok: code === 0,
    output,
    ...(code === 0 ? {} : { error }),
    duration_ms: 5,
  });
}

function change(seq: number, path: string, more: Record<string, unknown> = {}): Item {
  return item(seq, 'file_change', {
    call_id: `call_${seq}`,
    path,
    before_sha256: 'a',
    after_sha256: 'b',
    before_blob: 'a',
    created: false,
    deleted: false,
    ...more,
  });
}

describe('the evidence of a turn in words', () => {
  test('is as the log has it', () => {
    expect(
      words(
        prompt(0),
        change(1, 'src/login.ts', { added: 4, removed: 2 }),
        command(2, 'c1'),
        exited(3, 'c1', 1),
        command(4, 'c2'),
        exited(5, 'c2', 0),
        usage(6, 12_400),
      ),
    ).toBe('1 file changed, 2 commands (1 failed), 12.4k tokens, 91 % cached');
  });

  test('leaves out what is not known, and does not count it as nothing', () => {
    expect(words(prompt(0), usage(1, 12_400), usage(2, null))).toBe('');
    expect(words(prompt(0))).toBe('');
    expect(words(prompt(0), usage(1, 0))).toBe('0 tokens, 91 % cached');
    expect(words(prompt(0), command(1, 'c1'))).toBe('1 command (1 without a result)');
  });

  test('counts calls that nobody allowed apart from those that failed', () => {
    const denied = item(3, 'tool_result', {
      call_id: 'call_1',
      ok: false,
      error: { kind: 'denied', message: 'no' },
      duration_ms: 0,
    });
    expect(words(prompt(0), call(1), suspended(2), denied)).toBe('1 call (1 denied)');
    expect(words(prompt(0), call(1), suspended(2, { reason: 'question' }), denied)).toBe(
      '1 call (1 skipped)',
    );
    expect(words(prompt(0), call(1), result(2), command(3, 'c1'), exited(4, 'c1', 0))).toBe('1 command');
  });

  test.each(['cancelled', 'interrupted', 'never_started'])(
    'does not call failed what ended with its turn: %s',
    (kind) => {
      const error = { kind, message: 'The turn ended.' };
      const ended = item(2, 'tool_result', { call_id: 'c1', ok: false, error, duration_ms: 0 });
      expect(words(prompt(0), command(1, 'c1'), ended)).toBe('1 command (1 cancelled)');
    },
  );

  test('names a file once, and says when it was undone', () => {
    const made = [prompt(0), change(1, 'a.ts'), change(2, 'a.ts'), change(3, 'b.ts')];
    expect(words(...made)).toBe('2 files changed');
    const undo = change(4, 'b.ts', { undo_of: ['call_3'] });
    expect(words(...made, undo)).toBe('2 files changed (1 undone)');
    expect(words(...made, undo, change(5, 'a.ts', { undo_of: ['call_1', 'call_2'] }))).toBe(
      '2 files changed (undone)',
    );
  });

  test('who approved what is counted', () => {
    const items = [
      prompt(0),
      call(1),
      suspended(2),
      decision(3, { rule: 'read_file(a)' }),
      moved(4, 'suspended', 'resuming'),
      result(5),
      call(6, 'call_2'),
      suspended(7, {}, 'call_2'),
      decision(8, { action: 'cancel' }, 'call_2'),
      permission(9, { decision: 'allow', decided_by: 'rule', rule: 'x' }, 'call_3'),
      permission(10, { decision: 'deny', decided_by: 'rule', rule: 'x' }, 'call_4'),
    ];
    expect(turnOf(items).fold.evidence.approvals).toEqual({
      approved: 1,
      always: 1,
      denied: 1,
      allowed_by_rule: 1,
      denied_by_rule: 1,
    });
  });
});

describe('files', () => {
  test('have the lines of all their edits, where every edit has them', () => {
    const { changes } = turnOf([
      prompt(0),
      change(1, 'a.ts', { added: 4, removed: 2 }),
      change(2, 'a.ts', { added: 1, removed: 0 }),
      change(3, 'b.bin', { before_sha256: null }),
    ]).fold.evidence;
    expect(changedFiles(changes)).toEqual([
      { path: 'a.ts', edits: 2, added: 5, removed: 2, created: false, deleted: false, standing: 'changed' },
      {
        path: 'b.bin',
        edits: 1,
        added: null,
        removed: null,
        created: true,
        deleted: false,
        standing: 'changed',
      },
    ]);
  });

  test('of which only some edits were taken back say so', () => {
    const { changes } = turnOf([
      prompt(0),
      change(1, 'a.ts'),
      change(2, 'a.ts'),
      change(3, 'a.ts', { undo_of: ['call_2'] }),
    ]).fold.evidence;
    expect(changedFiles(changes)[0]?.standing).toBe('partly_undone');
  });

  test('that were to be put back and may not have been are named', () => {
    const asked = item(2, 'diagnostic', {
      code: 'undo_requested',
      message: '',
      details: { paths: ['a.ts'] },
    });
    const turn = turnOf([prompt(0), change(1, 'a.ts'), asked]);
    expect(turn.fold.evidence.undo_open).toEqual(['a.ts']);
    expect(turn.entries).toEqual([]);
  });

  test('that were taken back and stand again are as they were, and neither is a turn by itself', () => {
    const story = [
      prompt(0),
      change(1, 'a.ts'),
      item(2, 'diagnostic', { code: 'undo_requested', message: '', details: { paths: ['a.ts'] } }),
      change(3, 'a.ts', { undo_of: ['call_1'] }),
      item(4, 'diagnostic', { code: 'redo_requested', message: '', details: { paths: ['a.ts'] } }),
    ];
    const begun = turnOf(story);
    expect(begun.fold.evidence).toMatchObject({ undo_open: [], redo_open: ['a.ts'] });
    const done = turnOf([...story, change(5, 'a.ts', { redo_of: ['call_1'] })]);
    expect([done.fold.evidence.redo_open, changedFiles(done.fold.evidence.changes)[0]?.standing]).toEqual([
      [],
      'changed',
    ]);
    expect(foldItems([change(5, 'a.ts', { redo_of: ['call_1'] })])).toEqual([]);
  });

  test('that were left because they have changed since are known, until that is settled', () => {
    const refusals = [{ path: 'a.ts', kind: 'file_changed', can_merge: true }];
    const refused = item(2, 'diagnostic', {
      code: 'undo_refused',
      message: '',
      details: { paths: ['a.ts', 'b.ts'], refusals: [...refusals, { path: 'b.ts', kind: 'file_gone' }] },
    });
    const opened = item(3, 'diagnostic', {
      code: 'undo_merge_opened',
      message: '',
      details: { paths: ['a.ts'] },
    });
    const left = turnOf([prompt(0), change(1, 'a.ts'), refused, opened]);
    expect(left.fold.evidence).toMatchObject({ undo_mergeable: ['a.ts'], merge_opened: ['a.ts'] });
    expect(left.entries).toEqual([]);
    const merged = turnOf([
      prompt(0),
      change(1, 'a.ts'),
      refused,
      opened,
      change(4, 'a.ts', { undo_of: ['call_1'] }),
    ]);
    expect(merged.fold.evidence).toMatchObject({ undo_mergeable: [], merge_opened: [] });
  });

  test('that children may have changed are their own affair: the evidence only knows that there were some', () => {
    const turn = turnOf([
      prompt(0),
      child(1, 'spawned', 'worker', 'w1'),
      child(2, 'started', 'worker', 'w1'),
      child(3, 'spawned', 'explorer', 'e1'),
    ]);
    expect(turn.fold.evidence.children).toEqual(['w1']);
  });
});

function shown(state: State): string {
  const turn = lastTurn(state);
  return turn === undefined ? '' : evidenceWords(evidenceOf(turn, toldOf(state, turn)));
}

function child(seq: number, event: string, agent: string, subagent_id: string): Item {
  return item(seq, 'subagent_event', { event, agent, subagent_id, status: 'running' });
}

function skill(seq: number, activated_by: string): Item {
  return item(seq, 'skill_activation', { name: 'review', activated_by });
}

test('skills that a turn was given are counted', () => {
  expect(words(prompt(0), skill(1, 'user'))).toBe('1 skill');
  expect(words(prompt(0), skill(1, 'user'), skill(2, 'model'))).toBe('2 skills');
});

test.each([
  ['user', 'Skill review is active for this turn: you called it'],
  ['model', 'Skill review is active for this turn: the model chose it'],
  ['somebody', 'Skill review is active for this turn'],
])('a skill that %s activated has a quiet line that opens its text', (activated_by, message) => {
  const { entries } = turnOf([prompt(0), item(1, 'skill_activation', { name: 'review', activated_by })]);
  const opens = { type: 'open_skill', turn_id: 't1', seq: 1 };
  expect(entries).toEqual([{ kind: 'mark', seq: 1, message, actions: [], opens }]);
});

describe('a turn that began before what is shown', () => {
  const items = [change(10, 'b.ts'), answer(11, 'Done.')];
  const told: HostMessage = {
    v: 1,
    type: 'turn_state',
    turn_id: 't1',
    client_turn_id: 'c1',
    state: 'completed',
    reason: null,
    next_actions: [],
    evidence: {
      ...turnOf([prompt(0), change(1, 'a.ts'), change(10, 'b.ts')]).fold.evidence,
      changes: turnOf([prompt(0), change(1, 'a.ts'), change(10, 'b.ts')]).fold.evidence.changes.map(
        (one) => ({
          ...one,
          undo_of: [],
          redo_of: [],
        }),
      ),
      commands: [],
      plan: null,
      skills: [],
      undo_open: [],
      redo_open: [],
      undo_mergeable: [],
      redo_mergeable: [],
      merge_opened: [],
      children: [],
    },
  };
  test('claims no total by itself', () => {
    const state = apply(INITIAL, snapshot(items, { has_more: true }), 0);
    expect(shown(apply(state, turnState('completed'), 0))).toBe('in what is shown: 1 file changed');
  });

  test('has the total of the host, which read all of it', () => {
    const state = apply(INITIAL, snapshot(items, { has_more: true }), 0);
    expect(shown(apply(state, told, 0))).toBe('2 files changed');
  });

  test('does not come back as a turn of its own when it is undone', () => {
    const late = [
      change(20, 'a.ts', { undo_of: ['call_1'] }),
      item(21, 'diagnostic', { code: 'undo_requested' }),
    ];
    expect(foldItems(late.map((one) => ({ ...one, turn_id: 'old' })))).toEqual([]);
  });
});

describe('a line of a command', () => {
  test('has its exit code, also when all went well', () => {
    expect(toolLine(callOf([prompt(0), command(1, 'c1'), exited(2, 'c1', 0)])).outcome).toBe('exit 0');
    expect(toolLine(callOf([prompt(0), command(1, 'c1'), exited(2, 'c1', 2)])).outcome).toBe('exit 2');
    const marked = item(2, 'tool_result', {
      call_id: 'c1',
      ok: true,
      output: 'Done by hand.',
      duration_ms: 0,
    });
    expect(toolLine(callOf([prompt(0), command(1, 'c1'), marked])).outcome).toBe('ok');
  });

  test('is named while it runs', () => {
    const turn = turnOf([prompt(0), command(1, 'c1', 'npm test -- login')]);
    const activity = { text: 'Running a tool', since: 0, calls: ['c1'] };
    const facts = { turn, waiting: [], state: 'running', stopping: false, now: 4000, newsAt: 3000 } as const;
    expect(phraseOf({ ...facts, told: toldOfTurn('running', { activity }) }).phrase).toBe(
      'Working: run npm test -- login, 4 s',
    );
    const both = { ...activity, text: 'Running 2 tools', calls: ['c1', 'c2'] };
    expect(phraseOf({ ...facts, told: toldOfTurn('running', { activity: both }) }).phrase).toBe(
      'Working: running 2 tools, 4 s',
    );
  });

  test('keeps the end of what it says while it runs', () => {
    const first = apply(INITIAL, toolState({ state: 'running', progress: 'one\n' }), 0);
    const second = apply(first, toolState({ state: 'running', progress: 'two\n' }), 0);
    expect(second.calls['call_1']?.progress).toBe('one\ntwo\n');
    const flood = apply(second, toolState({ state: 'running', progress: 'x'.repeat(10_000) }), 0);
    expect(flood.calls['call_1']?.progress).toHaveLength(4096);
  });
});

describe('a turn that waits only because outcomes are unknown', () => {
  const turn = turnOf([prompt(0), command(1, 'c1'), suspended(2, { reason: 'outcome_unknown' }, 'c1')]);
  const waiting = waitingCalls(turn, {}, []);

  test('says which command, and looks like a question', () => {
    const facts = {
      turn,
      told: null,
      waiting,
      state: 'waiting',
      stopping: false,
      now: 0,
      newsAt: 0,
    } as const;
    expect(phraseOf(facts).phrase).toBe('Outcome unknown: npm test');
    expect(lookOf('waiting', waiting)).toEqual({ icon: 'question', tone: 'yellow' });
    expect(lookOf('waiting', [])).toEqual({ icon: 'bell-dot', tone: 'yellow' });
  });
});

function planCall(seq: number, steps: unknown): Item {
  const args = JSON.stringify({ steps });
  return item(seq, 'tool_call', { call_id: `p${seq}`, name: 'update_plan', args, stream_run_id: 's1' });
}

describe('a plan', () => {
  const one = [{ step: 'Read', status: 'in_progress' }];
  const two = [{ step: 'Read', status: 'completed' }];

  test('is the last one that was taken', () => {
    const items = [prompt(0), planCall(1, one), result(2, 'p1'), planCall(3, two)];
    expect(turnOf(items).fold.evidence.plan).toEqual(one);
    expect(turnOf([...items, result(4, 'p3')]).fold.evidence.plan).toEqual(two);
    const refused = item(4, 'tool_result', { call_id: 'p3', ok: false, error: {}, duration_ms: 0 });
    expect(turnOf([...items, refused]).fold.evidence.plan).toEqual(one);
  });

  test('of which the calls are not shown comes from the host', () => {
    const state = apply(INITIAL, snapshot([]), 0);
    const message: HostMessage = {
      v: 1,
      type: 'plan',
      turn_id: 't1',
      steps: [{ step: 'Read', status: 'pending' }],
    };
    expect(apply(state, message, 0).plan).toEqual({ turn_id: 't1', steps: message.steps });
    expect(apply(apply(state, message, 0), append([prompt(0)]), 0).plan?.turn_id).toBe('t1');
  });
});
