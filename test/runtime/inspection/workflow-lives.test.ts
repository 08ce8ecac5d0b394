import { describe, expect, it } from 'vitest';
import { STEPS_KEPT } from '../../../src/runtime/inspection/workflow-traces.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, NOTHING, reports, run, slowly } from '../../support/cast-provider.ts';
import { changed, cutAfter, dataOf, lacking, ofFlow, placeOf, without } from '../../support/changed-log.ts';
import { FLOW, FLOW_ID, READY, runsFlow, type Plan } from '../../support/flow-stories.ts';
import { actionsOf, drawn, evidenceOf, treeOf } from '../../support/drawn-tree.ts';
import { HASHER } from '../../support/session-bench.ts';
import type { Script } from '../../support/scripted-provider.ts';

const END = ofFlow('workflow_finished');
const FILES = { 'a.ts': 'const a = 1;' };

/** Three steps, of which the first says this. */
function port(survey: readonly Script[]): Plan {
  return {
    name: 'Port the client',
    max_concurrency: 1,
    steps: {
      survey: { says: survey },
      port: { depends_on: ['survey'] },
      test: { required: false, depends_on: ['port'] },
    },
  };
}

/** How they are drawn while the first is at work, or was when all of it came to this state. */
function surveying(state: 'running' | 'stale'): readonly string[] {
  return [
    `[${state}] Port the client 3 steps`,
    `  [${state}] survey`,
    `    [${state}] Do survey.`,
    '  [queued] port not scheduled yet',
    '  [queued] test not scheduled yet',
  ];
}

