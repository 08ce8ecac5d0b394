import type { EventData, LogEvent, Suspension, TerminalStatus } from './events.ts';
import { canMoveCall, isFinal, RUN_MOVES, type CallState, type RunState } from './machines.ts';

/** A call of the turn that is not settled yet: settled means a final state and a result. */
export interface OpenCall {
  readonly call_id: string;
  readonly name: string;
  readonly args: string;
  readonly stream_run_id: string;
  readonly state: CallState;
  readonly result: 'none' | 'ok' | 'error';
  readonly suspension: Suspension | null;
}

/** One response that asked for calls, for the stop conditions. */
export interface Round {
  readonly stream_run_id: string;
  readonly call_ids: readonly string[];
  /** Names and arguments, in order. */
  readonly signature: readonly string[];
  readonly settled: number;
  readonly failed: number;
}

export interface Turn {
  readonly turn_id: string;
  readonly client_turn_id: string;
  readonly user_seq: number;
  readonly started_at: string;
  readonly run: RunState;
  /** The run has waited since the last response: it then infers only when nothing is pending. */
  readonly waited: boolean;
  readonly open: ReadonlyMap<string, OpenCall>;
  /** Children that are not final; a turn is not completed over one. */
  readonly open_children: ReadonlySet<string>;
  /** The last response is whole, asked for nothing and said something. */
  readonly answered: boolean;
  /** How much text of the last response is in the log; what was kept beside the log may be more. */
  readonly spoken: { readonly stream_run_id: string; readonly length: number } | null;
  readonly partial_text: string | null;
  readonly failure: EventData['turn_failed'] | null;
  /** Responses committed. */
  readonly responses: number;
  readonly tokens: number;
  /** The last rounds, oldest first; as many as the stop conditions look at. */
  readonly rounds: readonly Round[];
  /** Names of the calls that succeeded, the last few. */
  readonly completed_calls: readonly string[];
  /** Moves in the log that the tables do not have. The state before them stands. */
  readonly violations: readonly string[];
}

const ROUNDS_KEPT = 6;
const COMPLETED_KEPT = 12;

export function beginTurn(event: LogEvent & { type: 'user_message' }): Turn {
  return {
    turn_id: event.data.turn_id,
    client_turn_id: event.data.client_turn_id,
    user_seq: event.seq,
    started_at: event.ts,
    run: 'running',
    waited: false,
    open: new Map(),
    open_children: new Set(),
    answered: false,
    spoken: null,
    partial_text: null,
    failure: null,
    responses: 0,
    tokens: 0,
    rounds: [],
    completed_calls: [],
    violations: [],
  };
}

/** Pure: the turn after one more event of it. Cost is that of the open calls, not of the turn. */
export function applyToTurn(turn: Turn, event: LogEvent): Turn {
  switch (event.type) {
    case 'assistant_message':
      return applyMessage(turn, event.data);
    case 'tool_call':
      return applyCall(turn, event.data);
    case 'tool_result':
      return applyResult(turn, event.data);
    case 'tool_call_status':
      return applyStatus(turn, event.data);
    case 'run_status':
      return applyRun(turn, event.data.status);
    case 'turn_failed':
      return applyFailure(turn, event.data);
    case 'provider_usage':
      return {
        ...turn,
        responses: turn.responses + 1,
        waited: false,
        tokens: turn.tokens + (event.data.tokens.total ?? 0),
      };
    case 'subagent_event':
      return applyChild(turn, event.data);
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'user_message':
    case 'reasoning':
    case 'tool_call_decision':
    case 'permission_decision':
    case 'file_change':
    case 'interruption_note':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return turn;
  }
}

function applyMessage(turn: Turn, data: EventData['assistant_message']): Turn {
  if (data.metadata.partial) return { ...turn, partial_text: data.text };
  const asked = turn.rounds.at(-1)?.stream_run_id === data.stream_run_id;
  const whole = data.output_index === undefined || data.output_index + 1 === data.output_count;
  const { stream_run_id, text } = data;
  const before = turn.spoken?.stream_run_id === stream_run_id ? turn.spoken.length : 0;
  const spoken = { stream_run_id, length: before + text.length };
  return { ...turn, spoken, answered: !asked && whole && text !== '' };
}

