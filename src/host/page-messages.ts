import type { MessageAttachment } from '../presenter/attachment.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { COMMANDS, END_PROCESS } from './contribution-ids.ts';

/** Buttons that the conversation itself answers: it knows the turn and the process that are meant. */
const OWN_ACTIONS: readonly string[] = [
  COMMANDS.retryTurn,
  COMMANDS.continueTurn,
  COMMANDS.stopAgent,
  COMMANDS.resumeAgent,
  COMMANDS.discardAgent,
  COMMANDS.resumeWorkflow,
  END_PROCESS,
];

/** Those that end something: nothing is sent because of them. */
const ENDINGS: readonly string[] = [END_PROCESS, COMMANDS.stopAgent, COMMANDS.discardAgent];

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
  if (message.type === 'run_action') return !ENDINGS.includes(message.command) && !isForVsCode(message);
  // A compaction may ask the model for a summary.
  return message.type === 'send' || message.type === 'decide' || message.type === 'compact';
}

/**
 * Pure: what the page names, without what it claims to know of it: the host looks that up. A selection whose
 * lines are not said can only be taken as given.
 */
export function byReference(message: PresenterMessage): PresenterMessage {
  if (message.type !== 'send') return message;
  return { ...message, attachments: message.attachments.map(referenceOf) };
}

function referenceOf(attachment: MessageAttachment): MessageAttachment {
  return isReference(attachment) ? { ...attachment, text: undefined } : attachment;
}

/** Pure: whether it says where to look, so that what it carries need not be kept. */
export function isReference(attachment: Pick<MessageAttachment, 'kind' | 'path' | 'start_line'>): boolean {
  const { kind, path, start_line } = attachment;
  return kind === 'selection' ? path !== undefined && start_line !== undefined : BY_REFERENCE.has(kind);
}

const BY_REFERENCE: ReadonlySet<string> = new Set(['file', 'editor', 'folder', 'problems']);
