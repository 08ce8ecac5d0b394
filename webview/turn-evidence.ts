import type { CallEntry } from './call-entry.ts';
import type { Turn } from './transcript.ts';
import { refusalOf } from './verdicts.ts';

export type TurnState =
  | 'running'
  | 'waiting'
  | 'completed'
  | 'partial_failed'
  | 'failed'
  | 'interrupted'
  | 'timed_out';

const FAILURES: readonly TurnState[] = ['partial_failed', 'failed', 'interrupted', 'timed_out'];

/**
 * What the shown part of the log proves about a turn. Used for turns of which the host has not said anything:
 * those before the last one.
 */
export function evidentState(turn: Turn): TurnState {
  if (turn.failure !== null) {
    return FAILURES.find((state) => state === turn.failure?.terminal_status) ?? 'failed';
  }
  const calls = turn.entries.filter((entry) => entry.kind === 'call');
  if (isAnswered(turn) && calls.every(isSettled)) return 'completed';
  return turn.run === 'waiting' && calls.some((call) => call.state === 'suspended') ? 'waiting' : 'running';
}

export function isTerminal(state: TurnState): boolean {
  return state !== 'running' && state !== 'waiting';
}

function isSettled(call: CallEntry): boolean {
  return call.result !== null && call.state !== 'suspended';
}

/** A clean text of a response without calls, after every call. */
function isAnswered(turn: Turn): boolean {
  const last = turn.entries.findLast((entry) => entry.kind === 'call' || entry.kind === 'text');
  if (last?.kind !== 'text' || last.partial || !last.whole || last.text === '') return false;
  return !turn.entries.some((entry) => entry.kind === 'call' && entry.stream_run_id === last.stream_run_id);
}

/** The facts behind "Completed", in a few words. */
export function evidenceOf(turn: Turn): string {
  const calls = turn.entries.filter((entry) => entry.kind === 'call');
  const parts = [
    turn.files.length === 0 ? '' : count(turn.files.length, 'file changed', 'files changed'),
    calls.length === 0 ? '' : `${count(calls.length, 'call', 'calls')}${withoutSuccess(calls)}`,
    ...tokenParts(turn.tokens),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A call that nobody allowed has not failed, and counts apart. */
function withoutSuccess(calls: readonly CallEntry[]): string {
  const words = calls.map((call) => refusalOf(call) ?? (call.result?.ok === false ? 'failed' : ''));
  const parts = ['failed', 'denied', 'skipped'].flatMap((word) => {
    const n = words.filter((one) => one === word).length;
    return n === 0 ? [] : [`${n} ${word}`];
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

function tokenParts(tokens: Turn['tokens']): readonly string[] {
  if (tokens === null || tokens.total === 0) return [];
  const total = tokens.total < 1000 ? String(tokens.total) : `${(tokens.total / 1000).toFixed(1)}k`;
  return [`${total} tokens`, tokens.cached === 0 ? '' : `${cachedShare(tokens)} % cached`];
}

function cachedShare({ cached, input }: { readonly cached: number; readonly input: number }): number {
  return Math.round((100 * cached) / Math.max(1, input));
}
