import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WorkflowEvent } from '../../../src/runtime/agent-events.ts';
import { heldQuestion, readHeldAnswer } from '../../../src/runtime/workflows/held-question.ts';
import { resultOf, workflowRecovery } from '../../../src/runtime/workflows/result.ts';
import { nextMoves } from '../../../src/runtime/workflows/schedule.ts';
import { applyToWorkflows, type WorkflowState } from '../../../src/runtime/workflows/state.ts';
import { made } from '../../support/made-events.ts';
import { cameTo, specOf } from './ran-workflow.ts';
import { searchRuns } from '../../support/search-runs.ts';

const SPEC = specOf({ id: 'a' }, { id: 'b', depends_on: ['a'] });
const [HELD, READY] = (
  await Promise.all([cameTo(SPEC, { a: 'held' }), cameTo(SPEC, { a: 'checkpoint_ready' })])
).map(({ steps }) => steps[0]?.result);

/** What a field should be, among what it might be in a log that somebody else wrote. */
function often(...sound: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...sound) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

const EVENTS = [
  'workflow_started',
  'workflow_resumed',
  'step_scheduled',
  'step_started',
  'checkpoint_decided',
  'step_held',
  'step_answered',
  'workflow_finished',
  'later',
];

const event = fc.record(
  {
    event: fc.constantFrom(...EVENTS),
    workflow_id: fc.constantFrom('w1', 'w2'),
    spec: often(SPEC),
    step_id: often('a', 'b', 'c'),
    status: often('held', 'partial', 'checkpoint_ready', 'completed'),
    result: often(HELD, READY),
    answer: often({ action: 'go_on', text: 'Yes.' }, { action: 'skip' }),
    reason: often('answered', 'asked'),
    subagent_id: often('agent'),
    child_session_id: often('session'),
    call_id: often('c1'),
    name: often('N'),
    deadline_at: often('2026-01-01T00:00:00.000Z'),
  },
  { requiredKeys: ['event', 'workflow_id'] },
);

test('whatever a log says of workflows, it is read, told and ended', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.jsonValue(), (events, answer) => {
      const log = events.map((data, seq) => made('workflow_event', seq, data as WorkflowEvent));
      const workflows = log.reduce<readonly WorkflowState[]>(applyToWorkflows, []);
      expect(JSON.parse(JSON.stringify(workflows))).toEqual(workflows);
      for (const workflow of workflows) {
        const { start } = nextMoves(workflow, new Map());
        expect(start.filter((id) => workflow.steps.every((step) => step.id !== id))).toEqual([]);
        expect(resultOf(workflow).steps).toHaveLength(workflow.spec?.steps.length ?? 0);
        heldQuestion(workflow);
        readHeldAnswer(workflow, answer);
      }
      const ended = workflowRecovery(workflows).reduce(
        (all, draft, seq) =>
          draft.type === 'workflow_event'
            ? applyToWorkflows(all, made('workflow_event', log.length + seq, draft.data))
            : all,
        workflows,
      );
      expect(ended.filter(({ status }) => status === 'running')).toEqual([]);
    }),
    { numRuns: searchRuns(500) },
  );
});
