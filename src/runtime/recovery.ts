import { callMove, closing, closeCall, NOTHING_REMAINS, OUTCOME_UNKNOWN, type Remains } from './closing.ts';
import { nextStep } from './decide.ts';
import { draft, type Draft } from './events.ts';
import type { Effect, Ids, StreamScratch } from './ports.ts';
import { isTerminal, pendingCalls, turnState, type OpenCall, type Turn } from './turn.ts';

/**
 * Pure: what to append when a session is opened whose last writer is gone, so that its last turn is in a
 * state the log proves. Empty when there is nothing to do.
 */
export function recovery(
  turn: Turn | null,
  scratch: StreamScratch | null,
  effectOf: (toolName: string) => Effect | null,
  ids: Ids,
): readonly Draft[] {
  if (turn === null) return [];
  const answered = [...turn.open.values()].filter((call) => call.result !== 'none');
  if (answered.length > 0) {
    const open = new Map([...turn.open].filter(([, call]) => call.result === 'none'));
    const settled = answered.flatMap((call) => closeCall(turn.turn_id, call));
    return [...settled, ...recovery({ ...turn, open }, scratch, effectOf, ids)];
  }
  const state = turnState(turn);
  const { turn_id } = turn;
  if (state === 'waiting') return [];
  if (state === 'completed')
    return turn.run === 'done' ? [] : closing(turn, { kind: 'natural_end' }, NOTHING_REMAINS);
  if (isTerminal(state)) {
    const calls = [...turn.open.values()].flatMap((call) => closeCall(turn_id, call));
    const done =
      turn.run === 'done' ? [] : [draft('run_status', { turn_id, status: 'done', reason: 'cancelled' })];
    return [...calls, ...done];
  }
  const unknown = [...turn.open.values()].filter((call) => outcomeUnknown(call, effectOf));
  const others = [...turn.open.values()].filter(
    (call) => !unknown.includes(call) && call.state !== 'suspended',
  );
  // A model call was under way unless a round was, or everything was asked of a person.
  const asking = others.length === 0 && nextStep(turn, null).kind === 'infer';
  if (unknown.length === 0 && (asking || pendingCalls(turn).length === 0)) {
    return closing(turn, { kind: 'interrupted', reason: 'disconnect' }, unrecorded(turn, scratch));
  }
  return [
    ...others.flatMap((call) => closeCall(turn_id, call)),
    ...unknown.map((call) => suspendUnknown(turn_id, call, ids)),
    ...(turn.run === 'waiting'
      ? []
      : [draft('run_status', { turn_id, status: 'waiting', reason: 'suspended' })]),
  ];
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

/** A call with effects that was under way: whether it happened cannot be known from here. */
function outcomeUnknown(call: OpenCall, effectOf: (toolName: string) => Effect | null): boolean {
  if (call.result !== 'none' || (call.state !== 'running' && call.state !== 'resuming')) return false;
  // A tool this version does not have may have had effects.
  return effectOf(call.name) !== 'read';
}

function suspendUnknown(turn_id: string, call: OpenCall, ids: Ids): Draft {
  const move = callMove(turn_id, call, 'suspended');
  const suspension = {
    id: ids.next('suspension'),
    reason: OUTCOME_UNKNOWN,
    message: `${call.name} was running when Ledgerline ended. Whether it finished is unknown.`,
    parameters: { name: call.name, args: call.args },
    resume_mode: 'replay_tool_call' as const,
  };
  return { ...move, data: { ...move.data, suspension } };
}
