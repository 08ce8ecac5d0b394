import * as vscode from 'vscode';
import type { ChangeReading } from '../app/changes.ts';
import type { SentSkill } from '../app/sent-skill.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { openChanges } from './change-diff.ts';
import type { ShownDocuments } from './shown-documents.ts';

const TYPES = ['show_change', 'open_output', 'open_attachment', 'open_skill'] as const;

type ViewRequest = Extract<PresenterMessage, { type: (typeof TYPES)[number] }>;

export function isViewRequest(message: PresenterMessage): message is ViewRequest {
  return TYPES.some((type) => type === message.type);
}

/** Shows in an editor what a turn changed or what a call gave. Answers what could not be shown, and why. */
export async function showOf(
  message: ViewRequest,
  { changes, documents }: { readonly changes: ChangeReading; readonly documents: ShownDocuments },
): Promise<readonly string[]> {
  if (message.type === 'show_change') return openChanges(await changes.shown(message), documents);
  if (message.type === 'open_attachment') return openAttachment(message, changes, documents);
  if (message.type === 'open_skill') return openSkill(await changes.skill(message), documents);
  const output = await changes.output(message);
  if (output.kind === 'refused') return [output.message];
  return showText(documents.add(`${output.name}.log`, 'output', output.text));
}

async function openSkill(found: SentSkill, documents: ShownDocuments): Promise<readonly string[]> {
  if (found.kind === 'refused') return [found.message];
  return showText(documents.add(`${found.name}/SKILL.md`, 'skill', found.text));
}

async function openAttachment(
  message: Extract<ViewRequest, { type: 'open_attachment' }>,
  changes: ChangeReading,
  documents: ShownDocuments,
): Promise<readonly string[]> {
  const found = await changes.attachment(message);
  switch (found.kind) {
    case 'refused':
      return [found.message];
    case 'text':
      return showText(documents.add(`${found.name}.txt`, 'attachment', found.text));
    case 'image':
      await documents.images.show(found.name, found.bytes, placeName(message));
      return [];
  }
}

function placeName({ turn_id, call_id, index }: Extract<ViewRequest, { type: 'open_attachment' }>): string {
  return call_id === undefined ? `${turn_id}-${index}` : `${turn_id}-${call_id}-${index}`;
}

async function showText(uri: vscode.Uri): Promise<readonly string[]> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  return [];
}
