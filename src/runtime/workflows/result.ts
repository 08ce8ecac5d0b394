import type { StepResult, StepSpec, StepStatus, WorkflowResult, WorkflowStatus } from '../agent-events.ts';
import { draft, type Draft, type NextAction } from '../events.ts';
import { INTERRUPTED, RAN_OUT, stoppedWords, unreachedWords, type WorkflowEnding } from './endings.ts';
import type { StepChild } from './ports.ts';
import { blockedSteps, type BlockedStep } from './schedule.ts';
import type { StepState, WorkflowState } from './state.ts';
import { stoppedStatus, unendedResult } from './step-results.ts';

/**
 * Pure: what a workflow comes to (§10), from the evidence of its steps. `ok` is for full completion alone; what is
 * usable short of it is told by `partial_outcome_ready`, whatever the state is called.
 */
export function resultOf(workflow: WorkflowState, ending: WorkflowEnding = RAN_OUT): WorkflowResult {
  const { workflow_id, name } = workflow;
  const steps = stepResults(workflow, ending);
  const completion_ready = isComplete(workflow, steps);
  const partial_outcome_ready = !completion_ready && steps.some(({ status }) => isUsable(status));
  const status = completion_ready ? 'completed' : statusOf(steps, ending);
  return {
    ok: status === 'completed',
    workflow_id,
    name,
    status,
    completion_ready,
    partial_outcome_ready,
    steps,
    next_actions: nextActionsOf(workflow, status, steps),
  };
}

/** A workflow of optional steps alone is complete with one of them: nothing at all is no completion. */
function isComplete({ spec, status }: WorkflowState, steps: readonly StepResult[]): boolean {
  if (spec === null) return status === 'completed';
  return steps.some(isReady) && steps.every((step) => isReady(step) || !step.required);
}

function isReady({ status }: StepResult): boolean {
  return status === 'checkpoint_ready';
}

function isUsable(status: StepStatus): boolean {
  return status === 'checkpoint_ready' || status === 'partial';
}

/** Of one that is not complete. That a person stopped it comes first: they know what they did. */
function statusOf(steps: readonly StepResult[], ending: WorkflowEnding): WorkflowStatus {
  const some = (...wanted: readonly StepStatus[]): boolean =>
    steps.some(({ status }) => wanted.includes(status));
  if (ending.kind === 'cancelled') return 'cancelled';
  if (some('checkpoint_ready', 'partial')) return 'partial';
  if (ending.kind === 'interrupted' || some('held', 'needs_orchestrator')) return 'held';
  return ending.kind === 'timed_out' || some('timed_out') ? 'timed_out' : 'failed';
}

function stepResults(workflow: WorkflowState, ending: WorkflowEnding): readonly StepResult[] {
  const blocked = new Map(blockedSteps(workflow).map((step) => [step.id, step]));
  const states = new Map(workflow.steps.map((step) => [step.id, step]));
  const told = new Map<string, string>(workflow.steps.map(({ id, status }) => [id, status]));
  return (workflow.spec?.steps ?? []).map((step) => {
    const state = states.get(step.id);
    const why = blocked.get(step.id);
    return state === undefined
      ? unendedResult(step, 'not_run', { child: null, reason: unreachedWords(ending) })
      : resultOfStep(step, state, { ending, waits: why === undefined ? null : waitsFor(why, told) });
  });
}

function resultOfStep(
  step: StepSpec,
  state: StepState,
  { ending, waits }: { readonly ending: WorkflowEnding; readonly waits: string | null },
): StepResult {
  const { status, result } = state;
  const child = childOf(state);
  const { id, required } = step;
  if (status === 'running' || status === 'scheduled')
    return unendedResult(step, stoppedStatus(ending), { child, reason: stoppedWords(ending) });
  // One that was to run again, and did not come to it, is what it was before.
  if (result !== null) return { ...result, id, required };
  const reason = waits ?? unreachedWords(ending);
  return unendedResult(step, status === 'pending' ? 'not_run' : status, { child, reason });
}

function childOf({ subagent_id, child_session_id }: StepState): StepChild | null {
  return subagent_id === null || child_session_id === null ? null : { subagent_id, child_session_id };
}

function waitsFor({ by }: BlockedStep, told: ReadonlyMap<string, string>): string {
  const words = by.map((id) => {
    const status = told.get(id) ?? 'pending';
    return `${id} (${status === 'pending' ? 'not_run' : status})`;
  });
  return `It waits for ${words.join(', ')}.`;
}

/** More buttons than these are no help. */
const MOST_TRANSCRIPTS = 5;

function nextActionsOf(
  { session_id, workflow_id }: WorkflowState,
  status: WorkflowStatus,
  steps: readonly StepResult[],
): readonly NextAction[] {
  if (status === 'completed') return [];
  const resume = {
    label: 'Resume workflow',
    command: 'ledgerline.resumeWorkflow',
    args: [{ session_id, workflow_id }],
  };
  const transcripts = steps
    .filter((step) => step.child_session_id !== null && !isUsable(step.status) && step.status !== 'skipped')
    .slice(0, MOST_TRANSCRIPTS)
    .map(({ id, child_session_id }) => ({
      label: `Open transcript: ${id}`,
      command: 'ledgerline.openAgent',
      args: [child_session_id],
    }));
  return [resume, ...transcripts];
}

/** The event that ends a workflow, on every exit. */
export function finishedDraft(
  { turn_id, call_id }: Pick<WorkflowState, 'turn_id' | 'call_id'>,
  result: WorkflowResult,
  { elapsed_ms, reason }: { readonly elapsed_ms: number | null; readonly reason?: string },
): Draft {
  return draft('workflow_event', {
    event: 'workflow_finished',
    ...(turn_id === null ? {} : { turn_id }),
    ...(call_id === null ? {} : { call_id }),
    ...result,
    ...(elapsed_ms === null ? {} : { elapsed_ms }),
    ...(reason === undefined ? {} : { reason }),
  });
}

/**
 * Pure: ends the workflows that a process left open which is gone. What was running gets no checkpoint, because
 * nobody saw one. `worked_until` is when the last event of that process was written.
 */
export function workflowRecovery(workflows: readonly WorkflowState[], worked_until = ''): readonly Draft[] {
  return workflows
    .filter(({ status }) => status === 'running')
    .map((workflow) => {
      const elapsed = Date.parse(worked_until) - beganAt(workflow);
      return finishedDraft(workflow, resultOf(workflow, INTERRUPTED), {
        elapsed_ms: Number.isFinite(elapsed) ? Math.max(0, elapsed) : null,
        reason: 'interrupted',
      });
    });
}

/** When it would have begun had it never waited for a person: its deadline has moved by that. */
function beganAt({ started_at, deadline_at, spec }: WorkflowState): number {
  const { timeout_ms = null } = spec ?? {};
  return deadline_at === null || timeout_ms === null
    ? Date.parse(started_at)
    : Date.parse(deadline_at) - timeout_ms;
}
