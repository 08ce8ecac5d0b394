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
  readonly standing: PreviewStanding;
}

export interface PreviewFacts {
  /** Of the session that is open: how far its log goes. */
  readonly session_id: string | null;
  readonly last_seq: number | null;
  readonly preview: KeptPreview | null;
}

export const NO_PREVIEW: PreviewFacts = { session_id: null, last_seq: null, preview: null };

/** Pure: the facts after one more message; the same object when it says nothing about them. */
export function previewAfter(facts: PreviewFacts, message: HostMessage): PreviewFacts {
  if (message.type === 'snapshot') {
    const { session_id, last_seq } = message;
    return { session_id, last_seq, preview: afterGrowth(facts.preview, session_id, last_seq) };
  }
  if (message.type === 'compaction_preview') {
    const { session_id, record, next_actions } = message;
    const at_seq = session_id === facts.session_id ? facts.last_seq : null;
    const preview = { session_id, record, next_actions, at_seq, standing: { kind: 'current' } as const };
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
  if (preview === null || preview.session_id !== sessionId || preview.standing.kind !== 'current')
    return preview;
  const hasGrown = lastSeq !== null && lastSeq > (preview.at_seq ?? lastSeq);
  return hasGrown ? { ...preview, standing: { kind: 'outdated' } } : preview;
}
