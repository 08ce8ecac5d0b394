import type { KnownEvent, LogEvent } from '../events.ts';
import { wordsOrNull } from '../loose-fields.ts';
import { textTokens } from '../replay/weights.ts';
import { utf8Length } from '../text-size.ts';

/** What the instructions of a request told of skills, and which event says so. */
export interface RecordedIndex {
  readonly hash: string;
  readonly text: string;
  readonly source: { readonly seq: number; readonly type: 'provider_usage' };
  readonly bytes: number;
  /** An estimate. */
  readonly tokens_estimate: number;
}

/** Pure: each turn tells the text once; other calls only name it by its hash. Null where they told of no skills. */
export function recordedIndex(
  log: readonly LogEvent[],
  usage: KnownEvent<'provider_usage'> | null,
): RecordedIndex | null {
  const hash = usage === null ? null : wordsOrNull(usage.data, 'skill_index_hash');
  if (usage === null || hash === null) return null;
  for (const event of log.toReversed()) {
    if (event.type !== 'provider_usage' || event.seq > usage.seq) continue;
    if (event.data.skill_index_hash !== hash) continue;
    const text = wordsOrNull(event.data, 'skill_index');
    if (text === null) continue;
    const source = { seq: event.seq, type: event.type };
    return { hash, text, source, bytes: utf8Length(text), tokens_estimate: Math.ceil(textTokens(text)) };
  }
  return null;
}
