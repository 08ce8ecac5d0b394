import { describe, expect, test } from 'vitest';
import type { ToolOutcome } from '../../../src/runtime/ports.ts';
import { resumption } from '../../../src/runtime/call-drafts.ts';
import type { OpenCall } from '../../../src/runtime/turn-calls.ts';
import {
  performWorkflow,
  refusedWorkflow,
  workflowIdOf,
  type WorkflowTask,
} from '../../../src/runtime/workflows/perform.ts';
import { CountedIds } from '../../support/memory-log.ts';
import { specOf } from './ran-workflow.ts';
import { Bench, checkpoint, ready, type Script } from './workflow-bench.ts';

const SPEC = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
const CALL = { turn_id: 't1', call_id: 'c1' };
const START = { kind: 'start', workflow_id: 'w1', spec: SPEC, template: null } as const;
const RESUME = { kind: 'resume', workflow_id: 'w1' } as const;

const ASKS: Script = ({ step_id, words }) =>
  step_id === 'a' && words.length === 0 ? { checkpoint: checkpoint('held', { summary: 'Which?' }) } : ready();

/** One step is ready, what comes after it is held. */
const HALF: Script = ({ step_id }) => (step_id === 'a' ? ready() : { checkpoint: checkpoint('held') });

function perform(bench: Bench, task: Omit<WorkflowTask, 'call'>): Promise<ToolOutcome> {
  return performWorkflow(bench.ports, { call: CALL, ...task });
}

/** The result that a call answers, which is nothing but JSON. */
function answered(outcome: ToolOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'suspended') throw new Error('it asks');
  return JSON.parse(outcome.output ?? '');
}

test('the answer of a workflow is its result as JSON, and nothing around it', async () => {
  const bench = new Bench();
  const outcome = await perform(bench, { work: START });
  expect(outcome).toMatchObject({ kind: 'success', changes: [] });
  expect(answered(outcome)).toMatchObject({
    ok: true,
    workflow_id: 'w1',
    status: 'completed',
    next_actions: [],
  });
  expect(answered(outcome)).toEqual(
    expect.objectContaining({ steps: bench.events.at(-1)?.steps, completion_ready: true }),
  );
});

test('a workflow that failed answers that, and the call has done its work', async () => {
  const outcome = await perform(new Bench({ script: () => ({ status: 'failed' }) }), { work: START });
  expect(outcome.kind).toBe('success');
  expect(answered(outcome)).toMatchObject({ ok: false, status: 'failed' });
});

describe('a workflow that is held', () => {
  test('is ended on record, then asks a person', async () => {
    const bench = new Bench({ script: ASKS });
    const outcome = await perform(bench, { work: START });
    expect(bench.told.at(-1)).toBe('workflow_finished held');
    expect(outcome).toMatchObject({
      kind: 'suspended',
      suspension: { reason: 'workflow_held', resume_mode: 'pass_decision_to_tool' },
    });
  });

  test('goes on with the answer, in the same call', async () => {
    const bench = new Bench({ script: ASKS });
    await perform(bench, { work: START });
    const outcome = await perform(bench, { work: START, decision: { result: 'The first.' } });
    expect(answered(outcome)).toMatchObject({ ok: true, status: 'completed' });
    expect(bench.agents.children[0]?.words).toEqual(['The first.']);
  });

  test('goes on without words where a person only says to', async () => {
    const bench = new Bench({ script: ASKS });
    await perform(bench, { work: START });
    const outcome = await perform(bench, { work: START, decision: { result: undefined } });
    expect(answered(outcome)).toMatchObject({ ok: true, status: 'completed' });
    expect(bench.agents.children[0]?.words).toEqual([
      'Go on. Finish the task you were given, then report with report_checkpoint.',
    ]);
  });

  test('that is forgotten by the time it is answered does not begin once more', async () => {
    const bench = new Bench();
    const outcome = await perform(bench, { work: START, decision: { result: 'The first.' } });
    expect(outcome).toMatchObject({ kind: 'failure', error: { kind: 'unknown_workflow' } });
    expect(bench.told).toEqual([]);
  });

  test.each([null, {}, '', true, { approved: true }])(
    'asks again where the decision is %j',
    async (result) => {
      const bench = new Bench({ script: ASKS });
      const asked = await perform(bench, { work: START });
      const before = bench.told;
      expect(await perform(bench, { work: START, decision: { result } })).toEqual(asked);
      expect(bench.told).toEqual(before);
    },
  );

  test('is over as it is where a person says so, and nothing runs', async () => {
    const bench = new Bench({ script: ASKS });
    await perform(bench, { work: START });
    const before = bench.told;
    const outcome = await perform(bench, { work: START, decision: { result: { finish: true } } });
    expect(answered(outcome)).toMatchObject({ ok: false, status: 'held' });
    expect(bench.told).toEqual(before);
  });

  test('asks also where it has something usable, but not where it is complete', async () => {
    expect((await perform(new Bench({ script: HALF }), { work: START })).kind).toBe('suspended');
    const spec = specOf({ id: 'a' }, { id: 'b', required: false });
    expect((await perform(new Bench({ script: HALF }), { work: { ...START, spec } })).kind).toBe('success');
  });

  test('tells the model what it has, where nobody answers', async () => {
    const outcome = await perform(new Bench({ script: HALF }), { work: START });
    if (outcome.kind !== 'suspended') throw new Error('it does not ask');
    const call = {
      call_id: 'c1',
      name: 'run_workflow',
      state: 'suspended',
      suspension: { id: 'q1', ...outcome.suspension },
      approved: [],
    } as unknown as OpenCall;
    const decision = { decision_id: 'd1', action: 'cancel', decided_by: 'user' } as never;
    const [result] = resumption('t1', call, decision, new CountedIds()).drafts;
    expect(result).toMatchObject({
      type: 'tool_result',
      data: {
        ok: false,
        error: { kind: 'denied', message: expect.stringContaining('It can be resumed later.') },
      },
    });
    const told = result?.type === 'tool_result' ? (result.data.output ?? '') : '';
    expect(JSON.parse(told)).toMatchObject({
      status: 'partial',
      steps: [{ status: 'checkpoint_ready' }, {}],
    });
  });
});

