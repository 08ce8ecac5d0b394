import type { ChildQuestion, ChildStatus, PastAttempt } from '../../runtime/agent-events.ts';
import type { Asker, SpawnRequest } from '../../runtime/agents/agents-port.ts';
import { identity, purpose } from '../../runtime/agents/child-drafts.ts';
import type { Child } from '../../runtime/agents/children.ts';
import { draft, type Draft, type PermissionMode } from '../../runtime/events.ts';
import type { LiveChild } from './live-child.ts';

/** Pure: what is recorded of a child on its way from its task to its end. */

export interface NewChild {
  readonly subagent_id: string;
  readonly child_session_id: string;
  readonly depth: number;
  readonly timeout_ms: number;
  readonly permission_mode: PermissionMode;
}

/** A child as it is before anything of it is on record. */
export function newChild(request: SpawnRequest, made: NewChild): Child {
  const { task, agent, step, asker } = request;
  return {
    ...made,
    agent,
    task,
    status: 'queued',
    turn_id: asker?.turn_id ?? null,
    workflow_id: step?.workflow_id ?? null,
    step_id: step?.step_id ?? null,
    waits: false,
    worked_ms: 0,
    started_at: null,
    deadline_at: null,
    retry_history: [],
  };
}

export function spawnedDraft(child: Child, asker: Asker | null): Draft {
  const { task, timeout_ms, permission_mode, status } = child;
  return draft('subagent_event', {
    ...purpose(child),
    ...(asker === null ? {} : { call_id: asker.call_id }),
    event: 'spawned',
    ...identity(child),
    task,
    status,
    ...(timeout_ms === null ? {} : { timeout_ms }),
    ...(permission_mode === null ? {} : { permission_mode }),
  });
}

export function startedDraft(child: Child, live: LiveChild, timeout_ms: number): Draft {
  return draft('subagent_event', {
    ...purpose(child),
    event: 'started',
    ...identity(child),
    status: 'running',
    timeout_ms,
    deadline_at: live.deadline(timeout_ms),
  });
}

/** More to do, for whoever asks; its turn is theirs from here on. */
export function continuedDraft(child: Child, status: ChildStatus): Draft {
  return draft('subagent_event', {
    ...purpose(child),
    event: 'continued',
    ...identity(child),
    status,
  });
}

export function retriedDraft(child: Child, child_session_id: string, past: readonly PastAttempt[]): Draft {
  return draft('subagent_event', {
    ...purpose(child),
    event: 'retried',
    ...identity(child),
    child_session_id,
    status: 'running',
    retry_history: past,
  });
}

/** It waits for a person, or goes on; its time stands still meanwhile. */
export function waitDraft(
  child: Child,
  questions: readonly ChildQuestion[] | null,
  deadline_at: string,
): Draft {
  const what = questions === null ? { event: 'went_on', deadline_at } : { event: 'waiting', questions };
  return draft('subagent_event', { ...purpose(child), ...identity(child), status: 'running', ...what });
}

export function heartbeatDraft(child: Child, { elapsed }: LiveChild): Draft {
  const { status } = child;
  return draft('subagent_event', {
    ...purpose(child),
    event: 'heartbeat',
    ...identity(child),
    status,
    elapsed_ms: elapsed,
  });
}
