import type { HostMessage } from '../presenter/protocol.ts';

/** Up to where a page has the log of a session: that is not posted to it again. */
export interface PageKnowledge {
  readonly session_id: string;
  readonly last_seq: number | null;
}

/** Pure: a message for a page that knows this. What changed around a conversation is told without its items. */
export function withoutKnown(known: PageKnowledge | null, message: HostMessage): HostMessage {
  if (message.type !== 'snapshot' || known === null || message.items.length === 0) return message;
  const isKnown = message.session_id === known.session_id && message.last_seq === known.last_seq;
  return isKnown ? { ...message, items: [], unchanged: true } : message;
}

/** Pure: what a page knows after one more message. */
export function knowledgeAfter(known: PageKnowledge | null, message: HostMessage): PageKnowledge | null {
  if (message.type === 'snapshot') return { session_id: message.session_id, last_seq: message.last_seq };
  if (message.type !== 'append' || message.session_id !== known?.session_id) return known;
  return { ...known, last_seq: message.items.at(-1)?.seq ?? known.last_seq };
}
