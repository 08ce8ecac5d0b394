import * as vscode from 'vscode';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { Workspace } from '../tools/workspace-paths.ts';
import { replacementFor, withLastLineEnd } from './code-blocks.ts';
import { inform } from './notifications.ts';
import { findFile, noFileWords, type NoFile } from './open-path.ts';
import type { EditorMessage } from './page-messages.ts';
import { foreign } from './shown-text.ts';
import type { ShownDocuments } from './shown-documents.ts';

type CodeMessage = Extract<PresenterMessage, { type: 'code' }>;
type OpenMessage = Extract<PresenterMessage, { type: 'open' }>;

/** Where paths may lead, and where a change is shown. */
export interface Places {
  readonly workspace: Workspace;
  readonly documents: ShownDocuments;
}

/** Why something was not done, for the person. */
export interface Refusal {
  readonly kind: string;
  readonly message: string;
}

/** What the page asks of the editor. Paths and code are a model's: where they lead is decided here. */
export async function carryOut(message: EditorMessage, places: Places): Promise<Refusal | null> {
  if (message.type === 'open') return openFile(message, places.workspace);
  switch (message.action) {
    case 'copy':
      await vscode.env.clipboard.writeText(message.text);
      return null;
    case 'insert':
      return insertCode(message.text);
    case 'apply':
      return applyCode(message, places);
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

/** Nothing is written before the person has seen the change in a diff editor and said yes to it. */
async function applyCode(message: CodeMessage, places: Places): Promise<Refusal | null> {
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
  const found = findFile(places.workspace, path);
  if (found.kind === 'none') return noFile(path, found.reason);
  const { display, real } = found.path;
  const uri = vscode.Uri.file(real);
  const before = found.kind === 'free' ? null : (await vscode.workspace.openTextDocument(uri)).getText();
  const after = withLastLineEnd(message.text);
  if (before !== null && replacementFor(before, after) === null) {
    return { kind: 'no_change', message: vscode.l10n.t('{0} already has this code.', display) };
  }
  if (!(await isWanted(display, { before: before ?? '', after }, places.documents))) return null;
  return before === null ? createFile(uri, after) : replaceLines(uri, { before, after });
}

/** Cut sooner, two files could look the same. */
const LONGEST_PATH = 500;

interface Sides {
  readonly before: string;
  readonly after: string;
}

async function isWanted(path: string, { before, after }: Sides, documents: ShownDocuments): Promise<boolean> {
  const sides = [documents.add(path, 'before', before), documents.add(path, 'after', after)] as const;
  const title = vscode.l10n.t('{0} (code from the chat)', path);
  await vscode.commands.executeCommand('vscode.diff', ...sides, title, { preview: true });
  const apply = vscode.l10n.t('Apply');
  const question = vscode.l10n.t('Apply the code to {0} as shown?', foreign(path, LONGEST_PATH));
  return (await inform(question, apply)) === apply;
}

async function createFile(uri: vscode.Uri, text: string): Promise<Refusal | null> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(text) });
  return (await vscode.workspace.applyEdit(edit)) ? show(uri) : notApplied();
}

/** In the editor, where it can be undone; what is saved, and when, is the person's. */
async function replaceLines(uri: vscode.Uri, { before, after }: Sides): Promise<Refusal | null> {
  const document = await vscode.workspace.openTextDocument(uri);
  const change = document.getText() === before ? replacementFor(before, after) : null;
  if (change === null) {
    return {
      kind: 'changed_since',
      message: vscode.l10n.t('The file was changed meanwhile, so the code was not applied.'),
    };
  }
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, document.validateRange(new vscode.Range(change.from, 0, change.to, 0)), change.text);
  return (await vscode.workspace.applyEdit(edit)) ? show(uri) : notApplied();
}

async function show(uri: vscode.Uri): Promise<null> {
  await vscode.window.showTextDocument(uri, { preview: false });
  return null;
}

function notApplied(): Refusal {
  return { kind: 'not_applied', message: vscode.l10n.t('VS Code did not take the change.') };
}

/** Only a file has a path: that of an unsaved text would mean some other file. */
function activeFile(): string | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === 'file' ? uri.fsPath : undefined;
}

function noFile(path: string, reason: NoFile): Refusal {
  return { kind: reason, message: noFileWords(path, reason, vscode.l10n.t) };
}
