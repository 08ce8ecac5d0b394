import type { Access, HostMessage, Item } from '../presenter/protocol.ts';

/** What commands need to know of the conversation, read off the messages that pass by. */
export interface ConversationFacts {
  readonly session_id: string | null;
  readonly access: Access['kind'] | null;
  readonly prompt: {
    readonly text: string;
    /** Only its beginning is here. */
    readonly cut: boolean;
  } | null;
}

export const NO_FACTS: ConversationFacts = { session_id: null, access: null, prompt: null };

/** Pure: the facts after one more message. */
export function factsAfter(facts: ConversationFacts, message: HostMessage): ConversationFacts {
  if (message.type === 'snapshot') {
    const { session_id, access, items } = message;
    return { session_id, access: access.kind, prompt: lastPrompt(items) };
  }
  if (message.type === 'append' && message.session_id === facts.session_id) {
    return { ...facts, prompt: lastPrompt(message.items) ?? facts.prompt };
  }
  return facts;
}

function lastPrompt(items: readonly Item[]): ConversationFacts['prompt'] {
  const data = items.findLast((item) => item.type === 'user_message')?.data;
  if (data === undefined || typeof data.text !== 'string') return null;
  return { text: data.text, cut: data.blob !== undefined || data.text_length !== undefined };
}
