import type { Access, HostMessage } from '../presenter/protocol.ts';
import { askedAfter, NOBODY_ASKS, type AskedByChildren } from './child-questions.ts';

/** What commands need to know of the conversation, read off the messages that pass by. */
export interface ConversationFacts {
  readonly session_id: string | null;
  readonly access: Access['kind'] | null;
  /** The last turn, and how it stands. */
  readonly turn_id: string | null;
  /** A call of it is not decided yet. */
  readonly waits: boolean;
  /** What its children ask. */
  readonly asked: AskedByChildren;
  readonly state: Extract<HostMessage, { type: 'turn_state' }>['state'];
}

export const NO_FACTS: ConversationFacts = {
  session_id: null,
  access: null,
  turn_id: null,
  waits: false,
  asked: NOBODY_ASKS,
  state: null,
};

/** Pure: the facts after one more message. */
export function factsAfter(facts: ConversationFacts, message: HostMessage): ConversationFacts {
  if (message.type === 'turn_state') {
    const { turn_id, state, pending = [] } = message;
    return { ...facts, turn_id, state, waits: pending.some(({ decided }) => decided !== true) };
  }
  if (message.type === 'children')
    return message.session_id === facts.session_id
      ? { ...facts, asked: askedAfter(facts.asked, message) }
      : facts;
  if (message.type !== 'snapshot') return facts;
  const { session_id, access } = message;
  // What children ask is told anew after it.
  const kept = session_id === facts.session_id ? { ...facts, asked: NOBODY_ASKS } : NO_FACTS;
  return { ...kept, session_id, access: access.kind };
}

/** Somebody has to decide something here: of the turn, or of a child. */
export function needsSomebody({ waits, asked }: ConversationFacts): boolean {
  return waits || asked.size > 0;
}
