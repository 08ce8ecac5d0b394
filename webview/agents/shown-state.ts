import { isOpenState, type NodeState } from '../../src/presenter/agent-states.ts';
import type { State } from '../state.ts';
import type { Child } from './child-facts.ts';
import type { Crew, LiveChild } from './crew.ts';
import type { Step, Workflow } from './workflow-facts.ts';

/** How much of the log the page has seen of what is going on. */
export interface Sight {
  /** Nobody writes the log any more, so nothing is going on. */
  readonly lost: boolean;
  /** There is a stretch of the log before this seq that the page has not seen; -1 when there is none. */
  readonly seen_from: number;
}

export function sightOf({ session, past, items }: State): Sight {
  const lost = session?.access.kind === 'read_only' && session.access.reason !== 'held';
  return { lost, seen_from: past === null ? -1 : (items[0]?.seq ?? -1) };
}

/** Pure: how a child stands. What the host says of the moment counts until the log has its end. */
export function childState(child: Child | undefined, live: LiveChild | undefined, sight: Sight): NodeState {
  if (child !== undefined && child.end !== null) return child.state;
  if (sight.lost) return 'stale';
  if (live !== undefined) return liveState(child, live);
  if (child === undefined || child.as_of < sight.seen_from) return 'unknown';
  return child.waits ? 'waiting' : child.state;
}

function liveState(child: Child | undefined, { activity, questions }: LiveChild): NodeState {
  if (questions.length > 0) return 'waiting';
  if (activity !== null) return 'running';
  return child?.state ?? 'queued';
}

export function isBusy(state: NodeState): boolean {
  return isOpenState(state) || state === 'waiting';
}

/** Pure: how a workflow stands. */
export function workflowState(workflow: Workflow, crew: Crew, sight: Sight): NodeState {
  if (workflow.end !== null) return workflow.state;
  if (sight.lost) return 'stale';
  if (workflow.as_of < sight.seen_from) return 'unknown';
  const asks = workflow.steps.some((step) => stepState(step, workflow, crew, sight) === 'waiting');
  return asks ? 'waiting' : workflow.state;
}

/** Pure: how a step stands; null while it was not begun and still can be. */
export function stepState(step: Step, workflow: Workflow, crew: Crew, sight: Sight): NodeState | null {
  if (step.state === null) return workflow.end === null && !sight.lost ? null : 'not_run';
  if (!isOpenState(step.state)) return step.state;
  if (workflow.end !== null || sight.lost) return 'stale';
  const child = step.subagent_id === null ? undefined : crew.children.get(step.subagent_id);
  const live = step.subagent_id === null ? undefined : crew.live.get(step.subagent_id);
  if (child === undefined && live === undefined) return step.state;
  const state = childState(child, live, sight);
  // Its checkpoint is still to be judged.
  return isBusy(state) ? state : step.state;
}
