import type { NextAction } from '../runtime/events.ts';
import type { HostMessage, PresenterMessage } from './protocol.ts';

/** Which message it answers, where that has a name. */
export interface About {
  readonly client_turn_id?: string;
  readonly target_id?: string;
  readonly decision_id?: string;
}

export function aboutOf(message: PresenterMessage): About {
  if (message.type === 'send') return { client_turn_id: message.client_turn_id };
  if (message.type !== 'decide') return {};
  return { target_id: message.target_id, decision_id: message.decision_id };
}

/** The same of a message that is not understood, as far as it can be made out. */
export function aboutRaw(raw: unknown): About {
  if (typeof raw !== 'object' || raw === null) return {};
  const named = NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(raw, name)?.value] as const);
  return Object.fromEntries(named.filter(([, id]) => typeof id === 'string' && id.length <= LONGEST_ID));
}

const NAMES = ['client_turn_id', 'target_id', 'decision_id'] as const;
const LONGEST_ID = 200;

/** Pure: the answer to a message that could not be carried out. */
export function failureMessage(
  what: string,
  kind: string,
  message: string,
  more: About & { readonly next_actions?: readonly NextAction[] } = {},
): HostMessage {
  const { next_actions = [], ...rest } = more;
  return { v: 1, type: 'failure', for: what, kind, message, next_actions: [...next_actions], ...rest };
}
