import { describe, expect, it } from 'vitest';
import type { EventData, LogEvent } from '../../../src/runtime/events.ts';
import { DiagnosisFold, type LogFacts } from '../../../src/runtime/inspection/diagnosis.ts';
import {
  applyToSessionTrace,
  emptyTrace,
  turnsIn,
  TURNS_KEPT,
  type SessionTrace,
} from '../../../src/runtime/inspection/session-tree.ts';
import { thinned } from '../../../src/runtime/inspection/thin-event.ts';
import { inEnglish } from '../../../src/runtime/inspection/spoken-words.ts';
import type { TreeNode } from '../../../src/runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../../../src/runtime/inspection/tree-nodes.ts';
import { CALLS_KEPT } from '../../../src/runtime/inspection/turn-trace.ts';
import { foldReplay } from '../../../src/runtime/replay/fold.ts';
import { SOUND } from '../../support/log-facts.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { call, fails, HANG, message, reasoning, responds, text } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { COMMAND, READ, toolBox } from '../../support/tool-stubs.ts';
import { WHOLE_STORY } from '../whole-story.ts';

function traced(events: readonly LogEvent[]): SessionTrace {
  return events.reduce((trace, event) => applyToSessionTrace(trace, event), emptyTrace('s1'));
}

function treeOf(
  events: readonly LogEvent[],
  facts: Partial<LogFacts> = { lease: 'held' },
): ReadonlyMap<string, TreeNode> {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  const diagnosis = fold.finish({ ...SOUND, ...facts });
  return new SessionTreeNodes().build({
    trace: traced(events),
    earlier: [],
    diagnosis,
    live: facts.lease === 'held',
  });
}

/** The tree as a person sees it: a line a node, indented by its depth. */
function drawn(nodes: ReadonlyMap<string, TreeNode>, id = 'session', depth = 0): readonly string[] {
  const node = nodes.get(id);
  if (node === undefined) return [];
  const { state, label, detail } = node;
  const line = `${'  '.repeat(depth)}${[`[${state}]`, inEnglish(label), inEnglish(detail)].filter((part) => part !== '').join(' ')}`;
  return [line, ...node.children.flatMap((child) => drawn(nodes, child, depth + 1))];
}

function the(nodes: ReadonlyMap<string, TreeNode>, id: string): TreeNode {
  const node = nodes.get(id);
  if (node === undefined) throw new Error(`no ${id} in ${[...nodes.keys()].join(', ')}`);
  return node;
}

function evidenceOf(nodes: ReadonlyMap<string, TreeNode>, id: string): readonly string[] {
  return the(nodes, id).evidence.map(inEnglish);
}

const DONE = responds(message('Done.'));

