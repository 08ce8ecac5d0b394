import { describe, expect, it } from 'vitest';
import type { StepResult, StepSpec, WorkflowSpec } from '../../../src/runtime/agent-events.ts';
import { STEPS_KEPT } from '../../../src/runtime/inspection/workflow-traces.ts';
import { oneOfEach } from '../../support/made-events.ts';
import { actionsOf, ChildStory, drawn, evidenceOf, treeOf } from '../../support/child-story.ts';

const FLOW = 'turn:t1/workflow:w1';

function step(id: string, more: Partial<StepSpec> = {}): StepSpec {
  return {
    id,
    task: `Do ${id}.`,
    agent: 'worker',
    depends_on: [],
    permission_mode: null,
    read_set: [],
    write_set: [],
    timeout_ms: null,
    required: true,
    ...more,
  };
}

function spec(...steps: readonly StepSpec[]): WorkflowSpec {
  return { id: 'port', name: 'Port the client', max_concurrency: 2, timeout_ms: null, steps };
}

function result(id: string, status: StepResult['status'], more: Partial<StepResult> = {}): StepResult {
  return {
    id,
    status,
    required: true,
    summary: `${id} is ${status}.`,
    limitations: [],
    verification: [],
    artifacts: [],
    reason: null,
    subagent_id: null,
    child_session_id: null,
    elapsed_ms: null,
    next_actions: [],
    ...more,
  };
}

/** A workflow of three steps whose first one is at work. */
function begun(): ChildStory {
  const steps = [step('survey'), step('port', { depends_on: ['survey'] }), step('test', { required: false })];
  return new ChildStory()
    .turn('t1')
    .flow('workflow_started', { spec: spec(...steps), spec_sha256: 'abc', status: 'running' })
    .flow('step_scheduled', { step_id: 'survey', status: 'queued' })
    .started('a1', { workflow_id: 'w1', step_id: 'survey' })
    .flow('step_started', { step_id: 'survey', subagent_id: 'a1', child_session_id: 's2' });
}

