import * as vscode from 'vscode';
import type { ChangeReading } from '../app/changes.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { openChanges } from './change-diff.ts';
import type { ShownDocuments } from './shown-documents.ts';

type ViewRequest = Extract<PresenterMessage, { type: 'show_change' | 'open_output' | 'open_attachment' }>;

export function isViewRequest(message: PresenterMessage): message is ViewRequest {
  const { type } = message;
  return type === 'show_change' || type === 'open_output' || type === 'open_attachment';
}

/** Shows in an editor what a turn changed or what a call gave. Answers what could not be shown, and why. */
export async function showOf(
  message: ViewRequest,
  { changes, documents }: { readonly changes: ChangeReading; readonly documents: ShownDocuments },
): Promise<readonly string[]> {
  if (message.type === 'show_change') return openChanges(await changes.shown(message), documents);
  if (message.type === 'open_attachment') return openAttachment(message, changes, documents);
  const output = await changes.output(message);
  if (output.kind === 'refused') return [output.message];
  return showText(documents.add(`${output.name}.log`, 'output', output.text));
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
      await documents.images.show(found.name, found.bytes, `${message.turn_id}-${message.index}`);
      return [];
  }
}

async function showText(uri: vscode.Uri): Promise<readonly string[]> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  return [];
}
