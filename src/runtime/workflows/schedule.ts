import type { StepSpec } from '../agent-events.ts';
import type { Conflicts } from './path-sets.ts';
import type { StepState, WorkflowState } from './state.ts';

/** A step that nothing can start any more, with those of its dependencies that keep it from it. */
export interface BlockedStep {
  readonly id: string;
  readonly by: readonly string[];
}

export interface Moves {
  /** To be started now, in the order of the spec. */
  readonly start: readonly string[];
  readonly blocked: readonly BlockedStep[];
  /** Nothing runs, and nothing can be started. */
  readonly over: boolean;
}

/**
 * Pure: what a workflow can do next. A step starts when everything it depends on is `checkpoint_ready`, when there is
 * room for it, and when nothing runs that it must not run beside.
 */
export function nextMoves(workflow: WorkflowState, conflicts: Conflicts): Moves {
  const { spec } = workflow;
  if (spec === null) return { start: [], blocked: [], over: true };
  const states = new Map(workflow.steps.map((step) => [step.id, step]));
  const busy = workflow.steps.filter(isBusy).map(({ id }) => id);
  const beside = new Set(busy);
  const start: string[] = [];
  for (const step of spec.steps) {
    if (spec.max_concurrency !== null && beside.size >= spec.max_concurrency) break;
    if (!canStart(step, states)) continue;
    const others = conflicts.get(step.id);
    if (others !== undefined && [...beside].some((id) => others.has(id))) continue;
    start.push(step.id);
    beside.add(step.id);
  }
  return { start, blocked: blockedSteps(workflow), over: beside.size === 0 };
}

function isBusy({ status }: StepState): boolean {
  return status === 'scheduled' || status === 'running';
}

function canStart({ id, depends_on }: StepSpec, states: ReadonlyMap<string, StepState>): boolean {
  return (
    states.get(id)?.status === 'pending' &&
    depends_on.every((other) => states.get(other)?.status === 'checkpoint_ready')
  );
}

/**
 * Pure: the steps that wait for one which ended without being ready, or for one which waits so itself. Goes from each
 * to its dependents by a list, so that no chain is too long.
 */
export function blockedSteps(workflow: WorkflowState): readonly BlockedStep[] {
  const steps = workflow.spec?.steps ?? [];
  const dependents = new Map<string, string[]>(steps.map(({ id }) => [id, []]));
  for (const { id, depends_on } of steps) for (const other of depends_on) dependents.get(other)?.push(id);
  const waiting = new Set(workflow.steps.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const stuck = new Set(workflow.steps.filter(isStuck).map(({ id }) => id));
  // Grows while it is gone through.
  for (const id of stuck)
    for (const dependent of dependents.get(id) ?? []) if (waiting.has(dependent)) stuck.add(dependent);
  return steps.flatMap(({ id, depends_on }) => {
    const by = depends_on.filter((other) => stuck.has(other));
    return waiting.has(id) && by.length > 0 ? [{ id, by }] : [];
  });
}

function isStuck({ status }: StepState): boolean {
  switch (status) {
    case 'pending':
    case 'scheduled':
    case 'running':
    case 'checkpoint_ready':
      return false;
    case 'partial':
    case 'failed':
    case 'timed_out':
    case 'held':
    case 'needs_orchestrator':
    case 'cancelled':
    case 'skipped':
      return true;
  }
}
