import { describe, expect, test } from 'vitest';
import { draft } from '../../../src/runtime/events.ts';
import { applyToWorkflows, MOST_KEPT, type WorkflowState } from '../../../src/runtime/workflows/state.ts';
import { again, changed, cutAfter, lacking, ofFlow, repeated } from '../../support/changed-log.ts';
import { oneOfEach, unknown } from '../../support/made-events.ts';
import {
  cameTo,
  FINISHED,
  foldOf,
  goneOn,
  ran,
  RESUMED,
  specOf,
  statuses,
  workflowIn,
} from './ran-workflow.ts';
import { Bench } from './workflow-bench.ts';

const SPEC = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
const STARTED = ofFlow('workflow_started');
const YES = { action: 'go_on', text: 'Yes.' } as const;

describe('a workflow', () => {
  test('that has started has all its steps before it', async () => {
    const bench = new Bench({ script: () => null });
    void bench.begin({ ...SPEC, timeout_ms: 60_000 }, 'check');
    await bench.clock.idle();
    expect(workflowIn(cutAfter(bench.log.events, STARTED))).toEqual({
      workflow_id: 'w1',
      session_id: 's1',
      name: 'flow',
      spec: { ...SPEC, timeout_ms: 60_000 },
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
    });
  });

  test('keeps what each step is doing and what it ended with', async () => {
    const [a, b] = (await cameTo(SPEC, { a: 'checkpoint_ready' })).steps;
    expect(a).toMatchObject({
      status: 'checkpoint_ready',
      result: { summary: 'a says so.' },
      subagent_id: 'agent_1',
      child_session_id: 'session_of_agent_1',
      attempts: 1,
    });
    expect(b).toMatchObject({
      status: 'running',
      subagent_id: 'agent_2',
      child_session_id: 'session_of_agent_2',
      attempts: 1,
    });
  });

  test('is as it was after a way through JSON, whatever happened', async () => {
    const { events } = (await goneOn(await ran(SPEC, { a: 'held' }), { a: YES })).log;
    for (let seq = 0; seq <= events.length; seq += 1) {
      const state = foldOf(events.slice(0, seq));
      expect([seq, JSON.parse(JSON.stringify(state))]).toEqual([seq, state]);
    }
  });

  test('that is completed is no more than its name, once its call has its result', async () => {
    const { log } = await ran(SPEC, { a: 'checkpoint_ready', b: 'checkpoint_ready' });
    expect(workflowIn(log.events)).toMatchObject({ status: 'completed', spec: SPEC, steps: [{}, {}] });
    await log.append([
      draft('tool_result', { turn_id: 't1', call_id: 'c1', ok: true, output: '{}', duration_ms: 1 }),
    ]);
    expect(workflowIn(log.events)).toMatchObject({
      workflow_id: 'w1',
      status: 'completed',
      spec: null,
      steps: [],
    });
  });

  test('that is over takes nothing more, until it goes on', async () => {
    const bench = await ran(SPEC, { a: 'partial' });
    const { log } = bench;
    const late = again(log.events, ofFlow('checkpoint_decided'));
    expect(workflowIn(late)).toEqual(workflowIn(log.events));
    const resumed = (await goneOn(bench)).log.events;
    expect(workflowIn(resumed)).toMatchObject({
      status: 'running',
      call_id: 'c2',
      turn_id: 't2',
      steps: [{ status: 'running' }, {}],
    });
    expect(workflowIn(again(resumed, ofFlow('checkpoint_decided'))).steps[0]?.status).toBe('partial');
  });

  test('that is ended with a word of a later version has failed', async () => {
    const { log } = await ran(SPEC, { a: 'held' });
    expect(workflowIn(changed(log.events, FINISHED, { status: 'evaporated' })).status).toBe('failed');
  });
});

describe('when a workflow goes on because it was asked for,', () => {
  test.each([
    ['checkpoint_ready', 'checkpoint_ready', 'anew'],
    ['skipped', 'skipped', 'anew'],
    ['held', 'held', 'anew'],
    ['needs_orchestrator', 'needs_orchestrator', 'anew'],
    ['failed', 'pending', 'anew'],
    ['timed_out', 'pending', 'anew'],
    ['cancelled', 'pending', 'anew'],
    ['partial', 'pending', 'partial'],
  ] as const)('a step that was %s is %s and begins %s', async (before, status, begins) => {
    const bench = await ran(SPEC, { a: before, b: 'failed' });
    const { events } = (await goneOn(bench)).log;
    const last = events.findLastIndex(RESUMED);
    const [step] = workflowIn(events.slice(0, last + 1)).steps;
    expect([step?.status, step?.begins]).toEqual([status, begins]);
  });

  test('a step whose end nobody saw goes on, and one that had not begun begins as it would have', async () => {
    const bench = await ran(specOf({ id: 'a' }, { id: 'b' }));
    const left = cutAfter(bench.log.events, ofFlow('step_started', 'a')).length;
    const { events } = (await goneOn(bench, null, bench.log.lines.slice(0, left))).log;
    const [a, b] = workflowIn(cutAfter(events, RESUMED)).steps;
    expect(a).toMatchObject({ status: 'pending', begins: 'interrupted', subagent_id: 'agent_1' });
    expect(b).toMatchObject({ status: 'pending', begins: 'anew', subagent_id: null });
  });

  test('an answer that was never passed on still is', async () => {
    const bench = await goneOn(await ran(SPEC, { a: 'held' }), { a: YES });
    const left = bench.log.events.findLastIndex(ofFlow('step_scheduled', 'a')) + 1;
    const later = (await goneOn(bench, null, bench.log.lines.slice(0, left))).log.events;
    const [a] = workflowIn(later.slice(0, later.findLastIndex(RESUMED) + 1)).steps;
    expect(a).toMatchObject({ status: 'pending', begins: 'answered', answers: [YES] });
  });
});