describe('the tree of a session', () => {
  it('has the turns, newest first, with their calls, and proves each state', async () => {
    const bench = new SessionBench({
      scripts: [
        responds(call('c1', 'read', { path: 'a' }), call('c2', 'nothing')),
        DONE,
        [text('Half'), fails('server_error')],
      ],
    });
    await bench.run('One.');
    await bench.run('Two.');
    const nodes = treeOf(bench.events);
    expect(drawn(nodes)).toEqual([
      '[partial_failed] One. 2 turns, 22 events',
      '  [attention] Warnings 2',
      '    [attention] 1 partial answer, kept as evidence and not sent to the model. preserved_partials',
      '      [attention] seq 18: characters 4',
      '    [attention] 1 failed turn, recorded as such. turn_failures',
      '      [attention] seq 16: stopped early, error of the provider',
      '  [partial_failed] Two. The provider had an internal error. Your prompt is safe; try again.',
      '  [completed] One. 2 calls',
      '    [completed] read a',
      '    [failed] nothing unknown tool',
    ]);
    expect(evidenceOf(nodes, 'turn:turn_1')).toEqual([
      'Completed: answer at seq 13, 2 of 2 calls have their result, none pending.',
      'Message at seq 2, last event at seq 15.',
      '2 requests, 220 tokens.',
    ]);
    expect(evidenceOf(nodes, 'turn:turn_2').slice(0, 2)).toEqual([
      'Stopped early: partial answer at seq 18, failure at seq 20, no calls.',
      'Reason: The provider had an internal error. Your prompt is safe; try again.',
    ]);
    expect(evidenceOf(nodes, 'turn:turn_1/call:c1')).toEqual([
      'Called at seq 4.',
      'Permission at seq 7: allowed (mode auto).',
      'Started at seq 10.',
      'State since seq 12: succeeded.',
      'Result at seq 11: ok.',
    ]);
  });

  it('says of a running turn that it has not ended, and of one that nobody runs that it is stale', async () => {
    const bench = new SessionBench({ scripts: [[HANG]] });
    await bench.clock.until(bench.send('Go.'));
    await bench.clock.idle();
    expect(drawn(treeOf(bench.events))).toEqual(['[running] Go. 1 turn, 4 events', '  [running] Go.']);
    expect(drawn(treeOf(bench.events, { lease: 'free' })).at(-1)).toBe('  [stale] Go.');
    expect(evidenceOf(treeOf(bench.events), 'turn:turn_1')[0]).toBe(
      'Not ended: no complete answer and no failure yet, no calls.',
    );
  });

  it('shows what waits for a person, and where to decide', async () => {
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'write', { path: 'a' }))],
      settings: { permission_mode: 'ask' },
    });
    await bench.run('Go.');
    const nodes = treeOf(bench.events);
    expect(drawn(nodes)).toContain('  [waiting] Go. 1 approval');
    expect(drawn(nodes)).toContain('    [waiting] write a approval');
    const decide = {
      label: 'Decide in chat',
      command: 'ledgerline.revealInChat',
      args: [{ what: 'decision', turn_id: 'turn_1' }],
    };
    expect(the(nodes, 'turn:turn_1').next_actions).toEqual([decide]);
    expect(the(nodes, 'turn:turn_1/call:c1').next_actions).toEqual([decide]);
    expect(evidenceOf(nodes, 'turn:turn_1')[0]).toMatch(
      /^Waiting since seq \d+: approval of write \(seq \d+\)\.$/,
    );
  });

  it('tells an unknown outcome from a wait', async () => {
    const tools = toolBox({ run: COMMAND, read: READ });
    const bench = new SessionBench({ scripts: [responds(call('c1', 'run')), DONE], tools });
    await bench.run('Go.');
    const running = bench.log.lines.findIndex((line) => line.includes('"to":"running"'));
    const again = new SessionBench({ scripts: [], lines: bench.log.lines.slice(0, running + 1), tools });
    await again.clock.until(again.session.recover(null, tools));
    const lines = drawn(treeOf(again.events));
    expect(lines).toContain('  [outcome_unknown] Go. 1 unknown outcome');
    expect(lines).toContain('    [outcome_unknown] run');
  });

  it('offers to try again only for the last turn, because it is the last message that is sent', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), fails('server_error')], DONE] });
    await bench.run('One.');
    expect(the(treeOf(bench.events), 'turn:turn_1').next_actions.map(({ label }) => label)).toContain(
      'Try again',
    );
    await bench.run('Two.');
    expect(the(treeOf(bench.events), 'turn:turn_1').next_actions).toEqual([]);
  });

  it('knows the request behind each call and each turn', async () => {
    const bench = new SessionBench({
      scripts: [responds(reasoning('rs_1'), call('c1', 'read', { path: 'a' })), DONE],
    });
    await bench.run('One.');
    const nodes = treeOf(bench.events);
    const before = (type: string): number => bench.events.findIndex((event) => event.type === type) - 1;
    expect(the(nodes, 'turn:turn_1/call:c1').request_at).toBe(before('reasoning'));
    expect(the(nodes, 'turn:turn_1').request_at).toBe(before('assistant_message'));
  });

  it('puts damage first, with its line', () => {
    const damage = [{ line: 4, reason: 'not valid JSON' }];
    const nodes = treeOf([], { damage });
    expect(drawn(nodes)).toEqual([
      '[blocked] Session 0 turns, 0 events',
      '  [blocked] Warnings 2',
      '    [blocked] Line 4 is damaged: not valid JSON. The session opens read-only; nothing was changed. log_integrity',
      '      [blocked] line 4: not valid JSON',
      '    [attention] No request is made of a damaged log: the session opens read-only. provider_replay',
    ]);
    expect(the(nodes, 'check:log_integrity/0').line).toBe(4);
    // What its line says is not said again below it.
    expect(
      ['check:log_integrity', 'check:log_integrity/0', 'check:provider_replay'].map((id) =>
        the(nodes, id).evidence.map(inEnglish),
      ),
    ).toEqual([['line 4: not valid JSON'], [], []]);
    expect(the(nodes, 'check:log_integrity').next_actions.map(({ label }) => label)).toEqual([
      'Open log',
      'Export',
      'Fork from the last good event',
    ]);
  });

  it('is empty for an empty log', () => {
    expect(treeOf([]).size).toBe(0);
  });
});