describe('a call to resume', () => {
  test('goes on with a workflow that did not complete', async () => {
    let isSecond = false;
    const bench = new Bench({ script: () => (isSecond ? ready() : { status: 'failed' }) });
    await perform(bench, { work: START });
    isSecond = true;
    expect(answered(await perform(bench, { work: RESUME }))).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['unknown_workflow', [], 'This session has no workflow w1 to resume. Nothing was started.'],
    ['workflow_completed', [{ event: 'workflow_finished', status: 'completed' }], 'is completed'],
    ['workflow_running', [], 'is running already'],
  ])('is refused as %s', async (kind, events, words) => {
    const bench = new Bench();
    const told = kind === 'unknown_workflow' ? [] : [{ event: 'workflow_started', spec: SPEC }, ...events];
    await bench.record(
      told.map((data) => ({ type: 'workflow_event' as const, data: { workflow_id: 'w1', ...data } })),
    );
    expect(await perform(bench, { work: RESUME })).toMatchObject({
      kind: 'failure',
      error: { kind, message: expect.stringContaining(words) },
    });
    expect(bench.agents.children).toEqual([]);
  });

  test('is refused where the log has no spec that could be run', async () => {
    const bench = new Bench();
    await bench.record([
      { type: 'workflow_event', data: { workflow_id: 'w1', event: 'workflow_started' } },
      { type: 'workflow_event', data: { workflow_id: 'w1', event: 'workflow_finished', status: 'held' } },
    ]);
    expect(await perform(bench, { work: RESUME })).toMatchObject({ error: { kind: 'unknown_workflow' } });
  });
});

test('a workflow that is stopped is a call that is stopped, with how far it came', async () => {
  const bench = new Bench({ script: ({ step_id }) => (step_id === 'a' ? ready() : null) });
  const running = perform(bench, { work: START });
  await bench.clock.idle();
  bench.halting.abort({ kind: 'interrupted', reason: 'user_cancelled' });
  const outcome = await running;
  expect(outcome).toMatchObject({ kind: 'failure', error: { kind: 'cancelled' } });
  expect(answered(outcome)).toMatchObject({ status: 'cancelled', partial_outcome_ready: true });
});

test('what is wrong with a workflow is told all at once', () => {
  const mistakes = [
    { at: 'name', message: 'is missing' },
    { at: 'steps', message: 'has no step' },
  ];
  expect(refusedWorkflow(mistakes)).toEqual({
    kind: 'failure',
    error: {
      kind: 'invalid_arguments',
      message: 'The workflow was refused, and nothing was started:\nname: is missing\nsteps: has no step',
    },
    changes: [],
  });
});

test('a call has one workflow', () => {
  expect(workflowIdOf('call_7')).toBe('wf_call_7');
});
