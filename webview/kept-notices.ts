import type { HostMessage, Item } from '../src/presenter/protocol.ts';
import type { Notice, State } from './state.ts';
import { actionsIn } from './actions.ts';

/** Which notices stand, and for how long: pure decisions. */

const NOTICES_KEPT = 3;

/** One that says how full the window is takes the place of the last one that did. */
export function withNotice(state: State, notice: Notice): State {
  const others = state.notices.filter(
    (one) => one.message !== notice.message && !(notice.tier !== null && one.tier !== null),
  );
  return { ...state, notices: [...others, notice].slice(-NOTICES_KEPT) };
}

export function toldNotice(message: Extract<HostMessage, { type: 'notice' }>): Notice {
  const { level, tier = null, next_actions } = message;
  return {
    level: level === 'info' && tier !== null && PRESSING.has(tier) ? 'warning' : level,
    kind: tier ?? 'notice',
    about: '',
    tier,
    message: message.message,
    actions: actionsIn(next_actions),
  };
}

const PRESSING: ReadonlySet<string> = new Set(['warning', 'critical']);

/** No fault of anyone: a version does not have it, or there is no reason or no room to do it. */
const CALM: ReadonlySet<string> = new Set([
  'not_available',
  'nothing_to_compact',
  'not_smaller',
  'call_pending',
  'turn_running',
  'stopped',
]);

export function failureNotice(message: Extract<HostMessage, { type: 'failure' }>): Notice {
  return {
    level: CALM.has(message.kind) ? 'info' : 'error',
    kind: message.kind,
    about: message.for,
    tier: null,
    message: message.message,
    actions: actionsIn(message.next_actions),
  };
}

export function ownNotice(level: Notice['level'], kind: string, message: string): Notice {
  return { level, kind, about: '', tier: null, message, actions: [] };
}

/** That a turn runs is true only as long as it does. */
export function noticesOnceOver(notices: State['notices']): State['notices'] {
  const left = notices.filter(({ kind }) => kind !== 'turn_running');
  return left.length === notices.length ? notices : left;
}

/** Told once by the log: whoever has the session told anew, as after a change of settings, would not hear of it again. */
export function noticesOnceMore(notices: State['notices']): State['notices'] {
  return notices.filter(({ tier }) => tier !== null);
}

const ORDER: readonly string[] = ['none', 'advisory', 'warning', 'critical'];

/** A window that turns out to be larger, or is less full, is not as full as was said. */
export function noticesUnder(notices: State['notices'], tier: string): State['notices'] {
  const now = ORDER.indexOf(tier);
  const left = notices.filter((one) => now < 0 || ORDER.indexOf(one.tier ?? '') <= now);
  return left.length === notices.length ? notices : left;
}

export function noticesAfter(notices: State['notices'], items: readonly Item[]): State['notices'] {
  return compactedNotices(waitedNotices(notices, items), items);
}

/** That something waits for the end of a compaction is true only until it is on record. */
function waitedNotices(notices: State['notices'], items: readonly Item[]): State['notices'] {
  if (!items.some(({ type }) => WAITED.has(type))) return notices;
  const left = notices.filter(
    ({ kind, actions }) => kind !== 'notice' || !actions.some(({ command }) => command === 'ledgerline.stop'),
  );
  return left.length === notices.length ? notices : left;
}

const WAITED: ReadonlySet<string> = new Set(['user_message', 'tool_call_decision']);

/** How full the window was is no longer news once history is compacted, nor why it could not be, nor how it would be. */
function compactedNotices(notices: State['notices'], items: readonly Item[]): State['notices'] {
  if (!items.some(({ type }) => type === 'history_compaction')) return notices;
  // What an automatic compaction says of itself may come before its event.
  const left = notices.filter(
    ({ tier, about, actions }) =>
      (tier === null || tier === 'recovery') &&
      about !== 'compact' &&
      !actions.some(({ command }) => command === 'ledgerline.compact'),
  );
  return left.length === notices.length ? notices : left;
}
