import { describe, expect, test } from 'vitest';
import type { WorkflowEvent } from '../../../src/runtime/agent-events.ts';
import { applyToWorkflows, MOST_KEPT, type WorkflowState } from '../../../src/runtime/workflows/state.ts';
import { made, oneOfEach, unknown } from '../../support/made-events.ts';
import {
  foldOf,
  ranTo,
  resultOfStep,
  specOf,
  started,
  statuses,
  workflowOf,
  type Told,
} from './workflow-log.ts';

const SPEC = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
const FINISHED: Told = { event: 'workflow_finished', status: 'failed' };

describe('a workflow', () => {
  test('that has started has all its steps before it', () => {
    expect(workflowOf(started(SPEC, { template: 'check', deadline_at: '2026-01-01T00:01:00.000Z' }))).toEqual(
      {
        workflow_id: 'w1',
        session_id: 's1',
        name: 'flow',
        spec: SPEC,
        template: 'check',
        call_id: 'c1',
        turn_id: 't1',
        started_at: '2026-01-01T00:00:00.000Z',
        deadline_at: '2026-01-01T00:01:00.000Z',
        status: 'running',
        steps: ['a', 'b'].map((id) => ({
          id,
          status: 'pending',
          begins: 'anew',
          result: null,
          subagent_id: null,
          child_session_id: null,
          attempts: 0,
          answers: [],
        })),
      },
    );
  });

  test('keeps what each step is doing and what it ended with', () => {
    const [a, b] = workflowOf(
      started(SPEC),
      ...ranTo('a', 'checkpoint_ready'),
      { event: 'step_scheduled', step_id: 'b' },
      { event: 'step_started', step_id: 'b', subagent_id: 'x', child_session_id: 'y' },
    ).steps;
    expect(a).toMatchObject({
      status: 'checkpoint_ready',
      result: { summary: 'a says so.' },
      subagent_id: 'agent_a',
      child_session_id: 'session_a',
      attempts: 1,
    });
    expect(b).toMatchObject({ status: 'running', subagent_id: 'x', child_session_id: 'y', attempts: 1 });
  });

  test('is as it was after a way through JSON, whatever happened', () => {
    const state = foldOf(started(SPEC), ...ranTo('a', 'held'), {
      event: 'step_answered',
      step_id: 'a',
      answer: { action: 'go_on', text: 'Yes.' },
    });
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  test('that is completed is no more than its name', () => {
    expect(workflowOf(started(SPEC), { event: 'workflow_finished', status: 'completed' })).toMatchObject({
      workflow_id: 'w1',
      status: 'completed',
      spec: null,
      steps: [],
    });
  });

  test('that is over takes nothing more, until it goes on', () => {
    const over = [started(SPEC), FINISHED];
    expect(workflowOf(...over, ...ranTo('a', 'partial'))).toEqual(workflowOf(...over));
    const resumed: Told = { event: 'workflow_resumed', call_id: 'c2', turn_id: 't2' };
    expect(workflowOf(...over, resumed, ...ranTo('a', 'partial'))).toMatchObject({
      status: 'running',
      call_id: 'c2',
      turn_id: 't2',
      steps: [{ status: 'partial' }, {}],
    });
  });

  test('that is ended with a word of a later version has failed', () => {
    expect(workflowOf(started(SPEC), { event: 'workflow_finished', status: 'evaporated' }).status).toBe(
      'failed',
    );
  });
});

describe('when a workflow goes on because it was asked for,', () => {
  const RESUMED: Told = { event: 'workflow_resumed', reason: 'asked' };

  test.each([
    ['checkpoint_ready', 'checkpoint_ready', 'anew'],
    ['skipped', 'skipped', 'anew'],
    ['held', 'held', 'anew'],
    ['needs_orchestrator', 'needs_orchestrator', 'anew'],
    ['failed', 'pending', 'anew'],
    ['timed_out', 'pending', 'anew'],
    ['cancelled', 'pending', 'anew'],
    ['partial', 'pending', 'partial'],
  ] as const)('a step that was %s is %s and begins %s', (before, status, begins) => {
    const [step] = workflowOf(started(SPEC), ...ranTo('a', before), FINISHED, RESUMED).steps;
    expect([step?.status, step?.begins]).toEqual([status, begins]);
  });

  test('a step whose end nobody saw goes on, and one that had not begun begins as it would have', () => {
    const [a, b] = workflowOf(
      started(specOf({ id: 'a' }, { id: 'b' })),
      ...ranTo('a', 'failed').slice(0, 2),
      { event: 'step_scheduled', step_id: 'b' },
      FINISHED,
      RESUMED,
    ).steps;
    expect(a).toMatchObject({ status: 'pending', begins: 'interrupted', subagent_id: 'agent_a' });
    expect(b).toMatchObject({ status: 'pending', begins: 'anew', subagent_id: null });
  });

  test('an answer that was never passed on still is', () => {
    const [a] = workflowOf(
      started(SPEC),
      ...ranTo('a', 'held'),
      FINISHED,
      { event: 'workflow_resumed', reason: 'answered' },
      { event: 'step_answered', step_id: 'a', answer: { action: 'go_on', text: 'Yes.' } },
      { event: 'step_scheduled', step_id: 'a' },
      FINISHED,
      RESUMED,
    ).steps;
    expect(a).toMatchObject({
      status: 'pending',
      begins: 'answered',
      answers: [{ action: 'go_on', text: 'Yes.' }],
    });
  });
});

test('when a workflow goes on because a person answered, only what they answered does', () => {
  const spec = specOf({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
  const workflow = workflowOf(
    started(spec),
    ...ranTo('a', 'held'),
    ...ranTo('b', 'failed'),
    ...ranTo('c', 'partial'),
    ...ranTo('d', 'held'),
    FINISHED,
    { event: 'workflow_resumed', reason: 'answered' },
    { event: 'step_answered', step_id: 'a', answer: { action: 'go_on', text: 'Yes.' } },
    { event: 'step_answered', step_id: 'd', answer: { action: 'skip' } },
    { event: 'checkpoint_decided', step_id: 'd', result: resultOfStep('d', 'skipped') },
  );
  expect(statuses(workflow)).toEqual({ a: 'pending', b: 'failed', c: 'partial', d: 'skipped' });
});

describe('nonsense in a log', () => {
  const nonsense: readonly Told[] = [
    { event: 'step_started', step_id: 'nobody' },
    { event: 'step_started' },
    { event: 'checkpoint_decided', step_id: 'a' },
    { event: 'checkpoint_decided', step_id: 'a', status: 'wonderful' },
    { event: 'checkpoint_decided', step_id: 'a', result: 7 as never },
    { event: 'step_answered', step_id: 'a', answer: { action: 'go_on' } },
    { event: 'step_scheduled', step_id: 7 as never },
    { event: 'danced', step_id: 'a' },
  ];

  test.each(nonsense.map((one) => [one]))('changes nothing: %j', (one) => {
    expect(foldOf(started(SPEC), one)).toEqual(foldOf(started(SPEC)));
  });

  test.each([undefined, null, 7, {}, { id: 'w', steps: [{ id: 'a', task: 'T', depends_on: ['a'] }] }])(
    'in place of a spec leaves nothing that could be run: %j',
    (spec) => {
      const told = { event: 'workflow_started', ...(spec === undefined ? {} : { spec }) };
      expect(foldOf(told as never)).toMatchObject([{ workflow_id: 'w1', name: 'w1', spec: null, steps: [] }]);
    },
  );

  test('about a workflow that never started, and every other event, changes nothing', () => {
    const { workflow_event, ...others } = oneOfEach();
    expect(foldOf(FINISHED, { event: 'workflow_resumed' })).toEqual([]);
    const none: readonly WorkflowState[] = [];
    for (const event of [...Object.values(others), unknown(3, 'later', {})])
      expect(applyToWorkflows(none, event)).toBe(none);
    expect(applyToWorkflows(none, workflow_event)).toHaveLength(1);
  });

  test('in the result of a step is left out, and the rest of it counts', () => {
    const result = {
      id: 'z',
      status: 'partial',
      summary: 7,
      artifacts: [{ path: 'x' }, 4],
      limitations: ['L', 1],
    };
    const [a] = workflowOf(started(SPEC), {
      event: 'checkpoint_decided',
      step_id: 'a',
      result: result as never,
    }).steps;
    expect(a?.result).toEqual({
      ...resultOfStep('a', 'partial', { limitations: ['L'], summary: '', elapsed_ms: null }),
      artifacts: [{ path: 'x', sha256: null }],
    });
  });

  test('does not take back what is ready', () => {
    const ready = [started(SPEC), ...ranTo('a', 'checkpoint_ready')];
    expect(workflowOf(...ready, ...ranTo('a', 'failed'))).toEqual(workflowOf(...ready));
  });
});

test('of many workflows the oldest are forgotten, and never one that runs', () => {
  const events = Array.from({ length: MOST_KEPT + 5 }, (_, index) => index).flatMap((index) => {
    const data = (more: Told): WorkflowEvent => ({ workflow_id: `w${index}`, ...more });
    return [data(started(SPEC)), ...(index === 1 ? [] : [data(FINISHED)])];
  });
  const kept = events
    .map((data, seq) => made('workflow_event', seq, data))
    .reduce<readonly WorkflowState[]>(applyToWorkflows, []);
  expect(kept).toHaveLength(MOST_KEPT);
  expect(kept.slice(0, 2).map(({ workflow_id }) => workflow_id)).toEqual(['w1', 'w6']);
});

test('of many workflows one that could be gone on with stays, and what is completed is forgotten', () => {
  const events = Array.from({ length: MOST_KEPT + 5 }, (_, index) => index).flatMap((index) => {
    const data = (more: Told): WorkflowEvent => ({ workflow_id: `w${index}`, ...more });
    return [data(started(SPEC)), data({ ...FINISHED, status: index < 2 ? 'held' : 'completed' })];
  });
  const kept = events
    .map((data, seq) => made('workflow_event', seq, data))
    .reduce<readonly WorkflowState[]>(applyToWorkflows, []);
  expect(kept).toHaveLength(MOST_KEPT);
  expect(kept.slice(0, 3).map(({ workflow_id }) => workflow_id)).toEqual(['w0', 'w1', 'w7']);
});