/** A turn ends once: what the log said first about it stands. */
function applyFailure(turn: Turn, data: EventData['turn_failed']): Turn {
  const state = turnState(turn);
  if (isTerminal(state)) return violated(turn, `turn: ${state} -> ${data.terminal_status}`);
  return { ...turn, failure: data };
}

function applyCall(turn: Turn, data: EventData['tool_call']): Turn {
  if (turn.rounds.some((round) => round.call_ids.includes(data.call_id)) || turn.open.has(data.call_id))
    return violated(turn, `second call ${data.call_id}`);
  const call: OpenCall = {
    call_id: data.call_id,
    name: data.name,
    args: data.args,
    stream_run_id: data.stream_run_id,
    state: 'new',
    result: 'none',
    suspension: null,
  };
  const last = turn.rounds.at(-1);
  const mark = `${data.name}\u0000${data.args}`;
  const rounds =
    last?.stream_run_id === data.stream_run_id
      ? [
          ...turn.rounds.slice(0, -1),
          { ...last, call_ids: [...last.call_ids, data.call_id], signature: [...last.signature, mark] },
        ]
      : [
          ...turn.rounds.slice(1 - ROUNDS_KEPT),
          {
            stream_run_id: data.stream_run_id,
            call_ids: [data.call_id],
            signature: [mark],
            settled: 0,
            failed: 0,
          },
        ];
  return { ...turn, answered: false, rounds, open: new Map(turn.open).set(data.call_id, call) };
}

function applyResult(turn: Turn, data: EventData['tool_result']): Turn {
  const call = turn.open.get(data.call_id);
  if (call === undefined) return violated(turn, `result of unknown or settled call ${data.call_id}`);
  if (call.result !== 'none') return violated(turn, `second result of call ${data.call_id}`);
  const settledRound = turn.rounds.findLastIndex((round) => round.call_ids.includes(data.call_id));
  const round = turn.rounds[settledRound];
  const rounds =
    round === undefined
      ? turn.rounds
      : turn.rounds.with(settledRound, {
          ...round,
          settled: round.settled + 1,
          failed: round.failed + (data.ok ? 0 : 1),
        });
  const completed_calls = data.ok
    ? [...turn.completed_calls.slice(1 - COMPLETED_KEPT), call.name]
    : turn.completed_calls;
  return settle(
    { ...turn, answered: false, rounds, completed_calls },
    { ...call, result: data.ok ? 'ok' : 'error' },
  );
}

function applyStatus(turn: Turn, data: EventData['tool_call_status']): Turn {
  const call = turn.open.get(data.call_id);
  if (call === undefined) return violated(turn, `status of unknown or settled call ${data.call_id}`);
  if (call.state !== data.from || !canMoveCall(call.state, data.to)) {
    return violated(turn, `call ${data.call_id}: ${call.state} -> ${data.to}`);
  }
  return settle(turn, {
    ...call,
    state: data.to,
    suspension: data.to === 'suspended' ? (data.suspension ?? null) : null,
  });
}

function settle(turn: Turn, call: OpenCall): Turn {
  const open = new Map(turn.open);
  if (isFinal(call.state) && call.result !== 'none') open.delete(call.call_id);
  else open.set(call.call_id, call);
  return { ...turn, open };
}

function applyRun(turn: Turn, status: RunState): Turn {
  if (status === turn.run && status === 'running') return turn;
  if (!(RUN_MOVES[turn.run] as readonly RunState[]).includes(status))
    return violated(turn, `run: ${turn.run} -> ${status}`);
  return { ...turn, run: status, waited: turn.waited || status === 'waiting' };
}

const CHILD_OPEN = new Set(['queued', 'running']);

function applyChild(turn: Turn, data: EventData['subagent_event']): Turn {
  const open_children = new Set(turn.open_children);
  if (CHILD_OPEN.has(data.status)) open_children.add(data.subagent_id);
  else open_children.delete(data.subagent_id);
  return { ...turn, open_children };
}

function violated(turn: Turn, what: string): Turn {
  return { ...turn, violations: [...turn.violations, what] };
}

export type TurnState = 'running' | 'waiting' | 'completed' | TerminalStatus;

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
  const pending = pendingCalls(turn);
  if (pending.length === 0) return null;
  return pending.some((call) => call.suspension?.reason === 'outcome_unknown')
    ? 'outcome_unknown'
    : 'suspended';
}

export function isTerminal(state: TurnState): boolean {
  return state !== 'running' && state !== 'waiting';
}
