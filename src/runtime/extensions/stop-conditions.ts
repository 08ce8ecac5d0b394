import type { Extension } from '../extension.ts';
import type { StopCode } from '../machines.ts';
import type { RunEnd } from '../run-end.ts';
import type { Round, Turn } from '../turn.ts';

export interface Limits {
  readonly max_rounds: number;
  /** Tokens of the whole turn; null means no budget. */
  readonly token_budget: number | null;
}

export const LOOP_ROUNDS = 6;
export const ERROR_ROUNDS = 5;

/** Pure: whether a turn that would infer again has to stop instead, and why. */
export function stopCondition(turn: Turn, limits: Limits): RunEnd | null {
  if (turn.rounds.length === 0) return null;
  if (looping(turn.rounds)) {
    return stopped('loop_detected', `The model made the same calls ${LOOP_ROUNDS} rounds in a row.`, {
      rounds: LOOP_ROUNDS,
    });
  }
  if (onlyErrors(turn.rounds)) {
    return stopped('consecutive_errors', `Every call failed ${ERROR_ROUNDS} rounds in a row.`, {
      rounds: ERROR_ROUNDS,
    });
  }
  if (turn.responses >= limits.max_rounds) {
    return stopped('max_rounds', `The turn reached its limit of ${limits.max_rounds} rounds.`, {
      max_rounds: limits.max_rounds,
    });
  }
  if (limits.token_budget !== null && turn.tokens >= limits.token_budget) {
    return stopped('token_budget', `The turn used its budget of ${limits.token_budget} tokens.`, {
      token_budget: limits.token_budget,
      tokens: turn.tokens,
    });
  }
  return null;
}

function stopped(code: StopCode, message: string, details: unknown): RunEnd {
  return { kind: 'stopped', code, message, details };
}

function looping(rounds: readonly Round[]): boolean {
  if (rounds.length < LOOP_ROUNDS) return false;
  const last = rounds.slice(-LOOP_ROUNDS);
  const first = last[0]?.signature ?? [];
  return last.every(
    ({ signature }) => signature.length === first.length && signature.every((mark, i) => mark === first[i]),
  );
}

function onlyErrors(rounds: readonly Round[]): boolean {
  if (rounds.length < ERROR_ROUNDS) return false;
  return rounds
    .slice(-ERROR_ROUNDS)
    .every((round) => round.settled > 0 && round.failed === round.call_ids.length);
}

/** Asked before every model call. The timeout is not here: it interrupts, it is not asked. */
export const stopConditions: Extension = {
  name: 'stop_conditions',
  on: {
    step_start: ({ turn, settings }) => {
      const end = stopCondition(turn, settings);
      return end === null ? null : { end };
    },
  },
};
