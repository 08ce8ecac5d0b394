import type { NextAction } from '../runtime/events.ts';
import type { HostMessage } from './protocol.ts';

/** Pure: the answer to a message that could not be carried out. */
export function failureMessage(
  what: string,
  kind: string,
  message: string,
  more: { readonly client_turn_id?: string; readonly next_actions?: readonly NextAction[] } = {},
): HostMessage {
  const { next_actions = [], ...rest } = more;
  return { v: 1, type: 'failure', for: what, kind, message, next_actions: [...next_actions], ...rest };
}
