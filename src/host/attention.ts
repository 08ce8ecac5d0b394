import { COMMANDS, FOCUS_CHAT_VIEW } from './contribution-ids.ts';
import type { Translate } from './translation.ts';
import { needsDecision, type TurnFacts } from './turn-facts.ts';
import { endWords, pendingWords } from './turn-words.ts';

export type NotificationSetting = 'decisions' | 'all' | 'off';

/** A notification. It has one button, which shows the view: what is asked for is read there, and only there decided. */
export interface Call {
  readonly level: 'info' | 'warning';
  readonly message: string;
  readonly command: string;
}

export interface Attention {
  readonly call: Call | null;
  /** Suspensions that the person knows of, by a notification or by having had them in view. */
  readonly known: readonly string[];
  /** Those that this call is about: they are not called for again, in this window or the next. */
  readonly called: readonly string[];
}

export interface Moment {
  readonly before: TurnFacts;
  readonly now: TurnFacts;
  readonly visible: boolean;
  readonly known: readonly string[];
  readonly setting: NotificationSetting;
}

const LONG_TURN_MS = 30_000;
/** More than can wait at once; older ones are settled. */
export const KNOWN_KEPT = 100;

/** Who turns away this soon may not have seen what came. That a view is hidden is heard late, too. */
const GLANCE_MS = 2_000;

/** What began to wait in view last, and when. */
export interface Glance {
  readonly ids: readonly string[];
  readonly at: number;
}

/** Pure: what the person knows of when the view is hidden. */
export function knownAfterHiding(
  known: readonly string[],
  glance: Glance | null,
  at: number,
): readonly string[] {
  return glance === null || at - glance.at >= GLANCE_MS
    ? known
    : known.filter((id) => !glance.ids.includes(id));
}

/**
 * Pure: whether to call the person. Once for all that begins to wait together, never again for the same
 * suspension, and not for what is in view.
 */
export function attention(moment: Moment, t: Translate): Attention {
  const { now, visible, known, setting } = moment;
  const fresh = needsDecision(now)
    ? now.pending.map((one) => one.suspension_id).filter((id) => !known.includes(id))
    : [];
  if (fresh.length > 0) {
    const all = [...known, ...fresh].slice(-KNOWN_KEPT);
    if (visible || setting === 'off') return { call: null, known: all, called: [] };
    const message = t('Ledgerline needs you: {0}.', pendingWords(now.pending, t));
    const call: Call = { level: 'warning', message, command: COMMANDS.goToDecision };
    return { call, known: all, called: fresh };
  }
  const call = setting === 'all' && !visible ? endOfLongTurn(moment, t) : null;
  return { call, known, called: [] };
}

function endOfLongTurn({ before, now }: Moment, t: Translate): Call | null {
  const { state, began_at, last_at, turn_id } = now;
  if (state === null || state === 'running' || state === 'waiting') return null;
  // Only what was seen to end: a session that is opened ended long ago.
  if (before.turn_id !== turn_id || before.state !== 'running') return null;
  if (began_at === null || last_at === null || last_at - began_at < LONG_TURN_MS) return null;
  const words = endWords(state, now, t);
  const message = t('Ledgerline: {0}, after {1} s.', words, Math.round((last_at - began_at) / 1000));
  return { level: 'info', message, command: FOCUS_CHAT_VIEW };
}
