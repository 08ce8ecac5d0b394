import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { crewAfter } from '../../../webview/agents/crew.ts';
import { stepState, workflowState } from '../../../webview/agents/shown-state.ts';
import { BEGAN, child, children, asks, crewOf, flow, result, spec, step, workflowOf } from './crew-items.ts';
import { crewWithLive } from '../../../webview/agents/crew.ts';

const SEEN = { lost: false, seen_from: -1 };

const PLAN = spec([step('build'), step('lint', [], { required: false }), step('test', ['build', 'lint'])]);

const STARTED = flow(1, 'workflow_started', {
  name: 'Release',
  call_id: 'call_f',
  spec: PLAN,
  deadline_at: '2026-01-02T03:34:00.000Z',
});

const BUILT: readonly Item[] = [
  STARTED,
  flow(2, 'step_scheduled', { step_id: 'build' }),
  child(3, 'spawned', 'queued', { subagent_id: 'b', workflow_id: 'w1', step_id: 'build' }),
  flow(4, 'step_started', { step_id: 'build', subagent_id: 'b', child_session_id: 'session_b' }),
  child(5, 'started', 'running', { subagent_id: 'b', workflow_id: 'w1', step_id: 'build' }),
];

function states(items: readonly Item[]): readonly (string | null)[] {
  const crew = crewOf(items);
  const workflow = workflowOf(items);
  return workflow.steps.map((one) => stepState(one, workflow, crew, SEEN));
}

describe('what the log says of a workflow', () => {
  test('is due later once its deadline has moved', () => {
    const moved = flow(6, 'deadline_moved', { deadline_at: '2026-01-02T03:44:00.000Z' });
    expect(workflowOf([...BUILT, moved]).deadline_at).toBe(BEGAN + 2_400_000);
    expect(workflowOf([moved, STARTED]).deadline_at).toBe(BEGAN + 2_400_000);
  });

  test('is its plan, before any step began', () => {
    expect(workflowOf([STARTED])).toMatchObject({
      name: 'Release',
      state: 'running',
      started_at: BEGAN + 1000,
      deadline_at: BEGAN + 1_800_000,
      timeout_ms: 1_800_000,
      is_whole: true,
      steps: [
        { id: 'build', task: 'Do build', agent: 'worker', required: true, state: null },
        { id: 'lint', required: false },
        { id: 'test', depends_on: ['build', 'lint'] },
      ],
    });
  });

  test('is how far each step is, and which child works on it', () => {
    expect(states(BUILT.slice(0, 2))).toEqual(['queued', null, null]);
    expect(states(BUILT.slice(0, 4))).toEqual(['queued', null, null]);
    expect(states(BUILT)).toEqual(['running', null, null]);
    expect(workflowOf(BUILT).steps[0]).toMatchObject({ subagent_id: 'b', started_at: BEGAN + 4000 });
  });

  test.each([
    ['checkpoint_ready', 'completed'],
    ['partial', 'partial'],
    ['failed', 'failed'],
    ['timed_out', 'timed_out'],
    ['held', 'held'],
    ['needs_orchestrator', 'waiting'],
    ['skipped', 'skipped'],
  ] as const)('is what a step ended with: %s', (status, state) => {
    const artifacts = [{ path: 'out.md', sha256: 'c0ffee' }];
    const decided = flow(9, 'checkpoint_decided', {
      step_id: 'build',
      status,
      result: result('build', status, { reason: 'So it is.', artifacts, limitations: ['Half.'] }),
    });
    expect(states([...BUILT, decided])[0]).toBe(state);
    expect(workflowOf([...BUILT, decided]).steps[0]).toMatchObject({
      summary: 'build is done.',
      reason: 'So it is.',
      elapsed_ms: 2000,
      reported: { limitations: ['Half.'], artifacts: [{ path: 'out.md', sha256: 'c0ffee' }] },
    });
  });

  test.each([
    ['completed', 'completed'],
    ['partial', 'partial'],
    ['failed', 'failed'],
    ['timed_out', 'timed_out'],
    ['held', 'held'],
    ['cancelled', 'cancelled'],
  ] as const)('is how it ended: %s', (status, state) => {
    const finished = flow(20, 'workflow_finished', {
      status,
      ok: status === 'completed',
      completion_ready: status === 'completed',
      partial_outcome_ready: status === 'partial',
      elapsed_ms: 19_000,
      steps: [result('build', 'checkpoint_ready'), result('lint', 'failed'), result('test', 'not_run')],
      next_actions: [{ label: 'Resume', command: 'ledgerline.resumeWorkflow', args: [{}] }],
    });
    const all = [...BUILT, finished];
    expect(workflowState(workflowOf(all), crewOf(all), SEEN)).toBe(state);
    expect(states(all)).toEqual(['completed', 'failed', 'not_run']);
    expect(workflowOf(all).end).toMatchObject({
      elapsed_ms: 19_000,
      completion_ready: status === 'completed',
      partial_outcome_ready: status === 'partial',
      actions: [{ label: 'Resume' }],
    });
  });

  test('goes on once it is resumed: what is done stays done, what never ran waits again', () => {
    const finished = flow(20, 'workflow_finished', {
      status: 'held',
      steps: [result('build', 'checkpoint_ready'), result('lint', 'held'), result('test', 'not_run')],
    });
    const resumed = [...BUILT, finished, flow(30, 'workflow_resumed', { call_id: 'call_g', turn_id: 't2' })];
    expect(workflowOf(resumed)).toMatchObject({ state: 'running', end: null, started_at: BEGAN + 30_000 });
    expect(states(resumed)).toEqual(['completed', 'held', null]);
    const answered = [...resumed, flow(31, 'step_answered', { step_id: 'lint', answer: 'Go on.' })];
    expect(states(answered)).toEqual(['completed', 'queued', null]);
  });

  test('is that a child of it needs a person', () => {
    const crew = crewWithLive(crewOf(BUILT), children({ subagent_id: 'b', questions: [asks('p1')] }));
    expect(workflowState(workflowOf(BUILT), crew, SEEN)).toBe('waiting');
  });

  test('is the same in whatever order its parts of the log are loaded', () => {
    const decided = flow(9, 'checkpoint_decided', {
      step_id: 'build',
      status: 'checkpoint_ready',
      result: result('build', 'checkpoint_ready', { subagent_id: 'b' }),
    });
    const all = [...BUILT, decided];
    const late = crewAfter(crewOf([decided]), BUILT);
    expect(late.workflows.get('w1')?.steps.map(({ id, state }) => [id, state])).toEqual([
      ['build', 'completed'],
      ['lint', null],
      ['test', null],
    ]);
    expect(late.workflows.get('w1')).toMatchObject({
      started_at: workflowOf(all).started_at,
      is_whole: true,
    });
  });

  test('is what is known of it where it began before what is shown', () => {
    const only = workflowOf([child(50, 'waiting', 'running', { workflow_id: 'w1', step_id: 'build' })]);
    expect(only).toMatchObject({ name: null, is_whole: false, steps: [{ id: 'build', subagent_id: 'a1' }] });
  });

  test('of another version is what can be read of it', () => {
    const odd = flow(1, 'workflow_started');
    const data = { ...odd.data, spec: { steps: [{ id: 'a' }, { id: 'a' }, { id: 7 }, 'b', null] } };
    const finished = flow(2, 'workflow_finished', { status: 'shiny' });
    expect(workflowOf([{ ...odd, data }, finished])).toMatchObject({
      status: 'shiny',
      state: 'unknown',
      steps: [{ id: 'a', depends_on: [], required: true }],
    });
  });
});
