import type { Delivery, SubagentEvent, WorkflowEvent } from './agent-events.ts';
import type { ForkContext, HistoryCompaction, OutputTruncation, ProviderUsage } from './context-events.ts';
import type { CallState, RunEndReason, StopCode } from './machines.ts';

export type { OutputTruncation, ProviderUsage, TokenCounts } from './context-events.ts';

/**
 * The vocabulary of the log. Persisted fields are snake_case and a public contract:
 * other programs read these files. docs/events.md describes each type for people.
 */

export const SCHEMA_VERSION = 1;

export type PermissionMode = 'read_only' | 'ask' | 'auto';
export type InterruptedReason = 'user_cancelled' | 'superseded' | 'disconnect';
export type TerminalStatus = 'partial_failed' | 'failed' | 'interrupted' | 'timed_out';
export type FinishedReason = 'stop' | 'cancelled' | 'error';
export type ResumeMode = 'replay_tool_call' | 'use_decision_as_result' | 'pass_decision_to_tool';

/** Something the presenter can turn into a button. */
export interface NextAction {
  readonly label: string;
  readonly command: string;
  readonly args?: unknown;
}

/** On everything that belongs to a turn. The log's session adds the ids that caused it (see `stamped`). */
interface OfTurn {
  readonly turn_id: string;
  readonly client_turn_id?: string;
  readonly stream_run_id?: string;
}

/** On what a send causes before its turn begins. */
interface OfSend {
  readonly client_turn_id?: string;
}

interface OfStream extends OfTurn {
  readonly stream_run_id: string;
}

/**
 * Place of an item among the output items of its response. A response is only whole when its last item
 * is in the log, so that a prefix which ends inside a response never looks like a finished answer.
 */
interface OfResponse extends OfStream {
  readonly output_index: number;
  readonly output_count: number;
}

/** Bodies over the inline limit live in a blob; the event then names it and keeps a short head of the body. */
interface WithBody {
  readonly blob?: string;
}

export interface Attachment {
  readonly kind: string;
  readonly label?: string | undefined;
  readonly path?: string | undefined;
  readonly text?: string | undefined;
  readonly mime?: string | undefined;
  /** Base64, only for images. */
  readonly data?: string | undefined;
  /** The part of the file that is meant, from 1; both ends are in it. */
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  /** Hash and size of all that was found or given, before anything was left out. Ledgerline's own: never a presenter's. */
  readonly sha256?: string | undefined;
  readonly bytes?: number | undefined;
  /** Of text: how many lines that has. */
  readonly lines?: number | undefined;
  /** Of an image, in pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Only the beginning is in `text`, which says so. */
  readonly truncated?: boolean | undefined;
  /** From an editor whose changes are not saved. */
  readonly unsaved?: boolean | undefined;
}

export interface MessageMetadata {
  readonly partial: boolean;
  readonly interrupted?: boolean;
  readonly interrupted_reason?: InterruptedReason;
  readonly client_turn_id?: string;
  readonly finished_reason?: FinishedReason;
  readonly token_estimate?: number;
  readonly terminal_status?: TerminalStatus;
  readonly error_kind?: string;
  readonly output_truncation?: OutputTruncation;
}

export interface ToolError {
  readonly kind: string;
  readonly message: string;
  readonly details?: unknown;
}

export interface Suspension {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly parameters?: unknown;
  readonly response_schema?: unknown;
  readonly resume_mode: ResumeMode;
  /** Other modes that the decision may choose instead. */
  readonly resume_modes?: readonly ResumeMode[];
}

/** Process of a running command, so that a later open can tell whether it still lives. */
export interface CommandProcess {
  readonly pid: number;
  readonly group: number;
  readonly started_at: string;
}

