import { resumption, suspended } from './call-drafts.ts';
import { closing, closeCall, NOTHING_REMAINS, partialText, type Remains } from './closing.ts';
import { OUTCOME_UNKNOWN } from './turn-calls.ts';
import { nextStep } from './decide.ts';
import { draft, type Draft, type Suspension } from './events.ts';
import type { Effect, Ids, StreamScratch } from './ports.ts';
import type { RunEnd } from './run-end.ts';
import { isTerminal, ranUntil, turnState, type OpenCall, type Turn } from './turn.ts';

export interface Circumstances {
  readonly batch: boolean;
  /** When the last event of the process that is gone was written. */
  readonly worked_until?: string;
  /** A fork took the turn over: of its run the log has nothing, and that nothing ran cannot be said. */
  readonly inherited?: boolean;
}

/**
 * Pure: what to append when a session is opened whose last writer is gone, so that its last turn is in a
 * state the log proves. Empty when there is nothing to do.
 */
export function recovery(
  turn: Turn | null,
  scratch: StreamScratch | null,
  effectOf: (toolName: string) => Effect | null,
  ids: Ids,
  { batch, worked_until = '', inherited = false }: Circumstances = { batch: false },
): readonly Draft[] {
  if (turn === null) return [];
  const answered = [...turn.open.values()].filter((call) => call.result !== 'none');
  if (answered.length > 0) {
    const open = new Map([...turn.open].filter(([, call]) => call.result === 'none'));
    const settled = answered.flatMap((call) => closeCall(turn.turn_id, call));
    const rest = recovery({ ...turn, open }, scratch, effectOf, ids, { batch, worked_until, inherited });
    return [...settled, ...rest];
  }
  const state = turnState(turn);
  const { turn_id } = turn;
  if (state === 'completed')
    return turn.run === 'done' ? [] : closing(turn, { kind: 'natural_end' }, NOTHING_REMAINS);
  if (isTerminal(state)) {
    const calls = [...turn.open.values()].flatMap((call) => closeCall(turn_id, call));
    const done =
      turn.run === 'done' ? [] : [draft('run_status', { turn_id, status: 'done', reason: 'cancelled' })];
    return [...calls, ...done];
  }
  const fates = [...turn.open.values()].map((call) =>
    fateOf(turn, call, { effectOf, ids, batch, inherited }),
  );
  const settled = fates.flatMap(({ drafts }) => drafts);
  const waits = fates.some(({ pending }) => pending);
  // A model call was under way unless a round was, or a recovery, or everything was asked of a person.
  const recovering = [...turn.open.values()].some((call) => call.suspension?.reason === OUTCOME_UNKNOWN);
  const asking =
    turn.run === 'running' && settled.length === 0 && !recovering && nextStep(turn, null).kind === 'infer';
  const remains = unrecorded(turn, scratch);
  if (!waits || asking)
    return [...settled, ...interrupted(turn, fates, remains, inherited ? FORKED : DISCONNECT)];
  return turn.run === 'waiting'
    ? settled
    : waitingFor(turn, fates, { ...remains, elapsed_ms: ranUntil(turn, worked_until) });
}

const DISCONNECT: RunEnd = { kind: 'interrupted', reason: 'disconnect' };
const FORKED: RunEnd = {
  ...DISCONNECT,
  message: 'The session was forked where this turn has no complete answer.',
};

/** Ends the turn, with what is still pending of it. */
function interrupted(turn: Turn, fates: readonly Fate[], remains: Remains, end: RunEnd): readonly Draft[] {
  const isPending = (id: string): boolean => fates.some((fate) => fate.pending && fate.call_id === id);
  const open = new Map([...turn.open].filter(([id]) => isPending(id)));
  // An answer from before a call was settled is not the last word about it.
  const answered = turn.answered && fates.every(({ drafts }) => drafts.length === 0);
  return closing({ ...turn, open, answered }, end, remains);
}

/**
 * Lets the turn wait. What was seen, what is asked, then that it waits: whoever is cut off in the middle leaves a
 * log that says so. A decided call may have run beside a stream, whose text is kept though the turn does not end.
 */
function waitingFor(turn: Turn, fates: readonly Fate[], remains: Remains): readonly Draft[] {
  const draftsOf = (isPending: boolean): readonly Draft[] =>
    fates.filter(({ pending }) => pending === isPending).flatMap(({ drafts }) => drafts);
  // When it stopped running nobody saw: its last event is what is sure.
  const { elapsed_ms } = remains;
  const { turn_id } = turn;
  const waiting = draft('run_status', { turn_id, status: 'waiting', reason: 'suspended', elapsed_ms });
  return [...partialText(turn, DISCONNECT, remains), ...draftsOf(true), waiting, ...draftsOf(false)];
}

