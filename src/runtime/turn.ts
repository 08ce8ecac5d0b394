import { isOpenChild } from './agents/child-states.ts';
import { NO_CHILDREN, openChildrenOf } from './agents/children.ts';
import { isBlank } from './blank-text.ts';
import type { EventData, KnownEvent, LogEvent, TerminalStatus } from './events.ts';
import { RUN_MOVES, type RunState } from './machines.ts';
import {
  afterCall,
  afterDecision,
  afterResult,
  afterStatus,
  NO_CALLS,
  type CallsAfter,
  type OpenCall,
  type TurnCalls,
} from './turn-calls.ts';

export type { OpenCall, Round } from './turn-calls.ts';

export interface Turn extends TurnCalls {
  readonly turn_id: string;
  readonly client_turn_id: string;
  readonly user_seq: number;
  readonly started_at: string;
  readonly run: RunState;
  /** The next turn has told the model that this one was interrupted. */
  readonly noted: boolean;
  /** How long it ran before it last came to wait: waiting is not timed. */
  readonly ran_ms: number;
  /** When it last began to run. */
  readonly running_since: string;
  /** The run has waited since the last response: it then infers only when nothing is pending. */
  readonly waited: boolean;
  /** Children that are not final; a turn is not completed over one. */
  readonly open_children: ReadonlySet<string>;
  /** The last response is whole, asked for nothing and said something. */
  readonly answered: boolean;
  /** The last response would be the answer, but was asked for while children were at work. */
  readonly over_children: boolean;
  /** How much text of the last response is in the log; what was kept beside the log may be more. */
  readonly spoken: Spoken | null;
  /** The last text of an answer that did not complete, and the stream it is of. */
  readonly partial: { readonly stream_run_id: string; readonly text: string } | null;
  readonly failure: EventData['turn_failed'] | null;
  /** Responses committed. */
  readonly responses: number;
  readonly tokens: number;
  /** What its calls made of files, in order. */
  readonly changes: readonly TurnChange[];
  /** Skills that it was given, by the person or by its own calls. */
  readonly skills: readonly TurnSkill[];
  /** Names the index of skills whose text is on record in it. */
  readonly told_index: string | null;
  /** Moves in the log that the tables do not have. The state before them stands. */
  readonly violations: readonly string[];
}

export interface TurnSkill {
  readonly name: string;
  readonly content_hash: string;
}

interface Spoken {
  readonly stream_run_id: string;
  readonly length: number;
  /** Not only white space. */
  readonly in_words: boolean;
}

export interface TurnChange {
  readonly path: string;
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
}

export function beginTurn(event: LogEvent & { type: 'user_message' }, children = NO_CHILDREN): Turn {
  return {
    turn_id: event.data.turn_id,
    client_turn_id: event.data.client_turn_id,
    user_seq: event.seq,
    started_at: event.ts,
    run: 'running',
    noted: false,
    ran_ms: 0,
    running_since: event.ts,
    waited: false,
    ...NO_CALLS,
    open_children: new Set(openChildrenOf(children).map(({ subagent_id }) => subagent_id)),
    answered: false,
    over_children: false,
    spoken: null,
    partial: null,
    failure: null,
    responses: 0,
    tokens: 0,
    changes: [],
    skills: [],
    told_index: null,
    violations: [],
  };
}

/** Pure: the turn after one more event of it. Cost is that of the open calls, not of the turn. */
export function applyToTurn(turn: Turn, event: LogEvent): Turn {
  switch (event.type) {
    case 'assistant_message':
      return applyMessage(turn, event.data);
    case 'tool_call':
      return withCalls(turn, afterCall(turn, event.data), UNANSWERED);
    case 'tool_result':
      return withCalls(turn, afterResult(turn, event.data), UNANSWERED);
    case 'tool_call_status':
      return withCalls(turn, afterStatus(turn, event));
    case 'tool_call_decision':
      return withCalls(turn, afterDecision(turn, event.data));
    case 'file_change': {
      const { path, before_sha256, after_sha256 } = event.data;
      return { ...turn, changes: [...turn.changes, { path, before_sha256, after_sha256 }] };
    }
    case 'run_status':
      return applyRun(turn, event);
    case 'turn_failed':
      return applyFailure(turn, event.data);
    case 'provider_usage': {
      const tokens = turn.tokens + (event.data.tokens.total ?? 0);
      // What was asked beside the conversation is no response of it.
      if (event.data.purpose !== undefined) return { ...turn, tokens };
      const { skill_index, skill_index_hash } = event.data;
      const told_index = skill_index === undefined ? turn.told_index : skill_index_hash;
      return { ...turn, told_index, responses: turn.responses + 1, waited: false, tokens };
    }
    case 'subagent_event':
      return isTerminal(turnState(turn)) ? turn : applyChild(turn, event.data);
    case 'skill_activation': {
      const { name, content_hash } = event.data;
      return { ...turn, skills: [...turn.skills, { name, content_hash }] };
    }
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'user_message':
    case 'reasoning':
    case 'permission_decision':
    case 'interruption_note':
    case 'history_compaction':
    case 'branch_summary':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return turn;
  }
}

