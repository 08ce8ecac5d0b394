import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
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
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, reports, run, says, spawn, wait } from '../../support/cast-provider.ts';
import { changed, isEnd, lacking, ofChild, ofFlow, placeOf, without } from '../../support/changed-log.ts';
import { leavesAlone, TASK } from '../../support/child-stories.ts';
import { SOUND } from '../../support/log-facts.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { call, DONE, fails, HANG, reasoning, responds, text } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
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
    await bench.begin('Go.');
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
    const bench = new SessionBench({ scripts: [responds(call('c1', 'run')), DONE] });
    await bench.run('Go.');
    const again = await bench.diedAfter('"to":"running"');
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

const { user_message: PROMPT, diagnostic: DIAGNOSTIC } = oneOfEach();

describe('children and workflows', () => {
  it('are below the turn that made them, each with its state and what proves it', async () => {
    const steps = [
      { id: 'one', task: 'Do one.' },
      { id: 'two', task: 'Do two.' },
    ];
    const bench = new AgentBench({
      'Go.': [
        asks(spawn('c1', 'Look.', { agent: 'explorer' })),
        asks(wait('c2')),
        asks(run('c3', { name: 'Flow', steps })),
      ],
      'Look.': [later(900, says('Seen.'))],
      'Do one.': reports('checkpoint_ready', 'It is ready.'),
      'Do two.': reports('held', 'Which?'),
    });
    await bench.turn('Go.');
    await bench.pass(900);
    const { events } = bench;
    const nodes = treeOf(events);
    expect(drawn(nodes)).toEqual([
      `[waiting] Go. 1 turn, ${events.length} events`,
      '  [attention] Warnings 1',
      '    [attention] 1 call waiting for a person. pending_decisions',
      '      [attention] call c3, run_workflow',
      '  [waiting] Go. 1 question',
      '    [completed] spawn_agent Look.',
      '    [completed] wait_agent 0.9 s',
      '    [waiting] run_workflow Flow question of a workflow',
      '    [completed] Look. explorer',
      '    [partial] Flow 2 steps',
      '      [completed] one',
      '        [completed] Do one.',
      '      [held] two',
      '        [completed] Do two.',
    ]);
    const child = 'turn:turn_1/subagent:agent_1';
    expect(nodes.get(child)?.child_session_id).toBe('session_1');
    const [spawned, began, ended] = ['spawned', 'started', 'finished'].map((event) =>
      placeOf(events, ofChild(event)),
    );
    expect(evidenceOf(nodes, child)).toEqual([
      `State since seq ${ended}, 2026-01-01T00:00:00.900Z: completed.`,
      `First told of at seq ${spawned}.`,
      `Started at seq ${began}, 2026-01-01T00:00:00.000Z.`,
      'Deadline: 2026-01-01T00:10:00.000Z.',
      'Its own log: session session_1.',
      'Task: Look.',
      'Summary: Seen.',
      'Limit 10 min, elapsed 0.9 s.',
      `Told to the model at seq ${(ended ?? 0) + 1}.`,
    ]);
    const [started, finished] = ['workflow_started', 'workflow_finished'].map((event) =>
      placeOf(events, ofFlow(event)),
    );
    expect(evidenceOf(nodes, 'turn:turn_1/workflow:wf_c3')).toEqual([
      `Finished at seq ${finished}, 2026-01-01T00:00:00.900Z: partial.`,
      `Started at seq ${started}, 2026-01-01T00:00:00.900Z.`,
      '2 of 2 steps have a checkpoint.',
      'A part of it can be used.',
      expect.stringMatching(/^Spec: SHA-256 [0-9a-f]{64}$/u),
      'Elapsed <0.1 s.',
      'Workflow wf_c3',
    ]);
  });

  it('are stale where their turn is over and nobody ended them', async () => {
    const steps = [{ id: 'one', task: 'Do one.' }];
    const bench = await new AgentBench({
      'Go.': [asks(spawn('c1', 'Look.'), run('c2', { name: 'Flow', steps }))],
      'Look.': [NOTHING],
      'Do one.': [NOTHING],
    }).turn('Go.');
    await bench.stop();
    const lines = drawn(
      treeOf(without(bench.events, isEnd, ofFlow('workflow_finished'), ofFlow('checkpoint_decided'))),
    );
    expect(lines).toContain('    [stale] Look.');
    expect(lines).toContain('    [stale] Flow 1 step');
  });

  it('of a later version are shown as far as their words are known', async () => {
    const { events } = await leavesAlone([NOTHING], NOTHING);
    const dreams = changed(events, ofChild('started'), { event: 'x', status: 'dreaming' });
    expect(drawn(treeOf(dreams))).toContain(`    [unknown] ${TASK} dreaming`);
  });

  it('of no turn are below the session', async () => {
    const { events } = await leavesAlone([NOTHING], NOTHING);
    const alone = lacking(events, ofChild('started'), 'turn_id').filter(ofChild('started'));
    expect(drawn(treeOf(alone))).toEqual(['[ok] Session 0 turns, 1 event', '  [running] agent_1']);
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