test('when a workflow goes on because a person answered, only what they answered does', async () => {
  const spec = specOf({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
  const bench = await ran(spec, { a: 'held', b: 'failed', c: 'partial', d: 'held' });
  const { events } = (await goneOn(bench, { a: YES, d: { action: 'skip', text: '' } })).log;
  const skipped = events.findLastIndex(ofFlow('checkpoint_decided', 'd'));
  expect(statuses(workflowIn(events.slice(0, skipped + 1)))).toEqual({
    a: 'pending',
    b: 'failed',
    c: 'partial',
    d: 'skipped',
  });
});

describe('nonsense in a log', async () => {
  const { events } = (await ran(SPEC)).log;
  const begun = cutAfter(events, STARTED);
  const started = cutAfter(events, ofFlow('step_started', 'a'));
  const decided = (await ran(SPEC, { a: 'checkpoint_ready' })).log.events;

  test.each([
    { event: 'step_started', step_id: 'nobody' },
    { event: 'step_started', step_id: undefined },
    { event: 'checkpoint_decided', status: undefined },
    { event: 'checkpoint_decided', status: 'wonderful' },
    { event: 'checkpoint_decided', status: undefined, result: 7 },
    { event: 'step_answered', answer: { action: 'go_on' } },
    { event: 'step_scheduled', step_id: 7 },
    { event: 'danced' },
  ])('changes nothing: %j', (facts) => {
    const odd = changed(started, ofFlow('step_scheduled'), facts).slice(begun.length, begun.length + 1);
    expect(foldOf([...begun, ...odd])).toEqual(foldOf(begun));
  });

  test.each([undefined, null, 7, {}, { id: 'w', steps: [{ id: 'a', task: 'T', depends_on: ['a'] }] }])(
    'in place of a spec leaves nothing that could be run: %j',
    (spec) => {
      const bare = lacking(begun, STARTED, 'name', ...(spec === undefined ? ['spec'] : []));
      const odd = spec === undefined ? bare : changed(bare, STARTED, { spec });
      expect(foldOf(odd)).toMatchObject([{ workflow_id: 'w1', name: 'w1', spec: null, steps: [] }]);
    },
  );

  test('about a workflow that never started, and every other event, changes nothing', async () => {
    const later = (await goneOn(await ran(SPEC, { a: 'held' }))).log.events;
    expect(foldOf(later.filter((event) => !STARTED(event)))).toEqual([]);
    const { workflow_event, ...others } = oneOfEach();
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
    const odd = changed(decided, ofFlow('checkpoint_decided'), { result });
    const [a] = workflowIn(cutAfter(odd, ofFlow('checkpoint_decided'))).steps;
    expect(a?.result).toEqual({
      id: 'a',
      status: 'partial',
      required: true,
      summary: '',
      limitations: ['L'],
      verification: [],
      artifacts: [{ path: 'x', sha256: null }],
      reason: null,
      subagent_id: null,
      child_session_id: null,
      elapsed_ms: null,
      next_actions: [],
    });
  });

  test('does not take back what is ready', () => {
    const ready = cutAfter(decided, ofFlow('checkpoint_decided'));
    const failed = changed(again(ready, ofFlow('checkpoint_decided')), ({ seq }) => seq === ready.length, {
      status: 'failed',
      result: undefined,
    });
    expect(workflowIn(failed)).toEqual(workflowIn(ready));
  });
});

test('of many workflows the oldest are forgotten, and never one that runs', async () => {
  const { log } = await ran(SPEC, { a: 'failed' });
  const many = repeated(log.events, ({ type }) => type === 'workflow_event', 'w1', MOST_KEPT + 5);
  const open = many.filter(
    ({ type, data }) =>
      type !== 'workflow_event' || data.workflow_id !== 'w1.1' || data.event !== 'workflow_finished',
  );
  const kept = foldOf(open);
  expect(kept).toHaveLength(MOST_KEPT);
  expect(kept.slice(0, 2).map(({ workflow_id }) => workflow_id)).toEqual(['w1.1', 'w1.6']);
});

test('of many workflows one that could be gone on with stays, and what is completed is forgotten', async () => {
  const held = (await ran(SPEC, { a: 'held' })).log.events;
  const done = (await ran(SPEC, { a: 'checkpoint_ready', b: 'checkpoint_ready' })).log.events;
  const many = repeated(done, ({ type }) => type === 'workflow_event', 'w1', MOST_KEPT + 4);
  const kept = foldOf([...held, ...many]);
  expect(kept).toHaveLength(MOST_KEPT);
  expect(kept.slice(0, 2).map(({ workflow_id }) => workflow_id)).toEqual(['w1', 'w1.5']);
});
