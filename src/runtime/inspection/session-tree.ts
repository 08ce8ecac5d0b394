import type { KnownEvent, LogEvent } from '../events.ts';
import { applyToSession, emptySession, turnIdOf, type SessionState } from '../session-state.ts';
import { titleOf } from '../title.ts';
import { applyToTurn } from '../turn.ts';
import { tellingsIn } from './child-traces.ts';
import { compactionsAfter, type CompactionTrace } from './compaction-trace.ts';
import {
  familyAfter,
  familyOf,
  familyTold,
  indexOfChild,
  indexOfFlow,
  joinedFamilies,
  leftOpen,
  NO_FAMILY,
  type Family,
} from './families.ts';
import {
  applyToTrace,
  beginTrace,
  diagnosticOf,
  type DiagnosticTrace,
  type TurnTrace,
} from './turn-trace.ts';

/** Turns that are kept in detail. Earlier ones are counted, and read again from the log when asked for. */
export const TURNS_KEPT = 20;
const DIAGNOSTICS_KEPT = 50;

/** What the tree shows of a session, of a size that does not grow with its log. The children are those of no turn. */
export interface SessionTrace extends Family {
  readonly session_id: string;
  /** What the runtime itself knows: the present turn is the one in it. */
  readonly state: SessionState;
  readonly title: string;
  readonly last_seq: number;
  readonly events: number;
  readonly started_seq: number | null;
  readonly fork: { readonly seq: number; readonly parent: string; readonly to_seq: number } | null;
  /** All turns, also those that are not in `turns`; null while only the last ones were read. */
  readonly turn_count: number | null;
  /** The last ones, oldest first. */
  readonly turns: readonly TurnTrace[];
  readonly compactions: readonly CompactionTrace[];
  readonly diagnostics: readonly DiagnosticTrace[];
}

export function emptyTrace(sessionId: string): SessionTrace {
  return {
    ...NO_FAMILY,
    session_id: sessionId,
    state: emptySession(sessionId),
    title: '',
    last_seq: -1,
    events: 0,
    started_seq: null,
    fork: null,
    turn_count: 0,
    turns: [],
    compactions: [],
    diagnostics: [],
  };
}

/** Pure: the trace after one more event. Turns that the event does not touch stay the same objects. */
export function applyToSessionTrace(before: SessionTrace, event: LogEvent, most = TURNS_KEPT): SessionTrace {
  const state = applyToSession(before.state, event);
  const trace: SessionTrace = { ...before, state, last_seq: event.seq, events: before.events + 1 };
  if (event.type === 'user_message') return withTurn(trace, event, most);
  if (event.type === 'subagent_event' || event.type === 'workflow_event')
    return withFamilyEvent(withTurnEvent(trace, event), event);
  return withTellings(withTurnEvent(trace, event), tellingsIn(event));
}

/** What an event says of its turn, and of the present one, to which also what becomes of others' children matters. */
function withTurnEvent(trace: SessionTrace, event: LogEvent): SessionTrace {
  const { turn: present } = trace.state;
  const at = turnAt(trace.turns, turnIdOf(event));
  const turn = trace.turns[at];
  if (turn !== undefined) {
    const isPresent = present?.turn_id === turn.turn.turn_id;
    const after = applyToTrace(turn, event, isPresent ? present : applyToTurn(turn.turn, event));
    return withPresent({ ...trace, turns: trace.turns.with(at, after) });
  }
  return withPresent(withEventOfNone(trace, event));
}

/** The last turn is the present one, and its fold is that of the session. */
function withPresent(trace: SessionTrace): SessionTrace {
  const last = trace.turns.at(-1);
  const { turn } = trace.state;
  if (last === undefined || turn === null || last.turn === turn || last.turn.turn_id !== turn.turn_id)
    return trace;
  return { ...trace, turns: [...trace.turns.slice(0, -1), { ...last, turn }] };
}

function withEventOfNone(trace: SessionTrace, event: LogEvent): SessionTrace {
  if (event.type === 'session_started') return { ...trace, started_seq: event.seq };
  if (event.type === 'session_fork') {
    const { parent_session_id: parent, forked_to_seq: to_seq } = event.data;
    return { ...trace, fork: { seq: event.seq, parent, to_seq } };
  }
  if (event.type === 'history_compaction')
    return { ...trace, compactions: compactionsAfter(trace.compactions, event) };
  if (event.type !== 'diagnostic' || event.data.turn_id !== undefined) return trace;
  return { ...trace, diagnostics: [...trace.diagnostics, diagnosticOf(event)].slice(-DIAGNOSTICS_KEPT) };
}

/** A child stands where it was first told of, one of a workflow with that, whatever turn gives it more to do. */
function withFamilyEvent(
  trace: SessionTrace,
  event: KnownEvent<'subagent_event' | 'workflow_event'>,
): SessionTrace {
  const at = homeOf(trace, event);
  if (at === 'session') return { ...trace, ...familyAfter(trace, event) };
  const turn = trace.turns[at];
  // Of a turn that is not shown any more, or of none: an open child must not be lost from sight.
  if (turn === undefined) return { ...trace, ...familyAfter(trace, event) };
  return { ...trace, turns: trace.turns.with(at, { ...turn, ...familyAfter(turn, event) }) };
}

function homeOf(
  trace: SessionTrace,
  event: KnownEvent<'subagent_event' | 'workflow_event'>,
): number | 'session' {
  const { workflow_id } = event.data;
  const child =
    event.type === 'subagent_event'
      ? homeWith(trace, (one) => indexOfChild(one, event.data.subagent_id))
      : null;
  const flow =
    typeof workflow_id === 'string' ? homeWith(trace, (one) => indexOfFlow(one, workflow_id)) : null;
  return child ?? flow ?? turnAt(trace.turns, event.data.turn_id);
}

function homeWith(trace: SessionTrace, indexIn: (family: Family) => number): number | 'session' | null {
  const at = trace.turns.findLastIndex((turn) => indexIn(turn) >= 0);
  if (at >= 0) return at;
  return indexIn(trace) >= 0 ? 'session' : null;
}

function withTellings(trace: SessionTrace, tellings: ReturnType<typeof tellingsIn>): SessionTrace {
  return tellings.reduce((before, telling) => {
    const at = homeWith(before, (one) => indexOfChild(one, telling.subagent_id));
    if (at === null) return before;
    if (at === 'session') return { ...before, ...familyTold(before, telling) };
    const turn = before.turns[at];
    if (turn === undefined) return before;
    return { ...before, turns: before.turns.with(at, { ...turn, ...familyTold(turn, telling) }) };
  }, trace);
}

function withTurn(trace: SessionTrace, event: KnownEvent<'user_message'>, most: number): SessionTrace {
  const { turn } = trace.state;
  if (turn === null) return trace;
  const turns = [...trace.turns, beginTrace(event, turn)];
  const gone = turns.slice(0, -most).map(leftOpen);
  return {
    ...trace,
    ...gone.reduce(joinedFamilies, familyOf(trace)),
    title: trace.title === '' ? titleOf(event.data.text) : trace.title,
    turn_count: (trace.turn_count ?? 0) + 1,
    turns: turns.slice(-most),
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
