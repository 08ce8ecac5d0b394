import type { ChildStatus, SubagentEvent } from '../agent-events.ts';
import { draft, type Draft, type NextAction } from '../events.ts';
import type { Child, ChildEnding } from './children.ts';

/** Pure: the events of a child's life, as its parent's log has them. */

/** What says which child it is, on every event. */
export function identity(
  child: Pick<Child, 'subagent_id' | 'child_session_id' | 'agent' | 'depth'>,
): Pick<SubagentEvent, 'subagent_id' | 'child_session_id' | 'agent' | 'depth'> {
  const { subagent_id, child_session_id, agent, depth } = child;
  return { subagent_id, child_session_id, agent, depth };
}

/** What it works for: the turn, and the step where there is one. */
export function purpose({
  turn_id,
  workflow_id,
  step_id,
}: Child): Pick<SubagentEvent, 'turn_id' | 'workflow_id' | 'step_id'> {
  return {
    ...(turn_id === null ? {} : { turn_id }),
    ...(workflow_id === null ? {} : { workflow_id }),
    ...(step_id === null ? {} : { step_id }),
  };
}

/** All that proves an end (§9). */
export interface EndEvidence {
  readonly status: Exclude<ChildStatus, 'queued' | 'running'>;
  readonly summary: string;
  readonly checkpoint: unknown;
  readonly reason: string | null;
  readonly elapsed_ms: number;
  readonly deadline_at: string | null;
  readonly retry_history: readonly unknown[];
}

export function endDraft(sessionId: string, child: Child, end: EndEvidence): Draft {
  const { task, timeout_ms } = child;
  const { status, summary, checkpoint, reason, elapsed_ms, deadline_at, retry_history } = end;
  return draft('subagent_event', {
    ...purpose(child),
    event: status === 'detached' ? 'detached' : 'finished',
    ...identity(child),
    task,
    status,
    summary,
    checkpoint,
    reason,
    ...(timeout_ms === null ? {} : { timeout_ms }),
    elapsed_ms,
    deadline_at,
    retry_history,
    next_actions: endActions(sessionId, child, status),
  });
}

export function deliveredDraft(turn_id: string, ending: ChildEnding): Draft {
  const { subagent_id, child_session_id, agent, status, summary, seq } = ending;
  return draft('subagent_event', {
    turn_id,
    event: 'delivered',
    subagent_id,
    child_session_id,
    agent,
    status,
    summary,
    of_seq: seq,
  });
}

/** What a person can do about a child that ended so. */
export function endActions(
  session_id: string,
  { subagent_id, child_session_id, workflow_id }: Child,
  status: EndEvidence['status'],
): readonly NextAction[] {
  const open = { label: 'Open transcript', command: 'ledgerline.openAgent', args: [child_session_id] };
  const resume = {
    label: 'Resume',
    command: 'ledgerline.resumeAgent',
    args: [{ session_id, subagent_id }],
  };
  const discard = {
    label: 'Discard',
    command: 'ledgerline.discardAgent',
    args: [{ session_id, subagent_id }],
  };
  // The child of a step goes on with its workflow.
  if (workflow_id !== null || status === 'completed' || status === 'closed') return [open];
  return status === 'detached' ? [resume, open, discard] : [resume, open];
}
