import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Logger } from '../app/conversation-options.ts';
import { forkSession } from '../app/fork-session.ts';
import type { KeptDraft } from '../presenter/attachment.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { Attachment, EventData } from '../runtime/events.ts';
import { isReference } from './page-messages.ts';

interface SentPrompt {
  readonly session_id: string;
  readonly seq: number;
  readonly prompt: EventData['user_message'] | null;
}

export const NOTHING_TO_EDIT = [
  'edit_prompt',
  'no_such_prompt',
  'The log has no message there. Nothing was forked.',
] as const;

/**
 * What was sent, as something that is not sent yet: in a new session that ends before it. What only names a file is looked up
 * again when it is sent. Null when there is no such message, or nothing before it.
 */
export async function draftInFork(
  { storage, log }: { readonly storage: string; readonly log: Logger },
  { session_id: parent, seq, prompt }: SentPrompt,
): Promise<KeptDraft | null> {
  if (prompt === null) return null;
  const from = { session_id: parent, at_seq: seq - 1, summary: false };
  const session_id = await forkSession(storage, from, (text) => log.warn(text));
  if (session_id === null) return null;
  const { text, attachments } = prompt;
  return { session_id, text, attachments: attachments.map(draftOfAttachment), at: Date.now() };
}

/** Of a message that was answered with words alone, such as one for a commit message. */
export function withToolsAgain(): HostMessage {
  const message = vscode.l10n.t('This message was sent without tools. Sent from here, it goes with them.');
  return { v: 1, type: 'notice', level: 'info', message, next_actions: [] };
}

function draftOfAttachment(attachment: Attachment): KeptDraft['attachments'][number] {
  const { kind, label, path, start_line, end_line, text, mime, data } = attachment;
  const named = { id: randomUUID(), kind, label, path, start_line, end_line, mime, data };
  return isReference(attachment) ? named : { ...named, text };
}
