import { STATE_PHRASES, type NodeState } from '../runtime/inspection/node-state.ts';

/**
 * One icon, one colour and one phrase a state: the table that the chat, the trees, the status bar and the
 * notifications share. Icons are codicons, colours are tokens of the theme; null is that of the text around.
 */

export interface StateLook {
  readonly icon: string;
  readonly color: string | null;
  /** English; translated by its text where it is shown. */
  readonly phrase: string;
}

const QUIET = 'descriptionForeground';

export const STATE_LOOKS = {
  running: { icon: 'loading', color: null, phrase: STATE_PHRASES.running },
  waiting: { icon: 'bell-dot', color: 'charts.yellow', phrase: STATE_PHRASES.waiting },
  completed: { icon: 'pass', color: 'charts.green', phrase: STATE_PHRASES.completed },
  partial_failed: { icon: 'warning', color: 'charts.orange', phrase: STATE_PHRASES.partial_failed },
  failed: { icon: 'error', color: 'errorForeground', phrase: STATE_PHRASES.failed },
  interrupted: { icon: 'debug-stop', color: QUIET, phrase: STATE_PHRASES.interrupted },
  timed_out: { icon: 'watch', color: 'charts.orange', phrase: STATE_PHRASES.timed_out },
  outcome_unknown: { icon: 'question', color: 'charts.yellow', phrase: STATE_PHRASES.outcome_unknown },
  queued: { icon: 'circle-outline', color: QUIET, phrase: STATE_PHRASES.queued },
  detached: { icon: 'debug-disconnect', color: QUIET, phrase: STATE_PHRASES.detached },
  stale: { icon: 'debug-disconnect', color: QUIET, phrase: STATE_PHRASES.stale },
  cancelled: { icon: 'circle-slash', color: QUIET, phrase: STATE_PHRASES.cancelled },
  closed: { icon: 'circle-slash', color: QUIET, phrase: STATE_PHRASES.closed },
  partial: { icon: 'warning', color: 'charts.orange', phrase: STATE_PHRASES.partial },
  held: { icon: 'debug-pause', color: 'charts.yellow', phrase: STATE_PHRASES.held },
  skipped: { icon: 'debug-step-over', color: QUIET, phrase: STATE_PHRASES.skipped },
  not_run: { icon: 'dash', color: QUIET, phrase: STATE_PHRASES.not_run },
  denied: { icon: 'circle-slash', color: QUIET, phrase: STATE_PHRASES.denied },
  unknown: { icon: 'question', color: QUIET, phrase: STATE_PHRASES.unknown },
  ok: { icon: 'history', color: null, phrase: STATE_PHRASES.ok },
  attention: { icon: 'warning', color: 'charts.orange', phrase: STATE_PHRASES.attention },
  blocked: { icon: 'error', color: 'errorForeground', phrase: STATE_PHRASES.blocked },
} as const satisfies Record<NodeState, StateLook>;

/** As VS Code names the icon in its own views: what works, moves. */
export function themeIcon(state: NodeState): string {
  return state === 'running' ? `${STATE_LOOKS.running.icon}~spin` : STATE_LOOKS[state].icon;
}
