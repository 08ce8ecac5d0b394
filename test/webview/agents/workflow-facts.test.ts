import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { crewAfter, crewWithLive } from '../../../webview/agents/crew.ts';
import type { Workflow } from '../../../webview/agents/workflow-facts.ts';
import { stepState, workflowState } from '../../../webview/agents/shown-state.ts';
import { NOTHING, reports, slowly } from '../../support/cast-provider.ts';
import { changed, cutAfter, ofChild, ofFlow } from '../../support/changed-log.ts';
import { MINUTE } from '../../support/child-stories.ts';
import { READY, runsFlow, type Plan } from '../../support/flow-stories.ts';
import type { AgentBench } from '../../support/agent-bench.ts';
import type { Script } from '../../support/scripted-provider.ts';
import { BEGAN, COMMAND, crewOf, itemsOf, workflowOf } from './crew-items.ts';

const SEEN = { lost: false, seen_from: -1 };

/** Three steps, of which the first says this. */
function release(build: readonly Script[], more: Partial<Plan> = {}): Plan {
  const steps = {
    build: { agent: 'worker', says: build },
    lint: { agent: 'worker', required: false, says: READY },
    test: { agent: 'worker', depends_on: ['build', 'lint'] },
  };
  return { name: 'Release', timeout_ms: 30 * MINUTE, max_concurrency: 1, steps, ...more };
}

const building = await runsFlow(release([NOTHING]));
const BUILDING = building.items;

function states(items: readonly Item[]): readonly (string | null)[] {
  const crew = crewOf(items);
  const workflow = workflowOf(items);
  return workflow.steps.map((one) => stepState(one, workflow, crew, SEEN));
}

function until(bench: AgentBench, event: string, step_id?: string): readonly Item[] {
  return itemsOf(cutAfter(bench.events, ofFlow(event, step_id)));
}

function facts({ steps, started_at, is_whole, end }: Workflow): object {
  return {
    steps: steps.map(({ id, state, subagent_id }) => [id, state, subagent_id]),
    started_at,
    is_whole,
    end,
  };
}

