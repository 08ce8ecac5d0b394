import * as vscode from 'vscode';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { Workspace } from '../tools/workspace-paths.ts';
import { replacementFor, withLastLineEnd } from './code-blocks.ts';
import { findFile, type NoFile } from './open-path.ts';
import type { EditorMessage } from './page-messages.ts';

type CodeMessage = Extract<PresenterMessage, { type: 'code' }>;
type OpenMessage = Extract<PresenterMessage, { type: 'open' }>;

/** Why something was not done, for the person. */
export interface Refusal {
  readonly kind: string;
  readonly message: string;
}

/** What the page asks of the editor. Paths and code are a model's: where they lead is decided here. */
export async function carryOut(message: EditorMessage, workspace: Workspace): Promise<Refusal | null> {
  if (message.type === 'open') return openFile(message, workspace);
  switch (message.action) {
    case 'copy':
      await vscode.env.clipboard.writeText(message.text);
      return null;
    case 'insert':
      return insertCode(message.text);
    case 'apply':
      return applyCode(message, workspace);
    default:
      return unreachable(message.action);
  }
}

async function openFile({ path, line, column }: OpenMessage, workspace: Workspace): Promise<Refusal | null> {
  const found = findFile(workspace, path);
  if (found.kind !== 'file') return noFile(path, found.kind === 'free' ? 'not_found' : found.reason);
  const at = new vscode.Position((line ?? 1) - 1, (column ?? 1) - 1);
  const options: vscode.TextDocumentShowOptions =
    line === undefined ? {} : { selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(found.path.real), options);
  return null;
}

async function insertCode(text: string): Promise<Refusal | null> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return { kind: 'no_editor', message: vscode.l10n.t('No editor is open to insert the code into.') };
  }
  const done = await editor.edit((edit) => edit.replace(editor.selection, text), {
    undoStopBefore: true,
    undoStopAfter: true,
  });
  if (!done) {
    return { kind: 'not_editable', message: vscode.l10n.t('The open editor cannot be changed.') };
  }
  const { document, viewColumn } = editor;
  await vscode.window.showTextDocument(document, viewColumn === undefined ? {} : { viewColumn });
  return null;
}

/** Nothing is written before the person has seen the change in the preview and said yes to it. */
async function applyCode(message: CodeMessage, workspace: Workspace): Promise<Refusal | null> {
  if (!vscode.workspace.isTrusted) {
    return { kind: 'untrusted', message: vscode.l10n.t('In restricted mode, code is not applied to files.') };
  }
  const path = message.path ?? activeFile();
  if (path === undefined) {
    return {
      kind: 'no_target',
      message: vscode.l10n.t('The code names no file and no editor is open. Open the file first.'),
    };
  }
  const found = findFile(workspace, path);
  if (found.kind === 'none') return noFile(path, found.reason);
  const uri = vscode.Uri.file(found.path.real);
  const edit = new vscode.WorkspaceEdit();
  const metadata = { needsConfirmation: true, label: vscode.l10n.t('Code from the chat') };
  if (found.kind === 'free') {
    const contents = new TextEncoder().encode(withLastLineEnd(message.text));
    edit.createFile(uri, { overwrite: false, contents }, metadata);
  } else {
    const document = await vscode.workspace.openTextDocument(uri);
    const change = replacementFor(document.getText(), message.text);
    if (change === null) {
      return { kind: 'no_change', message: vscode.l10n.t('{0} already has this code.', found.path.display) };
    }
    const range = document.validateRange(new vscode.Range(change.from, 0, change.to, 0));
    edit.replace(uri, range, change.text, metadata);
  }
  await vscode.workspace.applyEdit(edit, { isRefactoring: true });
  return null;
}

/** Only a file has a path: that of an unsaved text would mean some other file. */
function activeFile(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? uri.fsPath : undefined;
}

function noFile(path: string, reason: NoFile): Refusal {
  switch (reason) {
    case 'not_in_workspace':
      return {
        kind: reason,
        message: vscode.l10n.t('{0} is not a file of this workspace. Nothing was opened or changed.', path),
      };
    case 'not_found':
      return { kind: reason, message: vscode.l10n.t('{0} does not exist in this workspace.', path) };
    case 'not_a_file':
      return { kind: reason, message: vscode.l10n.t('{0} is not a file.', path) };
    default:
      return unreachable(reason);
  }
}