describe('a workflow', () => {
  it('has all steps of its spec in their order, and each child under its step', async () => {
    const bench = await runsFlow(port([NOTHING]));
    expect(drawn(treeOf(bench), FLOW)).toEqual(surveying('running'));
    expect(drawn(treeOf(bench), 'turn:turn_1')).toHaveLength(7);
    expect(drawn(treeOf(bench, { lease: 'free' }), FLOW)).toEqual(surveying('stale'));
  });

  it('is proven step by step, by results and hashes', async () => {
    const lines = slowly(4000, reports('checkpoint_ready', 'It is known.', { artifacts: ['a.ts'] }));
    const bench = await runsFlow(port(lines), { files: FILES });
    await bench.pass(4000);
    const log = cutAfter(bench.events, ofFlow('checkpoint_decided', 'survey'));
    const nodes = treeOf({ events: log });
    const decided = log.length - 1;
    expect(evidenceOf(nodes, `${FLOW}/step:survey`)).toEqual([
      `State since seq ${decided}: checkpoint ready.`,
      `Started at seq ${placeOf(log, ofFlow('step_started'))}.`,
      `Checkpoint decided at seq ${decided}.`,
      'Task: Do survey.',
      'Summary: It is known.',
      'Elapsed 4.0 s.',
      'Reported: checkpoint ready, limitations: 0, verified by: 0.',
      `Artefact a.ts: SHA-256 ${HASHER.sha256(FILES['a.ts'])}`,
      'Its own log: session session_1.',
    ]);
    expect(actionsOf(nodes, `${FLOW}/step:survey`)).toEqual([
      'Open transcript: ledgerline.openAgent ["session_1"]',
    ]);
    expect(evidenceOf(nodes, `${FLOW}/step:port`)).toEqual([
      'Not scheduled yet.',
      'No checkpoint yet.',
      'Depends on: survey.',
      'Task: Do port.',
    ]);
    const started = placeOf(log, ofFlow('workflow_started'));
    expect(nodes.get(`${FLOW}/step:port`)?.seq).toBe(started);
    const spec = String(dataOf(log, ofFlow('workflow_started'))['spec_sha256']);
    expect(evidenceOf(nodes, FLOW)).toContain(`Spec: SHA-256 ${spec}`);
    expect(evidenceOf(nodes, FLOW)).toContain('1 of 3 steps have a checkpoint.');
  });

  it('that was held and answered has had more than one end, and is at work again', async () => {
    const plan = port([...reports('needs_orchestrator', 'Which?'), ...slowly(1000, READY)]);
    const bench = await runsFlow(plan);
    const held = treeOf(bench);
    expect(drawn(held, FLOW)).toEqual([
      '[held] Port the client 3 steps',
      '  [waiting] survey needs a decision',
      '    [completed] Do survey.',
      '  [not_run] port',
      '  [not_run] test',
    ]);
    expect(actionsOf(held, FLOW)).toEqual([
      `Resume workflow: ledgerline.resumeWorkflow [{"session_id":"s1","workflow_id":"${FLOW_ID}"}]`,
      'Open transcript: survey: ledgerline.openAgent ["session_1"]',
    ]);
    expect(evidenceOf(held, FLOW)).toContain('Nothing of it can be used yet.');
    const first = placeOf(bench.events, END);
    await bench.decide('suspension_1', 'resume', 'The second.');
    const again = treeOf(bench);
    expect(drawn(again, FLOW)).toEqual(surveying('running'));
    expect(actionsOf(again, FLOW)).toEqual([]);
    const resumed = placeOf(bench.events, ofFlow('workflow_resumed'));
    expect(evidenceOf(again, FLOW)).toEqual(
      expect.arrayContaining([
        'Not finished yet.',
        `It had ended at seq ${first}: held.`,
        `Resumed at seq ${resumed}.`,
      ]),
    );
    const answered = placeOf(bench.events, ofFlow('step_answered'));
    expect(evidenceOf(again, `${FLOW}/step:survey`)).toContain(`Answered at seq ${answered}.`);
    await bench.pass(1000);
    const done = treeOf(bench);
    const last = bench.events.findLast(END)?.seq;
    expect(drawn(done, FLOW)[0]).toBe('[completed] Port the client 3 steps');
    expect(evidenceOf(done, FLOW)).toEqual(
      expect.arrayContaining([
        `Finished at seq ${last}, 2026-01-01T00:00:01.000Z: completed.`,
        `It had ended at seq ${first}: held.`,
        'All required steps are ready.',
      ]),
    );
  });

  it('that ended says what became of steps that no other event speaks of', async () => {
    const bench = await runsFlow(port([NOTHING]));
    await bench.stop();
    const log = without(bench.events, ofFlow('checkpoint_decided'));
    const nodes = treeOf({ events: log });
    expect(drawn(nodes, FLOW)).toEqual([
      '[cancelled] Port the client 3 steps',
      '  [cancelled] survey',
      '    [cancelled] Do survey.',
      '  [not_run] port',
      '  [not_run] test',
    ]);
    expect(evidenceOf(nodes, `${FLOW}/step:survey`)).toContain(
      `Checkpoint decided at seq ${placeOf(log, END)}.`,
    );
  });

  it('is named by the call that runs it', async () => {
    const bench = new AgentBench({
      'Go.': [
        asks(
          run('c0', { name: 'Port it', steps: [] }),
          ['c1', 'run_workflow', { template: 'port', parameters: {} }],
          ['c2', 'run_workflow', { resume: 'w1' }],
          run('c3', [7]),
        ),
        NOTHING,
      ],
    });
    await bench.turn('Go.');
    expect(drawn(treeOf(bench), 'turn:turn_1').slice(1)).toEqual([
      '  [failed] run_workflow Port it invalid arguments',
      '  [failed] run_workflow port invalid arguments',
      '  [failed] run_workflow w1 unknown workflow',
      '  [failed] run_workflow invalid arguments',
    ]);
  });

  it('without a spec has the steps that the log speaks of', async () => {
    const bench = await runsFlow({ steps: { one: { says: [NOTHING] }, two: { says: [NOTHING] } } });
    const bare = lacking(bench.events, ofFlow('workflow_started'), 'spec', 'name');
    const log = changed(
      lacking(bare, ofFlow('step_started', 'two'), 'status'),
      ofFlow('step_started', 'two'),
      { event: 'step_dreamt' },
    );
    const lines = drawn(treeOf({ events: without(log, ofFlow('step_scheduled')) }), FLOW);
    expect(lines.filter((line) => !line.startsWith('    '))).toEqual([
      `[running] ${FLOW_ID} 2 steps`,
      '  [running] one',
      '  [unknown] two unknown (step_dreamt)',
    ]);
  });

  it('of very many steps shows the first, and says how many more there are', async () => {
    const bench = await runsFlow({ name: 'Port', steps: { one: { says: [NOTHING] } } });
    const log = changed(bench.events, ofFlow('workflow_started'), (data) => {
      const spec = data['spec'] as { readonly steps: readonly object[] };
      const steps = Array.from({ length: STEPS_KEPT + 7 }, (_, n) => ({ ...spec.steps[0], id: `step${n}` }));
      return { ...data, spec: { ...spec, steps } };
    });
    const started = changed(log, ofFlow('step_started'), { step_id: `step${STEPS_KEPT + 1}` });
    const lines = drawn(treeOf({ events: without(started, ofFlow('step_scheduled')) }), FLOW);
    expect(lines[0]).toBe(`[running] Port ${STEPS_KEPT + 7} steps`);
    expect(lines).toContain('  [ok] 7 more steps');
  });
});