describe('what the log says of a workflow', () => {
  test('is due later once it has waited for a person, in whatever order that is seen', async () => {
    const bench = await runsFlow(release([COMMAND, NOTHING]), { mode: 'ask' });
    await bench.pass(10 * MINUTE);
    await bench.decide('suspension_c1', 'cancel');
    expect(workflowOf(bench.items).deadline_at).toBe(BEGAN + 40 * MINUTE);
    expect(workflowOf(bench.items.toReversed()).deadline_at).toBe(BEGAN + 40 * MINUTE);
    await bench.pass(MINUTE);
    await bench.stop();
    expect(workflowOf(bench.items).end).toMatchObject({ elapsed_ms: MINUTE });
  });

  test('is its plan, before any step began', () => {
    expect(workflowOf(until(building, 'workflow_started'))).toMatchObject({
      name: 'Release',
      state: 'running',
      started_at: BEGAN,
      deadline_at: BEGAN + 1_800_000,
      timeout_ms: 1_800_000,
      is_whole: true,
      steps: [
        { id: 'build', task: 'Do build.', agent: 'worker', required: true, state: null },
        { id: 'lint', required: false },
        { id: 'test', depends_on: ['build', 'lint'] },
      ],
    });
  });

  test('is how far each step is, and which child works on it', () => {
    expect(states(until(building, 'step_scheduled'))).toEqual(['queued', null, null]);
    expect(states(itemsOf(cutAfter(building.events, ofChild('spawned'))))).toEqual(['queued', null, null]);
    expect(states(BUILDING)).toEqual(['running', null, null]);
    expect(workflowOf(BUILDING).steps[0]).toMatchObject({ subagent_id: 'agent_1', started_at: BEGAN });
  });

  test.each([
    ['checkpoint_ready', 'completed'],
    ['partial', 'partial'],
    ['failed', 'failed'],
    ['held', 'held'],
    ['needs_orchestrator', 'waiting'],
  ] as const)('is what a step ended with: %s', async (status, state) => {
    const report = { limitations: ['Half.'], artifacts: ['out.md'] };
    const lines = slowly(2000, reports(status, 'So it is.', report));
    const bench = await runsFlow(release(lines), { files: { 'out.md': 'x' } });
    await bench.pass(2000);
    const isHeld = status === 'held' || status === 'needs_orchestrator';
    const items = until(bench, isHeld ? 'step_held' : 'checkpoint_decided', 'build');
    expect(states(items)[0]).toBe(state);
    expect(workflowOf(items).steps[0]).toMatchObject({
      summary: 'So it is.',
      elapsed_ms: 2000,
      reported: { limitations: ['Half.'], artifacts: [{ path: 'out.md', bytes: 1 }] },
    });
  });

  test('is that a step took too long, or that a person skipped it', async () => {
    const steps = { build: { timeout_ms: MINUTE, says: [NOTHING] } };
    const late = await runsFlow({ steps });
    await late.pass(MINUTE);
    expect(states(until(late, 'checkpoint_decided'))).toEqual(['timed_out']);
    const skipped = await runsFlow({ steps: { build: { says: reports('held', 'Which?') } } });
    await skipped.decide('suspension_1', 'resume', { skip: ['build'] });
    expect(states(skipped.items)).toEqual(['skipped']);
    expect(workflowOf(skipped.items).steps[0]?.reason).toBe('A person skipped it.');
  });

  test.each([
    ['completed', READY, []],
    ['partial', reports('partial', 'Half.'), ['Resume workflow']],
    ['failed', reports('failed', 'No.'), ['Resume workflow', 'Open transcript: build']],
    ['held', reports('held', 'Which?'), ['Resume workflow', 'Open transcript: build']],
  ] as const)('is how it ended: %s', async (status, says, actions) => {
    const steps = { build: { says: slowly(19_000, says) }, test: { depends_on: ['build'] } };
    const bench = await runsFlow({ steps });
    await bench.pass(19_000);
    const { items } = bench;
    expect(workflowState(workflowOf(items), crewOf(items), SEEN)).toBe(status);
    const { end } = workflowOf(items);
    expect(end).toMatchObject({
      elapsed_ms: 19_000,
      completion_ready: status === 'completed',
      partial_outcome_ready: status === 'partial',
    });
    expect(end?.actions.map(({ label }) => label)).toEqual(actions);
  });

  test('is that it took too long, or was stopped', async () => {
    const late = await runsFlow(release([NOTHING], { timeout_ms: MINUTE }));
    await late.pass(2 * MINUTE);
    expect(workflowState(workflowOf(late.items), crewOf(late.items), SEEN)).toBe('timed_out');
    expect(states(late.items)).toEqual(['timed_out', 'not_run', 'not_run']);
    const stopped = await runsFlow(release([NOTHING]));
    await stopped.stop();
    expect(workflowState(workflowOf(stopped.items), crewOf(stopped.items), SEEN)).toBe('cancelled');
    expect(states(stopped.items)).toEqual(['cancelled', 'not_run', 'not_run']);
  });

  test('goes on once it is resumed: what is done stays done, what never ran waits again', async () => {
    const steps = {
      build: {},
      lint: { says: [...reports('held', 'Which?'), NOTHING] },
      test: { depends_on: ['lint'] },
    };
    const bench = await runsFlow({ steps });
    await bench.pass(30_000);
    await bench.decide('suspension_1', 'resume', 'Go on.');
    const resumed = until(bench, 'workflow_resumed');
    expect(workflowOf(resumed)).toMatchObject({ state: 'running', end: null, started_at: BEGAN + 30_000 });
    expect(states(resumed)).toEqual(['completed', 'held', null]);
    expect(states(until(bench, 'step_answered'))).toEqual(['completed', 'queued', null]);
    expect(states(bench.items)).toEqual(['completed', 'running', null]);
  });

  test('is that a child of it needs a person', async () => {
    const bench = await runsFlow(release([COMMAND]), { mode: 'ask' });
    const crew = crewWithLive(crewOf(bench.items), bench.children);
    expect(workflowState(workflowOf(bench.items), crew, SEEN)).toBe('waiting');
    expect(workflowState(workflowOf(bench.items), crewOf(bench.items), SEEN)).toBe('waiting');
  });

  test('is the same in whatever order its parts of the log are loaded', async () => {
    const { items } = await runsFlow(release(READY));
    const whole = facts(workflowOf(items));
    for (let cut = 1; cut < items.length; cut += 1) {
      const late = crewAfter(crewOf(items.slice(cut)), items.slice(0, cut)).workflows.get('wf_flow');
      expect([cut, late === undefined ? null : facts(late)]).toEqual([cut, whole]);
    }
  });

  test('is what is known of it where it began before what is shown', async () => {
    const bench = await runsFlow(release([COMMAND]), { mode: 'ask' });
    const only = workflowOf(itemsOf(bench.events.filter(ofChild('waiting'))));
    expect(only).toMatchObject({
      name: null,
      is_whole: false,
      steps: [{ id: 'build', subagent_id: 'agent_1' }],
    });
  });

  test('of another version is what can be read of it', async () => {
    const { events } = await runsFlow({ steps: { one: {} } });
    const spec = { steps: [{ id: 'a' }, { id: 'a' }, { id: 7 }, 'b', null] };
    const odd = changed(changed(events, ofFlow('workflow_started'), { spec }), ofFlow('workflow_finished'), {
      status: 'shiny',
      steps: [],
    }).filter((event) => ofFlow('workflow_started')(event) || ofFlow('workflow_finished')(event));
    expect(workflowOf(itemsOf(odd))).toMatchObject({
      status: 'shiny',
      state: 'unknown',
      steps: [{ id: 'a', depends_on: [], required: true }],
    });
  });
});
