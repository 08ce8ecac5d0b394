import { describe, expect, test } from 'vitest';
import type { StepStatus } from '../../../src/runtime/agent-events.ts';
import type { WorkflowEnding } from '../../../src/runtime/workflows/endings.ts';
import { resultOf, workflowRecovery } from '../../../src/runtime/workflows/result.ts';
import { cutAfter, lacking, ofFlow } from '../../support/changed-log.ts';
import { cameTo, foldOf, goneOn, ran, RESUMED, specOf, workflowIn, type Fate } from './ran-workflow.ts';
import { checkpoint } from './workflow-bench.ts';
import type { WorkflowState } from '../../../src/runtime/workflows/state.ts';

const CANCELLED: WorkflowEnding = { kind: 'cancelled' };
const TIMED_OUT: WorkflowEnding = { kind: 'timed_out', reason: 'Too long.' };
const INTERRUPTED: WorkflowEnding = { kind: 'interrupted' };
const RAN_OUT: WorkflowEnding = { kind: 'ran_out' };

/** Steps that ran to these states, beside each other. */
function after(
  ...states: readonly (Exclude<StepStatus, 'not_run'> | 'optional_failed' | 'never')[]
): Promise<WorkflowState> {
  const steps = states.map((state, index) => ({ id: `s${index}`, required: state !== 'optional_failed' }));
  const fates = states.map((state, index): [string, Fate] => [
    `s${index}`,
    state === 'optional_failed' ? 'failed' : state,
  ]);
  return cameTo(specOf(...steps), Object.fromEntries(fates));
}

describe('a workflow comes to', () => {
  test.each([
    // Every required step is ready.
    ['completed', RAN_OUT, ['checkpoint_ready', 'checkpoint_ready'], true, false],
    ['completed', RAN_OUT, ['checkpoint_ready', 'optional_failed'], true, false],
    ['completed', CANCELLED, ['checkpoint_ready', 'optional_failed'], true, false],
    // Something is usable, short of that.
    ['partial', RAN_OUT, ['checkpoint_ready', 'failed'], false, true],
    ['partial', RAN_OUT, ['partial'], false, true],
    ['partial', RAN_OUT, ['partial', 'held'], false, true],
    ['partial', TIMED_OUT, ['partial', 'timed_out'], false, true],
    ['partial', INTERRUPTED, ['checkpoint_ready', 'never'], false, true],
    // A person can unblock it.
    ['held', RAN_OUT, ['held', 'failed'], false, false],
    ['held', RAN_OUT, ['needs_orchestrator', 'timed_out'], false, false],
    ['held', INTERRUPTED, ['failed', 'never'], false, false],
    // A timeout stopped it.
    ['timed_out', RAN_OUT, ['timed_out', 'failed'], false, false],
    ['timed_out', TIMED_OUT, ['failed', 'never'], false, false],
    // Nothing of all that.
    ['failed', RAN_OUT, ['failed'], false, false],
    ['failed', RAN_OUT, ['failed', 'skipped'], false, false],
    ['failed', { kind: 'broken', reason: 'bug' }, ['never'], false, false],
    ['failed', RAN_OUT, ['optional_failed'], false, false],
    // A person stopped it.
    ['cancelled', CANCELLED, ['checkpoint_ready', 'cancelled'], false, true],
    ['cancelled', CANCELLED, ['held', 'never'], false, false],
  ] as const)(
    '%s by %j after %j',
    async (status, ending, states, completion_ready, partial_outcome_ready) => {
      const result = resultOf(await after(...states), ending);
      expect(result).toMatchObject({
        ok: status === 'completed',
        status,
        completion_ready,
        partial_outcome_ready,
        workflow_id: 'w1',
        name: 'flow',
      });
      expect(result.steps).toHaveLength(states.length);
    },
  );
});