const child = (event: string, status: string, more: Partial<EventData['subagent_event']> = {}): LogEvent =>
  made('subagent_event', 0, {
    turn_id: 't1',
    subagent_id: 'a1',
    child_session_id: 's2',
    event,
    status,
    ...more,
  });
const flow = (event: string, more: Partial<EventData['workflow_event']> = {}): LogEvent =>
  made('workflow_event', 0, { turn_id: 't1', workflow_id: 'w1', event, ...more });
const { user_message: PROMPT, turn_failed: FAILED, diagnostic: DIAGNOSTIC } = oneOfEach();

describe('children and workflows', () => {
  it('are below the turn that made them, each with its state and what proves it', () => {
    const nodes = treeOf(
      numbered([
        PROMPT,
        child('queued', 'queued', { task: 'Look.', agent: 'explorer' }),
        child('started', 'running'),
        child('finished', 'completed', { summary: 'Seen.', elapsed_ms: 900 }),
        child('delivered', 'completed'),
        flow('workflow_started'),
        flow('step_scheduled', { step_id: 'one' }),
        flow('step_started', { step_id: 'one' }),
        flow('checkpoint_decided', { step_id: 'one', status: 'checkpoint_ready' }),
        flow('step_held', { step_id: 'two' }),
        flow('workflow_finished', { status: 'partial' }),
      ]),
    );
    expect(drawn(nodes)).toEqual([
      '[running] hello 1 turn, 11 events',
      '  [running] hello',
      '    [completed] Look. explorer',
      '    [partial] w1 2 steps',
      '      [completed] one',
      '      [held] two',
    ]);
    expect(nodes.get('turn:t1/subagent:a1')?.child_session_id).toBe('s2');
    expect(evidenceOf(nodes, 'turn:t1/subagent:a1')).toEqual([
      'State since seq 3, 2026-01-01T00:00:00.000Z: completed.',
      'First told of at seq 1.',
      'Started at seq 2, 2026-01-01T00:00:00.000Z.',
      'Its own log: session s2.',
      'Task: Look.',
      'Summary: Seen.',
      'Limit unknown, elapsed 0.9 s.',
      'Told to the model at seq 4.',
    ]);
    expect(evidenceOf(nodes, 'turn:t1/workflow:w1')).toEqual([
      'Finished at seq 10, 2026-01-01T00:00:00.000Z: partial.',
      'Started at seq 5, 2026-01-01T00:00:00.000Z.',
      '2 of 2 steps have a checkpoint.',
      'Workflow w1',
    ]);
  });

  it('are stale where nobody could end them, and say how they ended where they did', () => {
    const events = numbered([PROMPT, child('started', 'running'), flow('workflow_started'), FAILED]);
    const lines = drawn(treeOf(events));
    expect(lines).toContain('    [stale] a1');
    expect(lines).toContain('    [stale] w1 0 steps');
    const late = child('finished', 'timed_out', { timeout_ms: 1000, elapsed_ms: 1100 });
    const nodes = treeOf(numbered([PROMPT, child('started', 'running'), late]));
    expect(drawn(nodes)).toContain('    [timed_out] a1');
    expect(evidenceOf(nodes, 'turn:t1/subagent:a1')).toContain('Limit 1.0 s, elapsed 1.1 s.');
  });

  it('that were continued run again, and a word of a later version is shown as it is', () => {
    const again = numbered([
      PROMPT,
      child('started', 'running'),
      child('lost', 'detached'),
      child('input', 'running'),
    ]);
    expect(drawn(treeOf(again))).toContain('    [running] a1');
    expect(drawn(treeOf(numbered([PROMPT, child('x', 'dreaming')])))).toContain('    [unknown] a1 dreaming');
  });

  it('of no turn are below the session', () => {
    const event = made('subagent_event', 0, {
      subagent_id: 'a1',
      child_session_id: 's2',
      event: 'started',
      status: 'running',
    });
    expect(drawn(treeOf([event]))).toEqual(['[ok] Session 0 turns, 1 event', '  [running] a1']);
  });
});

