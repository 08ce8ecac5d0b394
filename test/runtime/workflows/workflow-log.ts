import type {
  StepResult,
  StepStatus,
  WorkflowEvent,
  WorkflowSpec,
} from '../../../src/runtime/agent-events.ts';
import { parseSpec } from '../../../src/runtime/workflows/spec.ts';
import { applyToWorkflows, type WorkflowState } from '../../../src/runtime/workflows/state.ts';
import { made } from '../../support/made-events.ts';

/** Workflows as a log tells them, for what is pure over their fold. */

export function specOf(...steps: readonly object[]): WorkflowSpec {
  return wholeSpec({ id: 'flow', steps: steps.map((step) => ({ task: 'Do it.', ...step })) });
}

export function wholeSpec(value: unknown): WorkflowSpec {
  const parsed = parseSpec(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.mistakes));
  return parsed.spec;
}

export type Told = Partial<WorkflowEvent> & Pick<WorkflowEvent, 'event'>;

export function foldOf(...events: readonly Told[]): readonly WorkflowState[] {
  return events
    .map((data, seq) => made('workflow_event', seq, { workflow_id: 'w1', ...data }))
    .reduce<readonly WorkflowState[]>(applyToWorkflows, []);
}

export function started(spec: WorkflowSpec, more: Partial<WorkflowEvent> = {}): Told {
  return {
    event: 'workflow_started',
    spec,
    name: spec.name,
    turn_id: 't1',
    call_id: 'c1',
    ...more,
  };
}

/** Everything that a step goes through until it ends so. */
export function ranTo(step_id: string, status: StepStatus, more: Partial<StepResult> = {}): readonly Told[] {
  const child = { subagent_id: `agent_${step_id}`, child_session_id: `session_${step_id}` };
  const isHeld = status === 'held' || status === 'needs_orchestrator';
  return [
    { event: 'step_scheduled', step_id },
    { event: 'step_started', step_id, ...child },
    {
      event: isHeld ? 'step_held' : 'checkpoint_decided',
      step_id,
      status,
      result: resultOfStep(step_id, status, { ...child, ...more }),
    },
  ];
}

export function resultOfStep(id: string, status: StepStatus, more: Partial<StepResult> = {}): StepResult {
  return {
    id,
    status,
    required: true,
    summary: `${id} says so.`,
    limitations: [],
    verification: [],
    artifacts: [],
    reason: null,
    subagent_id: null,
    child_session_id: null,
    elapsed_ms: 5,
    next_actions: [],
    ...more,
  };
}

/** The one workflow of a log. */
export function workflowOf(...events: readonly Told[]): WorkflowState {
  const [workflow] = foldOf(...events);
  if (workflow === undefined) throw new Error('there is no workflow');
  return workflow;
}

export function statuses({ steps }: WorkflowState): Readonly<Record<string, string>> {
  return Object.fromEntries(steps.map(({ id, status }) => [id, status]));
}