describe('every step is told', () => {
  test('also one that did not run, with what kept it from it', async () => {
    const spec = specOf(
      { id: 'a' },
      { id: 'b' },
      { id: 'c', depends_on: ['a', 'b'], required: false },
      { id: 'd', depends_on: ['c'] },
    );
    const workflow = await cameTo(spec, { a: 'failed', b: 'partial' });
    expect(resultOf(workflow).steps.slice(2)).toEqual([
      expect.objectContaining({
        id: 'c',
        status: 'not_run',
        required: false,
        reason: 'It waits for a (failed), b (partial).',
        summary: '',
        subagent_id: null,
        next_actions: [],
      }),
      expect.objectContaining({ id: 'd', status: 'not_run', reason: 'It waits for c (not_run).' }),
    ]);
  });

  test('with what it ended with', async () => {
    const more = { limitations: ['L'], verification: ['V'], summary: 'S' };
    const reported = checkpoint('partial', { ...more, artifacts: [{ path: 'a.txt', sha256: null }] });
    const workflow = await cameTo(specOf({ id: 'a' }), { a: { checkpoint: reported } });
    const problem = 'there is no such file';
    expect(resultOf(workflow).steps).toEqual([
      expect.objectContaining({
        ...more,
        limitations: ['L', `The artifact a.txt could not be checked: ${problem}`],
        artifacts: [{ path: 'a.txt', sha256: null, problem }],
        id: 'a',
        status: 'partial',
        child_session_id: 'session_of_agent_1',
      }),
    ]);
  });

  test('as what it was before, where it was to run again and did not come to it', async () => {
    const again = await goneOn(await ran(specOf({ id: 'a' }), { a: 'partial' }));
    const workflow = workflowIn(cutAfter(again.log.events, RESUMED));
    expect(resultOf(workflow, CANCELLED)).toMatchObject({
      status: 'cancelled',
      partial_outcome_ready: true,
      steps: [{ status: 'partial' }],
    });
  });
});

describe('what to do next', () => {
  test('is nothing after completion', async () => {
    expect(resultOf(await after('checkpoint_ready', 'optional_failed')).next_actions).toEqual([]);
  });

  test('begins with going on, then the transcripts of what went wrong, a few of them', async () => {
    const { next_actions } = resultOf(await after('checkpoint_ready', 'failed', 'held', 'partial', 'never'));
    expect(next_actions).toEqual([
      {
        label: 'Resume workflow',
        command: 'ledgerline.resumeWorkflow',
        args: [{ session_id: 's1', workflow_id: 'w1' }],
      },
      { label: 'Open transcript: s1', command: 'ledgerline.openAgent', args: ['session_of_agent_2'] },
      { label: 'Open transcript: s2', command: 'ledgerline.openAgent', args: ['session_of_agent_3'] },
    ]);
    const many = resultOf(await after(...Array.from({ length: 20 }, () => 'failed' as const)));
    expect(many.next_actions).toHaveLength(6);
  });
});

describe('after a crash', () => {
  test('an open workflow is ended: held, with its steps as far as anybody knows', async () => {
    const spec = specOf({ id: 'a' }, { id: 'b' }, { id: 'c', depends_on: ['a'] });
    const { log } = await ran(spec);
    const left = cutAfter(log.events, ofFlow('step_started', 'a'));
    const [drafted, ...others] = workflowRecovery(foldOf(left), '2026-01-01T00:00:03.000Z');
    expect(others).toEqual([]);
    expect(drafted).toMatchObject({
      type: 'workflow_event',
      data: {
        event: 'workflow_finished',
        workflow_id: 'w1',
        turn_id: 't1',
        call_id: 'c1',
        status: 'held',
        ok: false,
        reason: 'interrupted',
        elapsed_ms: 3_000,
        steps: [
          {
            id: 'a',
            status: 'held',
            reason: 'It was interrupted while it ran. Resume the workflow to go on with it.',
            child_session_id: 'session_of_agent_1',
          },
          { id: 'b', status: 'held', child_session_id: null },
          { id: 'c', status: 'not_run', reason: 'The workflow was interrupted before its turn.' },
        ],
      },
    });
  });

  test('one with something usable is partial, and one that is over stays as it is', async () => {
    const spec = specOf({ id: 'a' }, { id: 'b' });
    const usable = await cameTo(spec, { a: 'checkpoint_ready' });
    expect(workflowRecovery([usable])).toMatchObject([{ data: { status: 'partial' } }]);
    const { log } = await ran(spec, { a: 'checkpoint_ready', b: 'held' });
    expect(workflowRecovery(foldOf(log.events))).toEqual([]);
  });

  test('one whose spec cannot be read is ended as well', async () => {
    const { log } = await ran(specOf({ id: 'a' }));
    const bare = lacking(log.events, ofFlow('workflow_started'), 'spec');
    expect(workflowRecovery(foldOf(bare), 'nonsense')).toMatchObject([
      { data: { event: 'workflow_finished', status: 'held', steps: [] } },
    ]);
  });
});