describe('a workflow', () => {
  it('has all steps of its spec in their order, and each child under its step', () => {
    expect(drawn(treeOf(begun()), FLOW)).toEqual([
      '[running] Port the client 3 steps',
      '  [running] survey',
      '    [running] Look at a1.',
      '  [queued] port not scheduled yet',
      '  [queued] test not scheduled yet',
    ]);
    expect(drawn(treeOf(begun()), 'turn:t1')).toHaveLength(6);
    expect(drawn(treeOf(begun(), { lease: 'free' }), FLOW)).toEqual([
      '[stale] Port the client 3 steps',
      '  [stale] survey',
      '    [stale] Look at a1.',
      '  [queued] port not scheduled yet',
      '  [queued] test not scheduled yet',
    ]);
  });

  it('is proven step by step, by results and hashes', () => {
    const artifacts = [{ path: 'a.ts', sha256: 'f00d' }];
    const done = result('survey', 'checkpoint_ready', {
      artifacts,
      elapsed_ms: 4000,
      child_session_id: 's2',
    });
    const story = begun().flow('checkpoint_decided', {
      step_id: 'survey',
      status: 'checkpoint_ready',
      result: done,
    });
    const nodes = treeOf(story);
    expect(evidenceOf(nodes, `${FLOW}/step:survey`)).toEqual([
      'State since seq 6: checkpoint ready.',
      'Started at seq 5.',
      'Checkpoint decided at seq 6.',
      'Task: Do survey.',
      'Summary: survey is checkpoint_ready.',
      'Elapsed 4.0 s.',
      'Reported: checkpoint ready, limitations: 0, verified by: 0.',
      'Artefact a.ts: SHA-256 f00d',
      'Its own log: session s2.',
    ]);
    expect(actionsOf(nodes, `${FLOW}/step:survey`)).toEqual(['Open transcript: ledgerline.openAgent ["s2"]']);
    expect(evidenceOf(nodes, `${FLOW}/step:port`)).toEqual([
      'Not scheduled yet.',
      'No checkpoint yet.',
      'Depends on: survey.',
      'Task: Do port.',
    ]);
    expect(nodes.get(`${FLOW}/step:port`)?.seq).toBe(1);
    expect(evidenceOf(nodes, FLOW)).toContain('Spec: SHA-256 abc');
    expect(evidenceOf(nodes, FLOW)).toContain('1 of 3 steps have a checkpoint.');
  });

  it('that was held and resumed has had more than one end, and is at work again', () => {
    const resume = {
      label: 'Resume workflow',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id: 'w1' }],
    };
    const story = begun()
      .ended('a1', 'completed', { workflow_id: 'w1', step_id: 'survey' })
      .flow('step_held', {
        step_id: 'survey',
        status: 'needs_orchestrator',
        result: result('survey', 'needs_orchestrator'),
      })
      .flow('workflow_finished', {
        status: 'held',
        ok: false,
        completion_ready: false,
        partial_outcome_ready: false,
        steps: [result('survey', 'needs_orchestrator'), result('port', 'not_run'), result('test', 'not_run')],
        next_actions: [resume],
      });
    const held = treeOf(story);
    expect(drawn(held, FLOW)).toEqual([
      '[held] Port the client 3 steps',
      '  [waiting] survey needs a decision',
      '    [completed] Look at a1.',
      '  [not_run] port',
      '  [not_run] test',
    ]);
    expect(actionsOf(held, FLOW)).toEqual([
      'Resume workflow: ledgerline.resumeWorkflow [{"session_id":"s1","workflow_id":"w1"}]',
    ]);
    expect(evidenceOf(held, FLOW)).toContain('Nothing of it can be used yet.');
    story
      .turn('t2')
      .flow('workflow_resumed')
      .flow('step_answered', { step_id: 'survey', answer: 'Go on.' })
      .started('a2', { workflow_id: 'w1', step_id: 'survey', child_session_id: 's3' })
      .flow('step_started', { step_id: 'survey', subagent_id: 'a2', child_session_id: 's3' });
    const again = treeOf(story);
    expect(drawn(again, FLOW)).toEqual([
      '[running] Port the client 3 steps',
      '  [running] survey',
      '    [completed] Look at a1.',
      '    [running] Look at a2.',
      '  [queued] port not scheduled yet',
      '  [queued] test not scheduled yet',
    ]);
    expect(actionsOf(again, FLOW)).toEqual([]);
    expect(evidenceOf(again, FLOW)).toEqual(
      expect.arrayContaining(['Not finished yet.', 'It had ended at seq 8: held.', 'Resumed at seq 10.']),
    );
    expect(evidenceOf(again, `${FLOW}/step:survey`)).toContain('Answered at seq 11.');
    story.flow('checkpoint_decided', { step_id: 'survey', status: 'checkpoint_ready' });
    story.flow('workflow_finished', { status: 'completed', ok: true, completion_ready: true });
    const done = treeOf(story);
    expect(drawn(done, FLOW)[0]).toBe('[completed] Port the client 3 steps');
    expect(evidenceOf(done, FLOW)).toEqual(
      expect.arrayContaining([
        'Finished at seq 16, 2026-01-01T00:00:00.000Z: completed.',
        'It had ended at seq 8: held.',
        'All required steps are ready.',
      ]),
    );
  });

  it('that ended says what became of steps that no other event speaks of', () => {
    const story = begun().flow('workflow_finished', {
      status: 'cancelled',
      steps: [result('survey', 'cancelled'), result('port', 'skipped')],
    });
    expect(drawn(treeOf(story), FLOW)).toEqual([
      '[cancelled] Port the client 3 steps',
      '  [cancelled] survey',
      '    [running] Look at a1.',
      '  [skipped] port',
      '  [not_run] test',
    ]);
    expect(evidenceOf(treeOf(story), `${FLOW}/step:survey`)).toContain('Checkpoint decided at seq 6.');
  });

  it('is named by the call that runs it', () => {
    const { tool_call } = oneOfEach();
    const story = new ChildStory().turn('t1');
    const args = [
      { workflow: { name: 'Port it', steps: [] } },
      { workflow: { template: 'port', parameters: {} } },
      { workflow: { resume: 'w1' } },
      { workflow: 7 },
    ];
    for (const [n, one] of args.entries())
      story.add('tool_call', {
        ...tool_call.data,
        call_id: `c${n}`,
        name: 'run_workflow',
        args: JSON.stringify(one),
      });
    expect(drawn(treeOf(story), 'turn:t1').slice(1)).toEqual([
      '  [queued] run_workflow Port it',
      '  [queued] run_workflow port',
      '  [queued] run_workflow w1',
      '  [queued] run_workflow',
    ]);
  });

  it('without a spec has the steps that the log speaks of', () => {
    const story = new ChildStory()
      .turn('t1')
      .flow('step_started', { step_id: 'one' })
      .flow('step_dreamt', { step_id: 'two' });
    expect(drawn(treeOf(story), FLOW)).toEqual([
      '[running] w1 2 steps',
      '  [running] one',
      '  [unknown] two unknown (step_dreamt)',
    ]);
  });

  it('of very many steps shows the first, and says how many more there are', () => {
    const steps = Array.from({ length: STEPS_KEPT + 7 }, (_, n) => step(`step${n}`));
    const story = new ChildStory()
      .turn('t1')
      .flow('workflow_started', { spec: spec(...steps) })
      .flow('step_started', { step_id: `step${STEPS_KEPT + 1}` });
    const lines = drawn(treeOf(story), FLOW);
    expect([lines[0], lines.at(-1)]).toEqual([
      `[running] Port the client ${STEPS_KEPT + 7} steps`,
      '  [ok] 7 more steps',
    ]);
  });
});
