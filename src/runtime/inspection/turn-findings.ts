import type { CallState } from '../machines.ts';
import { isTerminal, turnState, type Turn, type TurnState } from '../turn.ts';

export interface TurnReport {
  readonly turn_id: string;
  readonly state: TurnState;
  readonly seq: number;
  readonly detail?: string;
}

/** A call of which the log does not say what came of it. */
export interface UnansweredCall {
  readonly turn_id: string;
  readonly call_id: string;
  readonly name: string;
  readonly state: CallState;
  /** Where the turn of it begins. */
  readonly seq: number;
}

/** What is to be said of turns, in the order of the log. */
export interface TurnFindings {
  readonly turns: number;
  readonly reports: readonly TurnReport[];
  /** Calls without a result in turns that are over. */
  readonly unpaired: readonly UnansweredCall[];
  readonly violations: readonly { readonly turn_id: string; readonly what: string; readonly seq: number }[];
}

export const NO_FINDINGS: TurnFindings = { turns: 0, reports: [], unpaired: [], violations: [] };

export function findings(turn: Turn | null, { last }: { readonly last: boolean }): TurnFindings {
  if (turn === null) return NO_FINDINGS;
  const { turn_id, user_seq: seq } = turn;
  const state = turnState(turn);
  const detail =
    turn.failure === null ? {} : { detail: turn.failure.interrupted_reason ?? turn.failure.error_kind };
  return {
    turns: 1,
    reports: state === 'completed' ? [] : [{ turn_id, state, seq, ...detail }],
    unpaired: last && !isTerminal(state) ? [] : unanswered(turn),
    violations: turn.violations.map((what) => ({ turn_id, what, seq })),
  };
}

export function unanswered({ turn_id, user_seq: seq, open }: Turn): readonly UnansweredCall[] {
  const calls = [...open.values()].filter(({ result }) => result === 'none');
  return calls.map(({ call_id, name, state }) => ({ turn_id, call_id, name, state, seq }));
}

export function together(a: TurnFindings, b: TurnFindings): TurnFindings {
  return {
    turns: a.turns + b.turns,
    reports: b.reports.length === 0 ? a.reports : [...a.reports, ...b.reports],
    unpaired: b.unpaired.length === 0 ? a.unpaired : [...a.unpaired, ...b.unpaired],
    violations: b.violations.length === 0 ? a.violations : [...a.violations, ...b.violations],
  };
}
