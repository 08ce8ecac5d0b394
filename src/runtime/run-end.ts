import type { FinishedReason, InterruptedReason, NextAction } from './events.ts';
import { IllegalMove, type RunEndReason, type StopCode } from './machines.ts';
import { errorFacts } from './provider-errors.ts';
import { unreachable } from './unreachable.ts';

/** Why a run ends. */
export type RunEnd =
  | { readonly kind: 'natural_end' }
  | { readonly kind: 'plugin_requested'; readonly by: string; readonly message: string }
  | { readonly kind: 'stopped'; readonly code: StopCode; readonly message: string; readonly details: unknown }
  | {
      readonly kind: 'interrupted';
      readonly reason: InterruptedReason;
      /** Where the reason alone would say too much. */
      readonly message?: string;
    }
  | {
      readonly kind: 'error';
      readonly error_kind: string;
      readonly message: string;
      readonly details: unknown;
      readonly next_actions: readonly NextAction[];
    };

export function endReason(end: RunEnd): RunEndReason {
  switch (end.kind) {
    case 'natural_end':
    case 'plugin_requested':
      return end.kind;
    case 'stopped':
      return `stopped:${end.code}`;
    case 'interrupted':
      return 'cancelled';
    case 'error':
      return 'error';
    default:
      return unreachable(end);
  }
}

export function finishedReason(end: RunEnd): FinishedReason {
  switch (end.kind) {
    case 'natural_end':
    case 'plugin_requested':
      return 'stop';
    case 'stopped':
    case 'interrupted':
      return 'cancelled';
    case 'error':
      return 'error';
    default:
      return unreachable(end);
  }
}

/** What a run comes to. A cancelled one returns like any other; it does not throw. */
export type RunResult =
  | { readonly kind: 'waiting'; readonly on: readonly string[] }
  | {
      readonly kind: 'ended';
      readonly finished_reason: FinishedReason;
      readonly partial_text: string;
      /** The tools that had succeeded, the last few; their results are in the log. */
      readonly executed: readonly string[];
    };

const RANK = {
  error: 4,
  interrupted: 3,
  stopped: 2,
  plugin_requested: 1,
  natural_end: 0,
} as const satisfies Record<RunEnd['kind'], number>;

/** The strongest of several verdicts, whatever their order. */
export function strongest(ends: readonly RunEnd[]): RunEnd | null {
  return ends.reduce<RunEnd | null>(
    (best, end) => (best === null || RANK[end.kind] > RANK[best.kind] ? end : best),
    null,
  );
}

export const UNEXPLAINED: RunEnd = {
  kind: 'error',
  error_kind: 'internal',
  message: 'The run stopped without a reason.',
  details: {},
  next_actions: errorFacts('internal').next_actions,
};

/** How a run ends that met what should not happen. */
export function bugEnd(error: unknown): Extract<RunEnd, { kind: 'error' }> {
  const { sentence, next_actions } = errorFacts('internal');
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const error_kind = error instanceof IllegalMove ? 'illegal_move' : 'internal';
  return { kind: 'error', error_kind, message: sentence, details: { error: what }, next_actions };
}