export interface EventData {
  readonly session_started: OfSend & {
    readonly workspace: string | null;
    readonly app_version: string;
    readonly prompt_contract_version: string;
    readonly permission_mode: PermissionMode;
    readonly fork_root_session_id: string;
    /** Of a child: whose it is. */
    readonly parent_session_id?: string;
    readonly subagent_id?: string;
    readonly agent?: string;
    readonly depth?: number;
  };
  readonly session_fork: {
    readonly parent_session_id: string;
    readonly fork_root_session_id: string;
    readonly forked_to_seq: number;
    readonly replay_event_count: number;
    /** What the parent knew of its window there. */
    readonly context?: ForkContext;
  };
  readonly developer_context: OfSend & {
    readonly workspace: string | null;
    readonly branch: string | null;
    readonly permission_mode: PermissionMode;
  };
  readonly user_message: OfTurn &
    WithBody & {
      readonly text: string;
      readonly client_turn_id: string;
      readonly attachments: readonly Attachment[];
      /** Set where the turn is to be answered with words alone: no tool is offered, and none runs. */
      readonly tools?: 'none';
    };
  readonly assistant_message: OfStream &
    WithBody & {
      readonly text: string;
      readonly metadata: MessageMetadata;
      readonly phase?: string;
      readonly output_index?: number;
      readonly output_count?: number;
      /** Calls whose output was a placeholder when this was asked for. */
      readonly pending_calls?: readonly string[];
      /** Children at work when this was asked for, and those of whose ends it was not told. */
      readonly open_children?: readonly string[];
    };
  readonly reasoning: OfResponse &
    WithBody & {
      readonly item: unknown;
      readonly model: string;
      readonly endpoint: string;
      readonly thought_ms?: number;
    };
  readonly tool_call: OfResponse &
    WithBody & {
      readonly call_id: string;
      readonly name: string;
      readonly args: string;
      /** Set where a person asked for the call, and no model. */
      readonly called_by?: 'user';
    };
  readonly tool_result: OfTurn & {
    readonly call_id: string;
    readonly ok: boolean;
    readonly output?: string;
    readonly error?: ToolError;
    readonly duration_ms: number;
    readonly blob?: string;
    /** Ends of children that this result tells the model of. */
    readonly delivers?: readonly Delivery[];
    /** Images that go to the model with the output. */
    readonly attachments?: readonly Attachment[];
  };
  readonly tool_call_status: OfTurn & {
    readonly call_id: string;
    readonly from: CallState;
    readonly to: CallState;
    readonly suspension?: Suspension;
    readonly process?: CommandProcess;
  };
  readonly tool_call_decision: OfTurn & {
    readonly decision_id: string;
    readonly target_id: string;
    /** The call that the target stands for; a log of another program may leave it out. */
    readonly call_id?: string;
    readonly action: 'resume' | 'cancel';
    /** Where the decision chose one. */
    readonly resume_mode?: ResumeMode;
    readonly result?: unknown;
    readonly reason?: string;
    readonly decided_by: 'user' | 'rule' | 'policy';
    readonly rule?: string;
  };
  readonly run_status: OfTurn & {
    readonly status: 'running' | 'waiting' | 'done';
    readonly reason?: RunEndReason | 'suspended';
    readonly code?: StopCode;
    /** With `waiting`: how long the turn has run until then, all its stretches together. */
    readonly elapsed_ms?: number;
  };
  readonly permission_decision: OfTurn & {
    readonly call_id: string;
    readonly decision: 'allow' | 'deny' | 'ask';
    readonly decided_by: 'user' | 'rule' | 'policy';
    readonly rule: string | null;
    readonly scope: string;
    readonly sub_commands: readonly string[];
  };
  readonly file_change: OfTurn & {
    readonly call_id: string;
    readonly path: string;
    readonly before_sha256: string | null;
    readonly after_sha256: string | null;
    readonly before_blob: string | null;
    readonly created: boolean;
    readonly deleted: boolean;
    /** Of a file that is deleted: its permission bits, where the system has such. */
    readonly before_mode?: number;
    /** Lines, where both contents are text. */
    readonly added?: number;
    readonly removed?: number;
    /** Of a change that takes others back: the calls that had made them. */
    readonly undo_of?: readonly string[];
    /** Of a change that takes an undo back: the calls whose changes stand again. */
    readonly redo_of?: readonly string[];
    /** Of a change that takes others back: the person merged it with what had come since. */
    readonly merged?: boolean;
    /** Folders that were missing and were made for the file, from the outermost; absent where none was. */
    readonly made_folders?: readonly string[];
    /** Of a change that takes others back: folders that those had made, and that were empty then. */
    readonly removed_folders?: readonly string[];
  };
  readonly provider_usage: ProviderUsage;
  readonly turn_failed: OfTurn & {
    readonly terminal_status: TerminalStatus;
    readonly error_kind: string;
    readonly error_message: string;
    readonly interrupted_reason?: InterruptedReason;
    readonly timeout_ms?: number;
    readonly elapsed_ms?: number;
    readonly details: unknown;
    readonly next_actions: readonly NextAction[];
  };
  readonly interruption_note: OfTurn & {
    readonly of_turn_id: string;
    readonly reason: InterruptedReason;
    readonly excerpt: string;
    readonly completed_calls: readonly string[];
  };
  readonly skill_activation: OfTurn &
    WithBody & {
      readonly name: string;
      readonly path: string;
      readonly content_hash: string;
      readonly content: string;
      readonly activated_by: string;
    };
  readonly history_compaction: HistoryCompaction;
  readonly branch_summary: WithBody & {
    readonly parent_session_id: string;
    readonly forked_to_seq: number;
    readonly summary: string;
    readonly files_touched: readonly string[];
    readonly open_tasks: readonly string[];
    readonly limitations: readonly string[];
  };
  readonly subagent_event: SubagentEvent;
  readonly workflow_event: WorkflowEvent;
  readonly diagnostic: {
    readonly turn_id?: string;
    readonly stream_run_id?: string;
    readonly code: string;
    readonly message: string;
    readonly details: unknown;
    readonly next_actions: readonly NextAction[];
  };
}