interface Facts {
  readonly effectOf: (toolName: string) => Effect | null;
  readonly ids: Ids;
  /** Decisions about a round wait for each other. */
  readonly batch: boolean;
  readonly inherited: boolean;
}

/** What becomes of an open call: the events for it, and whether it is pending after them. */
interface Fate {
  readonly call_id: string;
  readonly drafts: readonly Draft[];
  readonly pending: boolean;
}

function fateOf(turn: Turn, call: OpenCall, facts: Facts): Fate {
  const { effectOf, ids } = facts;
  const { call_id } = call;
  const { turn_id } = turn;
  if (outcomeUnknown(call, effectOf))
    return { call_id, drafts: [suspendUnknown(turn_id, call, ids)], pending: true };
  if (call.state === 'resuming' || (call.state === 'suspended' && isOrphaned(turn, call, facts)))
    return { call_id, ...orphan(turn_id, call, ids) };
  if (call.state === 'suspended') return { call_id, drafts: [], pending: true };
  const ended = facts.inherited ? 'fork' : 'process';
  return { call_id, drafts: closeCall(turn_id, call, { ended }), pending: false };
}

/** Decided, and nothing is left that would hold it back: whoever was to carry it out is gone. */
function isOrphaned(turn: Turn, call: OpenCall, { effectOf, batch }: Facts): boolean {
  const isAsked = (other: OpenCall): boolean =>
    other.stream_run_id === call.stream_run_id &&
    ((other.state === 'suspended' && other.decision === null) || outcomeUnknown(other, effectOf));
  return call.decision !== null && !(batch && [...turn.open.values()].some(isAsked));
}

const NOT_STARTED = 'You had approved this, but its window ended or lost the session before it started.';

/**
 * A decision that had been made and not carried out. What has no effect is carried out now. What would run is
 * asked again: nothing starts by itself because a window was opened.
 */
function orphan(turn_id: string, call: OpenCall, ids: Ids): Omit<Fate, 'call_id'> {
  const { decision, call_id } = call;
  const question = call.suspension ?? call.approved.at(-1);
  if (decision === null || question === undefined)
    return { drafts: closeCall(turn_id, call, { ended: 'process' }), pending: false };
  const next = resumption(turn_id, { ...call, state: 'suspended', suspension: question }, decision, ids);
  // The first of them is the move to `resuming`.
  const drafts = call.state === 'resuming' ? next.drafts.slice(1) : next.drafts;
  if (next.kind !== 'again') return { drafts, pending: next.kind === 'asked' };
  const again = suspended(
    turn_id,
    { call_id, state: 'resuming' },
    { ...question, ...withNote(question) },
    ids,
  );
  return { drafts: [...drafts, again], pending: true };
}

function withNote({ message, parameters }: Suspension): Pick<Suspension, 'message' | 'parameters'> {
  const given = typeof parameters === 'object' && parameters !== null ? parameters : {};
  return {
    message: message.includes(NOT_STARTED) ? message : `${NOT_STARTED} ${message}`,
    parameters: { ...given, note: NOT_STARTED },
  };
}

/** What was shown and is not in the log: of a response that was committed in part, only the rest. */
function unrecorded(turn: Turn, scratch: StreamScratch | null): Remains {
  if (scratch?.turn_id !== turn.turn_id) return NOTHING_REMAINS;
  const { stream_run_id } = scratch;
  // A power cut can bring back a scratch that was removed: of an earlier response, which is in the log.
  if (turn.rounds.slice(0, -1).some((round) => round.stream_run_id === stream_run_id)) return NOTHING_REMAINS;
  const known = turn.spoken?.stream_run_id === stream_run_id ? turn.spoken.length : 0;
  return { ...NOTHING_REMAINS, text: scratch.text.slice(known), stream_run_id };
}

const HARMLESS: readonly (Effect | null)[] = ['read', 'interact'];

/** A call with effects that was under way: whether it happened cannot be known from here. */
export function outcomeUnknown(
  call: Pick<OpenCall, 'name' | 'state'>,
  effectOf: (toolName: string) => Effect | null,
): boolean {
  // A tool this version does not have may have had effects.
  return call.state === 'running' && !HARMLESS.includes(effectOf(call.name));
}

function suspendUnknown(turn_id: string, call: OpenCall, ids: Ids): Draft {
  const { name: tool, args, process } = call;
  const suspension = {
    reason: OUTCOME_UNKNOWN,
    message: `${tool} was running when its window ended or lost the session. Whether it finished is unknown.`,
    parameters: { tool, args, ...(process === null ? {} : { process }) },
    response_schema: {
      type: 'string',
      description: 'What is known of the outcome, when it is marked as done.',
    },
    resume_mode: 'replay_tool_call' as const,
    resume_modes: ['replay_tool_call', 'use_decision_as_result'] as const,
  };
  return suspended(turn_id, call, suspension, ids);
}
