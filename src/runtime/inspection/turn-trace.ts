import type { KnownEvent, LogEvent, NextAction } from '../events.ts';
import { titleOf } from '../title.ts';
import { turnState, type Turn, type TurnState } from '../turn.ts';
import { targetOf } from '../turn-calls.ts';
import { applyToCall, beginCall, type CallEvent, type CallTrace } from './call-trace.ts';
import { compactionsAfter, type CompactionTrace } from './compaction-trace.ts';
import { NO_FAMILY, type Family } from './families.ts';
import { nextActions, numberOrNull } from '../loose-fields.ts';
import { oneLine } from './one-line.ts';

/** One request to the model: what the log held before its first event is what it was made of. */
export interface RequestTrace {
  readonly stream_run_id: string;
  readonly first_seq: number;
}

export interface DiagnosticTrace {
  readonly seq: number;
  readonly code: string;
  readonly message: string;
  readonly next_actions: readonly NextAction[];
}

/** Calls of one turn that are kept one by one; of earlier ones only their number. */
export const CALLS_KEPT = 400;
const REQUESTS_KEPT = CALLS_KEPT;
const WARNINGS_KEPT = 100;

/** The events that prove what became of a turn. */
interface Seqs {
  readonly answer: number | null;
  readonly partial: number | null;
  readonly failed: number | null;
  readonly waiting: number | null;
  readonly last: number;
}

/** Its children and workflows stand with it, whatever turn speaks of them later. */
export interface TurnTrace extends Family {
  readonly turn: Turn;
  readonly title: string;
  readonly seqs: Seqs;
  readonly calls: readonly CallTrace[];
  /** Calls asked for in all, and how many of them have a result. */
  readonly asked: number;
  readonly paired: number;
  readonly requests: readonly RequestTrace[];
  readonly compactions: readonly CompactionTrace[];
  readonly diagnostics: readonly DiagnosticTrace[];
  readonly timeout_ms: number | null;
  readonly elapsed_ms: number | null;
}

export function beginTrace(event: KnownEvent<'user_message'>, turn: Turn): TurnTrace {
  return {
    ...NO_FAMILY,
    turn,
    title: titleOf(event.data.text),
    seqs: { answer: null, partial: null, failed: null, waiting: null, last: event.seq },
    calls: [],
    asked: 0,
    paired: 0,
    requests: [],
    compactions: [],
    diagnostics: [],
    timeout_ms: null,
    elapsed_ms: null,
  };
}

export function stateOf(trace: TurnTrace): TurnState {
  return turnState(trace.turn);
}

/** Pure: the trace after one more event of its turn. Its state is that of the runtime's own fold, which is handed in. */
export function applyToTrace(before: TurnTrace, event: LogEvent, turn: Turn): TurnTrace {
  const trace: TurnTrace = {
    ...before,
    turn,
    seqs: { ...before.seqs, last: event.seq },
    requests: requestsAfter(before.requests, event),
  };
  switch (event.type) {
    case 'tool_call':
      return {
        ...trace,
        asked: trace.asked + 1,
        calls: kept([...trace.calls, beginCall(event)], CALLS_KEPT),
      };
    case 'tool_result': {
      const { open } = before.turn;
      const first = open.get(event.data.call_id)?.result === 'none';
      return withCall({ ...trace, paired: trace.paired + (first ? 1 : 0) }, event.data.call_id, event);
    }
    case 'tool_call_status':
    case 'permission_decision':
    case 'file_change':
      return withCall(trace, event.data.call_id, event);
    case 'tool_call_decision': {
      const { call_id, target_id } = event.data;
      return withCall(trace, call_id ?? targetOf(before.turn, target_id)?.call_id ?? target_id, event);
    }
    case 'assistant_message': {
      const { seq } = event;
      if (event.data.metadata.partial) return withSeqs(trace, { partial: seq });
      return turn.answered ? withSeqs(trace, { answer: seq }) : trace;
    }
    case 'run_status':
      return event.data.status === 'waiting' ? withSeqs(trace, { waiting: event.seq }) : trace;
    case 'turn_failed':
      if (turn.failure !== event.data) return trace;
      return {
        ...withSeqs(trace, { failed: event.seq }),
        timeout_ms: numberOrNull(event.data, 'timeout_ms'),
        elapsed_ms: numberOrNull(event.data, 'elapsed_ms'),
      };
    case 'history_compaction':
      return { ...trace, compactions: compactionsAfter(trace.compactions, event) };
    case 'diagnostic':
      return { ...trace, diagnostics: kept([...trace.diagnostics, diagnosticOf(event)], WARNINGS_KEPT) };
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'user_message':
    case 'reasoning':
    case 'provider_usage':
    case 'interruption_note':
    case 'skill_activation':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'unknown':
      return trace;
  }
}

export function diagnosticOf(event: KnownEvent<'diagnostic'>): DiagnosticTrace {
  const { code, message } = event.data;
  return { seq: event.seq, code, message: oneLine(message, 300), next_actions: nextActions(event.data) };
}

function withCall(trace: TurnTrace, callId: string, event: CallEvent): TurnTrace {
  const at = trace.calls.findLastIndex(({ call_id }) => call_id === callId);
  const call = trace.calls[at];
  return call === undefined ? trace : { ...trace, calls: trace.calls.with(at, applyToCall(call, event)) };
}

function withSeqs(trace: TurnTrace, seqs: Partial<Seqs>): TurnTrace {
  return { ...trace, seqs: { ...trace.seqs, ...seqs } };
}

/** A stream's first event is one that only a response makes: results and moves name the stream of their call. */
function requestsAfter(requests: readonly RequestTrace[], event: LogEvent): readonly RequestTrace[] {
  switch (event.type) {
    case 'assistant_message':
    case 'reasoning':
    case 'tool_call':
    case 'provider_usage':
    case 'turn_failed': {
      // A call beside the conversation is none of its requests.
      if (event.type === 'provider_usage' && event.data.purpose !== undefined) return requests;
      const stream_run_id = event.data.stream_run_id;
      if (typeof stream_run_id !== 'string') return requests;
      if (requests.some((one) => one.stream_run_id === stream_run_id)) return requests;
      return kept([...requests, { stream_run_id, first_seq: event.seq }], REQUESTS_KEPT);
    }
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'user_message':
    case 'tool_result':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'interruption_note':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return requests;
  }
}

function kept<T>(list: readonly T[], most: number): readonly T[] {
  return list.length <= most ? list : list.slice(-most);
}
