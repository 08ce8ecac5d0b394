import type { CompactionRecord, CompactionTrigger, Gauge, Tier } from '../runtime/context-events.ts';
import type { KnownEvent, NextAction } from '../runtime/events.ts';
import { field, numberOrNull, text } from '../runtime/loose-fields.ts';
import { tierOf } from '../runtime/pressure.ts';
import { wholePercent } from '../runtime/whole-percent.ts';
import type { HostMessage } from './protocol.ts';

type PressureMessage = Extract<HostMessage, { type: 'context_pressure' }>;
type NoticeMessage = Extract<HostMessage, { type: 'notice' }>;

/**
 * Pure: how full the window is, by what the provider measured at its last call. The window is the one that is
 * known now, which may not have been known then. An estimate has no tier.
 */
export function pressureMessage(gauge: Gauge | null, window_tokens: number | null): PressureMessage {
  const input_tokens = gauge?.input_tokens ?? null;
  const ratio = input_tokens === null || window_tokens === null ? null : input_tokens / window_tokens;
  return {
    v: 1,
    type: 'context_pressure',
    tier: gauge?.measured === true ? tierOf(ratio) : 'unknown',
    ratio,
    input_tokens,
    cached_tokens: gauge?.cached_tokens ?? null,
    window_tokens,
    ...(gauge === null || gauge.parts === null ? {} : { parts: gauge.parts }),
    ...(gauge === null || gauge.measured ? {} : { estimated: true }),
    ...(gauge?.of === 'checkpoint' ? { after_compaction: true } : {}),
  };
}

const PREVIEW: NextAction = { label: 'Preview compaction', command: 'ledgerline.compactDryRun' };
const COMPACT: NextAction = { label: 'Compact now', command: 'ledgerline.compact' };
const NEW_SESSION: NextAction = { label: 'New session', command: 'ledgerline.newSession' };

/** Pure: what is said when a tier is reached; null for those that are no news. Whole sentences: see `DONE`. */
export function tierNotice(tier: Tier, ratio: number | null): NoticeMessage | null {
  if (ratio === null) return null;
  const percent = wholePercent(ratio);
  switch (tier) {
    case 'unknown':
    case 'none':
      return null;
    case 'advisory':
      return notice('info', tier, `The context window is ${percent} % full.`, [PREVIEW]);
    case 'warning': {
      const message = `The context window is ${percent} % full. Compact earlier history, or go on in a new session.`;
      return notice('warning', tier, message, [PREVIEW, COMPACT, NEW_SESSION]);
    }
    case 'critical': {
      const message = `The context window is ${percent} % full. Before the next turn, earlier history is compacted where that makes room.`;
      return notice('warning', tier, message, [PREVIEW, COMPACT, NEW_SESSION]);
    }
  }
}

/** Whole sentences, because they are found again by their text when they are translated. */
const DONE = {
  manual: (before, after) =>
    `Earlier history was compacted, from about ${before} to about ${after} tokens. The log keeps all of it.`,
  critical_pressure_preflight: (before, after) =>
    `The context window was nearly full, so earlier history was compacted, from about ${before} to about ${after} tokens. The log keeps all of it.`,
  overflow_recovery: (before, after) =>
    `The request was too large for the model, so earlier history was compacted, from about ${before} to about ${after} tokens. The log keeps all of it.`,
  websocket_critical_recovery: (before, after) =>
    `The connection broke while the context window was nearly full, so earlier history was compacted, from about ${before} to about ${after} tokens. The log keeps all of it.`,
} as const satisfies Record<CompactionTrigger, (before: string, after: string) => string>;

/** Pure: what is said of a compaction that is on record. One that nobody asked for is a tier of its own. */
export function compactionNotice({ seq, session_id, data }: KnownEvent<'history_compaction'>): NoticeMessage {
  const tokens = (key: 'tokens_before' | 'tokens_after'): string => countText(numberOrNull(data, key));
  const done = isTrigger(data.trigger) ? DONE[data.trigger] : DONE.manual;
  const said = done(tokens('tokens_before'), tokens('tokens_after'));
  const open = {
    label: 'Open checkpoint',
    command: 'ledgerline.openCheckpoint',
    args: [{ session_id, seq }],
  };
  const message = `${said}${fallbackText(field(data, 'fallback'))}`;
  return notice('info', isAutomatic(data.trigger) ? 'recovery' : null, message, [open]);
}

/** Pure: what is said of a compaction that is only shown, also to who does not show it. */
export function previewNotice({
  tokens_before,
  tokens_after,
}: Pick<CompactionRecord, 'tokens_before' | 'tokens_after'>): NoticeMessage {
  const message = `Compacting now would take the next request from about ${countText(tokens_before)} to about ${countText(tokens_after)} tokens. Nothing was recorded.`;
  return notice('info', null, message, [COMPACT]);
}

/** As English writes it: whoever translates the sentence writes it as the language does. */
function countText(count: number | null): string {
  return count === null ? '?' : count.toLocaleString('en');
}

function fallbackText(fallback: unknown): string {
  if (text(fallback, 'kind') === '') return '';
  const why = text(fallback, 'message');
  const made = ' The model could not make the summary, so it was made by rules.';
  return why === '' ? made : `${made} ${why}`;
}

function isTrigger(trigger: string): trigger is CompactionTrigger {
  return Object.hasOwn(DONE, trigger);
}

export function isAutomatic(trigger: string): boolean {
  return trigger !== 'manual';
}

function notice(
  level: NoticeMessage['level'],
  tier: string | null,
  message: string,
  next_actions: readonly NextAction[],
): NoticeMessage {
  return {
    v: 1,
    type: 'notice',
    level,
    ...(tier === null ? {} : { tier }),
    message,
    next_actions: [...next_actions],
  };
}
