import type { PresenterMessage } from '../presenter/protocol.ts';
import { COMMANDS, END_PROCESS } from './contribution-ids.ts';

/** Buttons that the conversation itself answers: it knows the turn and the process that are meant. */
const OWN_ACTIONS: readonly string[] = [COMMANDS.retryTurn, COMMANDS.continueTurn, END_PROCESS];

/** Pure: who carries a message of the page out. */
export function isForVsCode(
  message: PresenterMessage,
): message is Extract<PresenterMessage, { type: 'run_action' }> {
  return message.type === 'run_action' && !OWN_ACTIONS.includes(message.command);
}

export type EditorMessage = Extract<PresenterMessage, { type: 'open' | 'code' }>;

/** Pure: what needs the editor, and neither the session nor its log. */
export function isForEditor(message: PresenterMessage): message is EditorMessage {
  return message.type === 'open' || message.type === 'code';
}

/** Pure: whether words may leave for the provider because of it. A decided turn goes on, too. */
export function maySendWords(message: PresenterMessage): boolean {
  if (message.type === 'run_action') return message.command !== END_PROCESS && !isForVsCode(message);
  return message.type === 'send' || message.type === 'decide';
}
