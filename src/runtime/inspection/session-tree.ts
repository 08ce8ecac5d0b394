import type { KnownEvent, LogEvent } from '../events.ts';
import { turnIdOf } from '../session-state.ts';
import { titleOf } from '../title.ts';
import type { SubagentTrace, WorkflowTrace } from './child-traces.ts';
import { compactionsAfter, type CompactionTrace } from './compaction-trace.ts';
import {
  applyToTrace,
  beginTrace,
  diagnosticOf,
  subagentsAfter,
  workflowsAfter,
  type DiagnosticTrace,
  type TurnTrace,
} from './turn-trace.ts';

/** Turns that are kept in detail. Earlier ones are counted, and read again from the log when asked for. */
export const TURNS_KEPT = 20;
const DIAGNOSTICS_KEPT = 50;

/** What the tree shows of a session, of a size that does not grow with its log. */
export interface SessionTrace {
  readonly session_id: string;
  readonly title: string;
  readonly last_seq: number;
  readonly events: number;
  readonly started_seq: number | null;
  readonly fork: { readonly seq: number; readonly parent: string; readonly to_seq: number } | null;
  /** All turns, also those that are not in `turns`; null while only the last ones were read. */
  readonly turn_count: number | null;
  /** The last ones, oldest first. */
  readonly turns: readonly TurnTrace[];
  /** Of no turn. */
  readonly subagents: readonly SubagentTrace[];
  readonly workflows: readonly WorkflowTrace[];
  readonly compactions: readonly CompactionTrace[];
  readonly diagnostics: readonly DiagnosticTrace[];
}

export function emptyTrace(sessionId: string): SessionTrace {
  return {
    session_id: sessionId,
    title: '',
    last_seq: -1,
    events: 0,
    started_seq: null,
    fork: null,
    turn_count: 0,
    turns: [],
    subagents: [],
    workflows: [],
    compactions: [],
    diagnostics: [],
  };
}

/** Pure: the trace after one more event. Turns that the event does not touch stay the same objects. */
export function applyToSessionTrace(before: SessionTrace, event: LogEvent, most = TURNS_KEPT): SessionTrace {
  const trace: SessionTrace = { ...before, last_seq: event.seq, events: before.events + 1 };
  if (event.type === 'user_message') return withTurn(trace, event, most);
  const at = turnAt(trace.turns, turnIdOf(event));
  const turn = trace.turns[at];
  if (turn !== undefined) return { ...trace, turns: trace.turns.with(at, applyToTrace(turn, event)) };
  if (event.type === 'session_started') return { ...trace, started_seq: event.seq };
  if (event.type === 'session_fork') {
    const { parent_session_id: parent, forked_to_seq: to_seq } = event.data;
    return { ...trace, fork: { seq: event.seq, parent, to_seq } };
  }
  // Of a turn that is not shown any more, or of none: an open child must not be lost from sight.
  if (event.type === 'subagent_event') return { ...trace, subagents: subagentsAfter(trace.subagents, event) };
  if (event.type === 'workflow_event') return { ...trace, workflows: workflowsAfter(trace.workflows, event) };
  if (event.type === 'history_compaction')
    return { ...trace, compactions: compactionsAfter(trace.compactions, event) };
  if (event.type !== 'diagnostic' || event.data.turn_id !== undefined) return trace;
  return { ...trace, diagnostics: [...trace.diagnostics, diagnosticOf(event)].slice(-DIAGNOSTICS_KEPT) };
}

function withTurn(trace: SessionTrace, event: KnownEvent<'user_message'>, most: number): SessionTrace {
  return {
    ...trace,
    title: trace.title === '' ? titleOf(event.data.text) : trace.title,
    turn_count: (trace.turn_count ?? 0) + 1,
    turns: [...trace.turns, beginTrace(event)].slice(-most),
  };
}

/** Nearly always the last one. */
function turnAt(turns: readonly TurnTrace[], turnId: string | undefined): number {
  return turnId === undefined ? -1 : turns.findLastIndex(({ turn }) => turn.turn_id === turnId);
}

/** The turns of a part of the log that begins anywhere: what precedes its first prompt is of no turn of it. */
export function turnsIn(events: readonly LogEvent[]): readonly TurnTrace[] {
  const most = events.length;
  return events.reduce((trace, event) => applyToSessionTrace(trace, event, most), emptyTrace('')).turns;
}
