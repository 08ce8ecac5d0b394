import type { Access, HostMessage } from '../presenter/protocol.ts';

/** What commands need to know of the conversation, read off the messages that pass by. */
export interface ConversationFacts {
  readonly session_id: string | null;
  readonly access: Access['kind'] | null;
}

export const NO_FACTS: ConversationFacts = { session_id: null, access: null };

/** Pure: the facts after one more message. */
export function factsAfter(facts: ConversationFacts, message: HostMessage): ConversationFacts {
  if (message.type !== 'snapshot') return facts;
  return { session_id: message.session_id, access: message.access.kind };
}
