import type { NextAction, PermissionMode, Suspension } from './events.ts';

/** What the log says of children (§9) and of workflows over them (§10). */

export type AgentRole = 'default' | 'explorer' | 'worker';

/** States of a child. Those after `running` are final, until somebody gives it more to do. */
export type ChildStatus =
  | 'queued'
  | 'running'
  | 'completed'
  | 'failed'
  | 'timed_out'
  | 'interrupted'
  | 'cancelled'
  | 'detached'
  | 'closed';

/** What a child says it has: typed, and not found in its prose. */
export interface Checkpoint {
  readonly status: CheckpointStatus;
  readonly summary: string;
  readonly limitations: readonly string[];
  readonly verification: readonly string[];
  readonly artifacts: readonly Artifact[];
}

/** What a child may report; that it timed out is found by others. */
export type CheckpointStatus = 'checkpoint_ready' | 'partial' | 'failed' | 'held' | 'needs_orchestrator';

export interface Artifact {
  readonly path: string;
  /** Null where there is no such file to read, or it is too large: the reason is in `problem`. */
  readonly sha256: string | null;
  readonly bytes?: number;
  readonly problem?: string;
}

/** An attempt that came to nothing, before the present one. */
export interface PastAttempt {
  readonly attempt: number;
  readonly child_session_id: string;
  readonly error_kind: string;
  readonly reason: string;
  readonly elapsed_ms: number;
}

/** A question of a child to a person, as its own log has it. */
export interface ChildQuestion {
  readonly call_id: string;
  readonly name: string;
  readonly suspension: Suspension;
}

export interface SubagentEvent {
  /** The turn that gave it its work; none where a person did. */
  readonly turn_id?: string;
  readonly client_turn_id?: string;
  readonly stream_run_id?: string;
  /**
   * `spawned`, `started`, `waiting` (for a person), `went_on`, `heartbeat`, `retried`, `continued` (more to do),
   * `finished` (any final state but one), `detached`, `delivered` (to the parent's model).
   */
  readonly event: string;
  readonly subagent_id: string;
  readonly child_session_id: string;
  readonly status: string;
  readonly agent?: string;
  readonly task?: string;
  readonly depth?: number;
  readonly summary?: string;
  /** Null in a final event: there is none. */
  readonly checkpoint?: unknown;
  /** Null in a final event: it ended by itself, as it should. */
  readonly reason?: string | null;
  readonly timeout_ms?: number;
  readonly elapsed_ms?: number;
  /** Null in a final event: it never began. */
  readonly deadline_at?: string | null;
  readonly retry_history?: unknown;
  readonly next_actions?: readonly NextAction[];
  readonly permission_mode?: string;
  /** The call that asked for it. */
  readonly call_id?: string;
  /** The step that it works on: then its end is told with the workflow's, and not by itself. */
  readonly workflow_id?: string;
  readonly step_id?: string;
  /** With `waiting`: what it asks. */
  readonly questions?: readonly ChildQuestion[];
  /** With `delivered`: the event of the end that is told. */
  readonly of_seq?: number;
}

/** An end that the parent's model was told of, on the result that told it. */
export interface Delivery {
  readonly subagent_id: string;
  readonly seq: number;
}

export type WorkflowStatus = 'completed' | 'partial' | 'failed' | 'timed_out' | 'held' | 'cancelled';

/** What became of a step. `not_run`: nothing unlocked it, or the workflow ended before its turn. */
export type StepStatus = CheckpointStatus | 'timed_out' | 'cancelled' | 'skipped' | 'not_run';

export interface StepSpec {
  readonly id: string;
  readonly task: string;
  readonly agent: AgentRole;
  readonly depends_on: readonly string[];
  readonly permission_mode: PermissionMode | null;
  readonly read_set: readonly string[];
  readonly write_set: readonly string[];
  readonly timeout_ms: number | null;
  readonly required: boolean;
}

export interface WorkflowSpec {
  readonly id: string;
  readonly name: string;
  readonly max_concurrency: number | null;
  readonly timeout_ms: number | null;
  readonly steps: readonly StepSpec[];
}

/** What a step ended with, as the log and the result have it. */
export interface StepResult {
  readonly id: string;
  readonly status: StepStatus;
  readonly required: boolean;
  readonly summary: string;
  readonly limitations: readonly string[];
  readonly verification: readonly string[];
  readonly artifacts: readonly Artifact[];
  readonly reason: string | null;
  readonly subagent_id: string | null;
  readonly child_session_id: string | null;
  readonly elapsed_ms: number | null;
  readonly next_actions: readonly NextAction[];
}

/** What `run_workflow` answers, and what `workflow_finished` records. */
export interface WorkflowResult {
  readonly ok: boolean;
  readonly workflow_id: string;
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly completion_ready: boolean;
  readonly partial_outcome_ready: boolean;
  readonly steps: readonly StepResult[];
  readonly next_actions: readonly NextAction[];
}

export interface WorkflowEvent {
  readonly turn_id?: string;
  readonly client_turn_id?: string;
  readonly stream_run_id?: string;
  /**
   * `workflow_started`, `workflow_resumed`, `step_scheduled`, `step_started`, `checkpoint_decided`, `step_held`,
   * `step_answered`, `deadline_moved`, `workflow_finished`.
   */
  readonly event: string;
  readonly workflow_id: string;
  readonly step_id?: string;
  /** Of the step where one is named, else of the workflow. */
  readonly status?: string;
  readonly name?: string;
  /** The call that started or resumed it. */
  readonly call_id?: string;
  /** With `workflow_started`: all of it, so that it can go on from the log alone. */
  readonly spec?: WorkflowSpec;
  readonly spec_sha256?: string;
  readonly template?: string;
  /** Of all of it. With `deadline_moved`: after its time had stood still for a person. */
  readonly deadline_at?: string;
  readonly subagent_id?: string;
  readonly child_session_id?: string;
  /** With `checkpoint_decided` and `step_held`: what the step ended with. */
  readonly result?: StepResult;
  readonly summary?: string;
  readonly reason?: string;
  /** With `step_answered`: what a person said. */
  readonly answer?: unknown;
  readonly elapsed_ms?: number;
  /** With `workflow_finished`. */
  readonly ok?: boolean;
  readonly completion_ready?: boolean;
  readonly partial_outcome_ready?: boolean;
  readonly steps?: readonly StepResult[];
  readonly next_actions?: readonly NextAction[];
}