export type EventType = keyof EventData;

export interface Envelope<T extends string, D> {
  readonly v: number;
  readonly id: string;
  readonly session_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: T;
  readonly data: D;
}

export type KnownEvent<T extends EventType = EventType> = { [K in T]: Envelope<K, EventData[K]> }[T];

/** An event of a later version: kept as it was read, shown as "unknown", never dropped and never fatal. */
export type UnknownEvent = Envelope<
  'unknown',
  { readonly original_type: string; readonly original: unknown }
>;

export type LogEvent = KnownEvent | UnknownEvent;

/** What a writer hands in: the log adds id, session, seq and time. */
export type Draft<T extends EventType = EventType> = {
  [K in T]: { readonly type: K; readonly data: EventData[K] };
}[T];

export function draft<T extends EventType>(type: T, data: EventData[T]): Draft {
  return { type, data } as Draft;
}

/** The fact of an event without its place: to be written again in another log. */
export function redraft({ type, data }: KnownEvent): Draft {
  return { type, data } as Draft;
}

export interface Cause {
  readonly turn_id: string;
  readonly client_turn_id: string;
  streamOf(callId: string): string | undefined;
}

/**
 * Every event of a turn names the send that caused it, and every event of a call the stream that asked for
 * it. Done in one place, so that no caller can forget it.
 */
export function stamped(entry: Draft, cause: Cause): Draft {
  if (!('turn_id' in entry.data) || entry.data.turn_id !== cause.turn_id) return entry;
  const call = 'call_id' in entry.data ? entry.data.call_id : undefined;
  const stream = call === undefined ? undefined : cause.streamOf(call);
  const stream_run_id = stream === undefined ? {} : { stream_run_id: stream };
  return {
    type: entry.type,
    data: { ...stream_run_id, ...entry.data, client_turn_id: cause.client_turn_id },
  } as Draft;
}

/** Live display only: never logged, never sent. */
export type EphemeralType =
  | 'text_delta'
  | 'reasoning_delta'
  | 'status'
  | 'plan'
  | 'context_pressure'
  | 'tool_progress';