function applyMessage(turn: Turn, data: EventData['assistant_message']): Turn {
  if (data.metadata.partial)
    return { ...turn, partial: { stream_run_id: data.stream_run_id, text: data.text } };
  const asked = turn.rounds.at(-1)?.stream_run_id === data.stream_run_id;
  const whole = data.output_index === undefined || data.output_index + 1 === data.output_count;
  const { stream_run_id, text } = data;
  const before = turn.spoken?.stream_run_id === stream_run_id ? turn.spoken : null;
  const in_words = before?.in_words === true || !isBlank(text);
  const spoken = { stream_run_id, length: (before?.length ?? 0) + text.length, in_words };
  // An answer to a request that did not have a result yet is not the last word about it.
  const current = (data.pending_calls ?? []).every((id) => turn.open.get(id)?.result === 'none');
  const final = !asked && whole && current && in_words;
  // Nor is one that was asked for before the ends of children were known.
  const over_children = final && (data.open_children ?? []).length > 0;
  return { ...turn, spoken, answered: final && !over_children, over_children };
}

function withCalls(turn: Turn, calls: CallsAfter, said: Partial<Turn> = {}): Turn {
  return 'violation' in calls ? violated(turn, calls.violation) : { ...turn, ...calls, ...said };
}

/** There is more to say, whatever was said before. */
const UNANSWERED = { answered: false, over_children: false } as const satisfies Partial<Turn>;

/** A turn ends once: what the log said first about it stands. */
function applyFailure(turn: Turn, data: EventData['turn_failed']): Turn {
  const state = turnState(turn);
  if (isTerminal(state)) return violated(turn, `turn: ${state} -> ${data.terminal_status}`);
  return { ...turn, failure: data };
}

function applyRun(turn: Turn, { ts, data }: KnownEvent<'run_status'>): Turn {
  const { status, elapsed_ms } = data;
  if (status === turn.run && status === 'running') return turn;
  if (!(RUN_MOVES[turn.run] as readonly RunState[]).includes(status))
    return violated(turn, `run: ${turn.run} -> ${status}`);
  if (status === 'running') return { ...turn, run: status, running_since: ts };
  if (status === 'done') return { ...turn, run: status };
  // The first logs do not say how long it was: then it counts for nothing.
  return { ...turn, run: status, waited: true, ran_ms: Math.max(turn.ran_ms, elapsed_ms ?? 0) };
}

/** How long a turn ran, as far as its log shows: for who finds it and did not run it. */
export function ranUntil({ ran_ms, running_since }: Turn, until: string): number {
  const stretch = Date.parse(until) - Date.parse(running_since);
  // A clock can be set back.
  return ran_ms + (stretch > 0 ? stretch : 0);
}

function applyChild(turn: Turn, data: EventData['subagent_event']): Turn {
  // That it was at work is no news, and may be written when it has just ended; that an end was told is none either, and
  // may be written when it works again.
  if (data.event === 'heartbeat' || data.event === 'delivered') return turn;
  const open_children = new Set(turn.open_children);
  if (isOpenChild(data)) open_children.add(data.subagent_id);
  else open_children.delete(data.subagent_id);
  return { ...turn, open_children };
}

function violated(turn: Turn, what: string): Turn {
  return { ...turn, violations: [...turn.violations, what] };
}

export type TurnState = 'running' | 'waiting' | 'completed' | TerminalStatus;

export const TURN_STATES = [
  'completed',
  'partial_failed',
  'failed',
  'interrupted',
  'timed_out',
  'waiting',
  'running',
] as const satisfies readonly TurnState[];

export function pendingCalls(turn: Turn): readonly OpenCall[] {
  return [...turn.open.values()].filter((call) => call.state === 'suspended');
}

/** The state of a turn by its evidence alone: never by a process, a stream or a promise that ended. */
export function turnState(turn: Turn): TurnState {
  if (turn.failure !== null) return turn.failure.terminal_status;
  if (turn.answered && turn.open.size === 0 && turn.open_children.size === 0) return 'completed';
  if (turn.run === 'waiting' && pendingCalls(turn).length > 0) return 'waiting';
  return 'running';
}

/** Why it is in its state, in one word; null when there is nothing to say. */
export function turnReason(turn: Turn): string | null {
  if (turn.failure !== null) return turn.failure.interrupted_reason ?? turn.failure.error_kind;
  return turnState(turn) === 'waiting' ? 'suspended' : null;
}

export function isTerminal(state: TurnState): state is Exclude<TurnState, 'running' | 'waiting'> {
  return state !== 'running' && state !== 'waiting';
}
