import { callMove, closing, closeCall, NOTHING_REMAINS } from './closing.ts';
import { draft, type Draft } from './events.ts';
import type { Effect, Ids, StreamScratch } from './ports.ts';
import { isTerminal, turnState, type OpenCall, type Turn } from './turn.ts';

/**
 * Pure: what to append when a session is opened whose last writer is gone, so that its last turn is in a
 * state the log proves. Null when there is nothing to do.
 */
export function recovery(
  turn: Turn | null,
  scratch: StreamScratch | null,
  effectOf: (toolName: string) => Effect | null,
  ids: Ids,
): readonly Draft[] {
  if (turn === null) return [];
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
  if (unknown.length === 0) {
    const mine = scratch !== null && scratch.turn_id === turn_id ? scratch : null;
    const remains = {
      ...NOTHING_REMAINS,
      text: mine?.text ?? '',
      stream_run_id: mine?.stream_run_id ?? null,
    };
    return closing(turn, { kind: 'interrupted', reason: 'disconnect' }, remains);
  }
  const others = [...turn.open.values()].filter(
    (call) => !unknown.includes(call) && call.state !== 'suspended',
  );
  return [
    ...others.flatMap((call) => closeCall(turn_id, call)),
    ...unknown.map((call) => suspendUnknown(turn_id, call, ids)),
    ...(turn.run === 'waiting'
      ? []
      : [draft('run_status', { turn_id, status: 'waiting', reason: 'suspended' })]),
  ];
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
    reason: 'outcome_unknown',
    message: `${call.name} was running when Ledgerline ended. Whether it finished is unknown.`,
    parameters: { name: call.name, args: call.args },
    resume_mode: 'replay_tool_call' as const,
  };
  return { ...move, data: { ...move.data, suspension } };
}
