import { applyToChildren, NO_CHILDREN, type Children } from './agents/children.ts';
import type { EventData, LogEvent, NextAction } from './events.ts';
import { applyToPressure, NO_PRESSURE, type Pressure } from './pressure.ts';
import { applyToWorkflows, type WorkflowState } from './workflows/state.ts';
import { OUTCOME_UNKNOWN } from './turn-calls.ts';
import { applyToTurn, beginTurn, turnReason, turnState, type Turn, type TurnState } from './turn.ts';

/** What the runtime knows of a session: a fold of its log, of a size that does not grow with it. */
export interface SessionState {
  readonly session_id: string;
  readonly last_seq: number;
  /** When the last event of somebody at work was written: what a recovery adds comes later, perhaps by days. */
  readonly worked_until: string;
  readonly fork_root_session_id: string;
  readonly context: EventData['developer_context'] | null;
  /** Where the log says so. */
  readonly context_seq: number;
  readonly turn: Turn | null;
  readonly pressure: Pressure;
  readonly children: Children;
  /** Those that run or could be gone on with. */
  readonly workflows: readonly WorkflowState[];
}

export function emptySession(sessionId: string): SessionState {
  return {
    session_id: sessionId,
    last_seq: -1,
    worked_until: '',
    fork_root_session_id: sessionId,
    context: null,
    context_seq: -1,
    turn: null,
    pressure: NO_PRESSURE,
    children: NO_CHILDREN,
    workflows: [],
  };
}

/** Pure: the session after one more event. Audit events of no turn change only what it says of the last one. */
export function applyToSession(state: SessionState, event: LogEvent): SessionState {
  // One copy an event: of a long log there are many.
  const last_seq = event.seq;
  const worked_until = isOfRecovery(event) ? state.worked_until : event.ts;
  switch (event.type) {
    case 'session_started':
    case 'session_fork': {
      const { fork_root_session_id } = event.data;
      const pressure = applyToPressure(state.pressure, event);
      return { ...state, last_seq, worked_until, fork_root_session_id, pressure };
    }
    case 'developer_context':
      return { ...state, last_seq, worked_until, context: event.data, context_seq: event.seq };
    case 'user_message':
      return { ...state, last_seq, worked_until, turn: beginTurn(event, state.children) };
    case 'interruption_note': {
      const { turn } = state;
      const isOfTurn = turn?.turn_id === event.data.of_turn_id;
      return { ...state, last_seq, worked_until, turn: isOfTurn ? { ...turn, noted: true } : turn };
    }
    case 'assistant_message':
    case 'reasoning':
    case 'tool_call':
    case 'tool_result':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'provider_usage':
    case 'turn_failed':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown': {
      const { turn } = state;
      const known = {
        pressure: applyToPressure(state.pressure, event),
        children: applyToChildren(state.children, event),
        workflows: applyToWorkflows(state.workflows, event),
      };
      return { ...state, last_seq, worked_until, ...known, turn: turn && turnAfter(turn, event) };
    }
  }
}

/** The present turn after one more event, which may be none of it. */
export function turnAfter(turn: Turn, event: LogEvent): Turn {
  // What becomes of a child matters to the present turn, whichever gave it its work.
  const isOfTurn = event.type === 'subagent_event' || turnIdOf(event) === turn.turn_id;
  return isOfTurn ? applyToTurn(turn, event) : turn;
}

function isOfRecovery(event: LogEvent): boolean {
  if (event.type === 'tool_call_status') return event.data.suspension?.reason === OUTCOME_UNKNOWN;
  return event.type === 'assistant_message' && event.data.metadata.interrupted_reason === 'disconnect';
}

export function turnIdOf(event: LogEvent): string | undefined {
  return 'turn_id' in event.data ? event.data.turn_id : undefined;
}

export interface TurnRecord {
  readonly turn_id: string;
  readonly client_turn_id: string;
  readonly state: TurnState;
  readonly reason: string | null;
  readonly next_actions: readonly NextAction[];
}

export function turnRecord(turn: Turn): TurnRecord {
  const { turn_id, client_turn_id, failure } = turn;
  const next_actions = failure?.next_actions ?? [];
  return { turn_id, client_turn_id, state: turnState(turn), reason: turnReason(turn), next_actions };
}

/** The turns of a session by the id their sender gave them: what makes sending idempotent. */
export class TurnIndex {
  private readonly byClient = new Map<string, TurnRecord>();
  /** The last one changes with every event of it: what it comes to is looked up when somebody asks. */
  private last: Turn | null = null;

  /** Call with the state after each event that can change a turn. */
  note(turn: Turn): void {
    if (this.last !== null && this.last.turn_id !== turn.turn_id) this.add(turnRecord(this.last));
    this.last = turn;
  }

  add(record: TurnRecord): void {
    this.byClient.set(record.client_turn_id, record);
  }

  find(clientTurnId: string): TurnRecord | undefined {
    return this.last?.client_turn_id === clientTurnId
      ? turnRecord(this.last)
      : this.byClient.get(clientTurnId);
  }
}
