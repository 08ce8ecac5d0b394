import type { AgentRole, Artifact, Checkpoint, ChildStatus } from '../agent-events.ts';
import type { Draft, KnownEvent, PermissionMode } from '../events.ts';
import type { Clock, Hasher } from '../ports.ts';
import type { PathComparison } from './path-sets.ts';
import type { WorkflowState } from './state.ts';

/** Everything that a workflow needs from outside. */

export interface StepTask {
  /** The first message of the child, word for word. */
  readonly task: string;
  readonly agent: AgentRole;
  readonly permission_mode: PermissionMode | null;
  readonly timeout_ms: number | null;
  readonly workflow_id: string;
  readonly step_id: string;
}

export interface StepChild {
  readonly subagent_id: string;
  readonly child_session_id: string;
}

/** How a child came to an end. */
export interface ChildEnd {
  readonly status: ChildStatus;
  readonly summary: string;
  readonly checkpoint: Checkpoint | null;
  readonly reason: string | null;
  readonly elapsed_ms: number;
  readonly child_session_id: string;
}

/** Children for the steps of a workflow. What fails about one rejects, and is told as the failure of its step. */
export interface StepAgents {
  /** Resolves when the child is on record, be it running or queued. */
  spawn(step: StepTask): Promise<StepChild>;
  /** Resolves with the end of the work that was last given to the child. After the abort nobody waits for it. */
  ended(subagentId: string, signal: AbortSignal): Promise<ChildEnd>;
  /** Ends a child, with everything below it. One that has ended already stays as it is. */
  cancel(
    subagentId: string,
    how: { readonly status: 'cancelled' | 'timed_out'; readonly reason: string },
  ): Promise<void>;
  /** Gives a child that has ended, or that nobody controls since a restart, more to do. */
  continueStep(subagentId: string, text: string): Promise<void>;
}

export interface WorkflowPorts {
  /** Durable and folded when it resolves. Rejects with `AppendFailed` alone. */
  record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]>;
  /** What the log says of this workflow by now; undefined before it has started. */
  workflow(): WorkflowState | undefined;
  readonly agents: StepAgents;
  readonly clock: Clock;
  /** Resolves after so much time in which nothing waited for a person, or with the signal. */
  atWork(ms: number, signal: AbortSignal): Promise<void>;
  /** How long it has waited for persons, up to now. */
  heldFor(): number;
  /** Tells, each time that it goes on after waiting for a person, how much time that was in all. Until the signal. */
  afterHolds(signal: AbortSignal, tell: (heldMs: number) => Promise<void>): Promise<void>;
  readonly hasher: Hasher;
  /** Looks at a file of the workspace. What is wrong with it is its `problem`. */
  artifact(path: string): Promise<Artifact>;
  /** Aborted when the turn ends; the reason is its `RunEnd`. */
  readonly signal: AbortSignal;
  readonly paths: PathComparison;
}
