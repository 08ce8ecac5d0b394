import * as vscode from 'vscode';
import type { ChangeReading } from '../app/changes.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { openChanges } from './change-diff.ts';
import type { ShownDocuments } from './shown-documents.ts';

type ViewRequest = Extract<PresenterMessage, { type: 'show_change' | 'open_output' }>;

export function isViewRequest(message: PresenterMessage): message is ViewRequest {
  return message.type === 'show_change' || message.type === 'open_output';
}

/** Shows in an editor what a turn changed or what a call gave. Answers what could not be shown, and why. */
export async function showOf(
  message: ViewRequest,
  { changes, documents }: { readonly changes: ChangeReading; readonly documents: ShownDocuments },
): Promise<readonly string[]> {
  if (message.type === 'show_change') return openChanges(await changes.shown(message), documents);
  const output = await changes.output(message);
  if (output.kind === 'refused') return [output.message];
  const uri = documents.add(`${output.name}.log`, 'output', output.text);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  return [];
}