describe('the trace of a session', () => {
  it('says of diagnostics where they belong', () => {
    const ofTurn = made('diagnostic', 0, { ...DIAGNOSTIC.data, turn_id: 't1' });
    const lines = drawn(treeOf(numbered([DIAGNOSTIC, PROMPT, ofTurn])));
    expect(lines).toEqual([
      '[running] hello 1 turn, 3 events',
      '  [attention] Warnings 1',
      '    [attention] Odd. odd',
      '  [running] hello',
      '    [attention] Odd. odd',
    ]);
  });

  it('keeps the last turns in detail and counts the others', () => {
    const prompts = Array.from({ length: TURNS_KEPT + 3 }, (_, index) =>
      made('user_message', index, { ...PROMPT.data, turn_id: `t${index}`, text: `Turn ${index}` }),
    );
    const trace = traced(prompts);
    expect([trace.turn_count, trace.turns.length, trace.title]).toEqual([
      TURNS_KEPT + 3,
      TURNS_KEPT,
      'Turn 0',
    ]);
    expect(drawn(treeOf(prompts)).at(-1)).toBe('  [ok] Show earlier turns 3 turns');
    expect(turnsIn(prompts.slice(0, 3)).map(({ title }) => title)).toEqual(['Turn 0', 'Turn 1', 'Turn 2']);
  });

  it('keeps the last calls of a long turn and counts the others', () => {
    const { tool_call } = oneOfEach();
    const calls = Array.from({ length: CALLS_KEPT + 2 }, (_, index) =>
      made('tool_call', 0, { ...tool_call.data, call_id: `c${index}`, stream_run_id: `r${index}` }),
    );
    const [, turn, earlier] = drawn(treeOf(numbered([PROMPT, ...calls])));
    expect([turn, earlier]).toEqual(['  [running] hello', '    [ok] 2 earlier calls']);
  });

  it('leaves turns that an event does not touch as they were', () => {
    const second = made('user_message', 1, { ...PROMPT.data, turn_id: 't2' });
    const before = traced([made('user_message', 0, PROMPT.data), second]);
    const after = applyToSessionTrace(before, made('run_status', 2, { turn_id: 't2', status: 'done' }));
    expect(after.turns[0]).toBe(before.turns[0]);
    expect(after.turns[1]).not.toBe(before.turns[1]);
  });
});

describe('a thin event', () => {
  it('makes the same items of a request, but for what is in them', () => {
    const target = { model: 'm1', endpoint: 'e1' };
    const kinds = (events: readonly LogEvent[]): readonly string[] =>
      foldReplay(events, target).map((item) =>
        'call_id' in item ? `${item.type} ${String(item.call_id)}` : item.type,
      );
    expect(kinds(WHOLE_STORY.map(thinned))).toEqual(kinds(WHOLE_STORY));
    expect(kinds(WHOLE_STORY).length).toBeGreaterThan(4);
  });
});
