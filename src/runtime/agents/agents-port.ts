import type { AgentRole, ChildStatus, Delivery } from '../agent-events.ts';
import type { PermissionMode, ToolError } from '../events.ts';

/** Who asks for a child: a call of a turn. */
export interface Asker {
  readonly turn_id: string;
  readonly call_id: string;
}

export interface SpawnRequest {
  readonly task: string;
  readonly agent: AgentRole;
  readonly timeout_ms: number | null;
  /** Narrower than the parent's, never wider. */
  readonly permission_mode: PermissionMode | null;
  readonly asker: Asker | null;
  readonly step?: { readonly workflow_id: string; readonly step_id: string };
}

/** A child by its names, and how it stands. */
export interface AgentStanding {
  readonly subagent_id: string;
  readonly child_session_id: string;
  readonly status: ChildStatus;
}

export interface AgentReport extends AgentStanding {
  readonly agent: string;
  /** Its end in words, once; null where it is open, or where that was told before. */
  readonly summary: string | null;
  readonly told_before?: true;
  readonly task?: string;
}

export interface Listed {
  readonly agents: readonly AgentReport[];
  /** How many older ones, long over, are not among them. */
  readonly left_out: number;
}

export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ToolError };

/** What the agent tools of a session act on. */
export interface Agents {
  spawn(request: SpawnRequest): Promise<Answered<AgentStanding>>;
  /** Until all of them have ended, the time has passed or the signal is aborted. Ends nobody. */
  wait(
    ids: readonly string[] | null,
    until: { readonly timeout_ms: number | null; readonly signal: AbortSignal },
  ): Promise<Answered<Listed & { readonly delivers: readonly Delivery[] }>>;
  /** More to do: now where it rests, after its present turn where it works. */
  send(id: string, text: string, asker: Asker | null): Promise<Answered<AgentStanding>>;
  close(
    id: string,
    reason: string | null,
  ): Promise<Answered<{ readonly agent: AgentReport; readonly delivers: readonly Delivery[] }>>;
  list(): Listed;
}
