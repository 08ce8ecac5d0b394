import type { SettingName } from '../app/settings.ts';
import type { PreviewStanding } from '../presenter/compaction-document.ts';
import type { HostMessage, Item } from '../presenter/protocol.ts';

type Message<T extends HostMessage['type']> = Extract<HostMessage, { type: T }>;

/** What a compaction would record, as the host last said, and what became of the log since. */
export interface KeptPreview {
  readonly session_id: string;
  readonly record: Message<'compaction_preview'>['record'];
  readonly next_actions: Message<'compaction_preview'>['next_actions'];
  /** The last event that it is made of; null where that is not known. */
  readonly at_seq: number | null;
  /** What it was made by. */
  readonly means: string;
  readonly standing: PreviewStanding;
}

export interface PreviewFacts {
  /** Of the session that is open: how far its log goes. */
  readonly session_id: string | null;
  readonly last_seq: number | null;
  readonly preview: KeptPreview | null;
}

export const NO_PREVIEW: PreviewFacts = { session_id: null, last_seq: null, preview: null };

/** Pure: what decides, beside the log, about what a compaction records. */
export function meansOf(valueOf: (name: SettingName) => unknown): string {
  return JSON.stringify(MEANS.map((name) => valueOf(name) ?? null));
}

const MEANS = [
  'provider',
  'baseUrl',
  'model',
  'compaction.strategy',
] as const satisfies readonly SettingName[];

/**
 * Pure: the facts after one more message; the same object when it says nothing about them. Settings that were changed
 * are followed by a snapshot.
 */
export function previewAfter(facts: PreviewFacts, message: HostMessage, means: () => string): PreviewFacts {
  if (message.type === 'snapshot') {
    const { session_id, last_seq } = message;
    const preview = afterSettings(afterGrowth(facts.preview, session_id, last_seq), means);
    return { session_id, last_seq, preview };
  }
  if (message.type === 'compaction_preview') {
    const { session_id, record, next_actions } = message;
    const at_seq = session_id === facts.session_id ? facts.last_seq : null;
    const standing = { kind: 'current' } as const;
    const preview = { session_id, record, next_actions, at_seq, means: means(), standing };
    return { ...facts, preview };
  }
  if (message.type !== 'append' || message.session_id !== facts.session_id) return facts;
  return afterItems(facts, message.items);
}

function afterItems(facts: PreviewFacts, items: readonly Item[]): PreviewFacts {
  const last_seq = Math.max(facts.last_seq ?? -1, ...items.map(({ seq }) => seq));
  const { preview, session_id } = facts;
  const recorded = items.find(({ type }) => type === 'history_compaction');
  if (preview === null || preview.session_id !== session_id || recorded === undefined)
    return { ...facts, last_seq, preview: afterGrowth(preview, session_id, last_seq) };
  if (preview.standing.kind === 'recorded') return { ...facts, last_seq };
  return {
    ...facts,
    last_seq,
    preview: { ...preview, standing: { kind: 'recorded', seq: recorded.seq } },
  };
}

/** A preview is of the log as it was: with one event more, another one would say something else. */
function afterGrowth(
  preview: KeptPreview | null,
  sessionId: string | null,
  lastSeq: number | null,
): KeptPreview | null {
  if (preview === null || preview.session_id !== sessionId || !isOfLog(preview)) return preview;
  const hasGrown = lastSeq !== null && lastSeq > (preview.at_seq ?? lastSeq);
  return hasGrown ? { ...preview, standing: { kind: 'outdated' } } : preview;
}

/** Settings can be changed back: then it is again what would be recorded. */
function afterSettings(preview: KeptPreview | null, means: () => string): KeptPreview | null {
  if (preview === null || !isOfLog(preview)) return preview;
  const kind = preview.means === means() ? 'current' : 'other_means';
  return kind === preview.standing.kind ? preview : { ...preview, standing: { kind } };
}

/** The log is still the one that it was made of. */
function isOfLog({ standing: { kind } }: KeptPreview): boolean {
  return kind === 'current' || kind === 'other_means';
}
