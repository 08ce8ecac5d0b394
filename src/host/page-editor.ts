import * as vscode from 'vscode';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { isForTerminal } from '../presenter/shell-languages.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { Workspace } from '../tools/workspace-paths.ts';
import { isMuchShorter, lineCount, replacementFor, withLastLineEnd } from './code-blocks.ts';
import type { CodeProposals } from './code-proposals.ts';
import { findFile, noFileWords, type NoFile } from './open-path.ts';
import type { EditorMessage } from './page-messages.ts';
import { foreign } from './shown-text.ts';

type CodeMessage = Extract<PresenterMessage, { type: 'code' }>;
type OpenMessage = Extract<PresenterMessage, { type: 'open' }>;

/** Where paths may lead, and where a change is shown. */
export interface Places {
  readonly workspace: Workspace;
  readonly proposals: CodeProposals;
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
  const editor = editorInUse();
  if (editor === undefined) {
    const shown = vscode.window.activeTextEditor !== undefined;
    return {
      kind: shown ? 'not_editable' : 'no_editor',
      message: shown
        ? vscode.l10n.t('What is open cannot be changed, so nothing was inserted. Open a file first.')
        : vscode.l10n.t('No editor is open to insert the code into.'),
    };
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
  const path = message.path ?? guessedFile(message.guess, places.workspace);
  if (path === undefined && isForTerminal(message.language ?? '')) {
    return {
      kind: 'for_terminal',
      message: vscode.l10n.t('These are commands for a terminal and name no file, so nothing was applied.'),
    };
  }
  return applyTo(path ?? activeFile(), message, places);
}

async function applyTo(
  path: string | undefined,
  { text }: CodeMessage,
  places: Places,
): Promise<Refusal | null> {
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
  const after = withLastLineEnd(text);
  if (before !== null && replacementFor(before, after) === null) {
    return { kind: 'no_change', message: vscode.l10n.t('{0} already has this code.', display) };
  }
  const sides = { before: before ?? '', after };
  const words = wordsFor(display, sides);
  if (!(await places.proposals.isWanted({ path: display, ...sides, ...words }))) return null;
  return before === null ? createFile(uri, after) : replaceLines(uri, { before, after });
}

/** Cut sooner, two files could look the same. */
const LONGEST_PATH = 500;

interface Sides {
  readonly before: string;
  readonly after: string;
}

/** A block may be a part of the file, and it takes the place of all of it: that is said for as long as it is asked. */
function wordsFor(path: string, { before, after }: Sides): { question: string; title: string } {
  const question = vscode.l10n.t('Apply the code to {0} as shown?', foreign(path, LONGEST_PATH));
  if (!isMuchShorter(after, before))
    return { question, title: vscode.l10n.t('{0} (code from the chat)', path) };
  const [old, now] = [lineCount(before), lineCount(after)];
  const warning = vscode.l10n.t('Replaces all {0} lines by {1}.', old, now);
  const other = vscode.l10n.t('To put it in one place only, discard this and use Insert at cursor.');
  return {
    question: [question, warning, other].join(' '),
    title: vscode.l10n.t('{0} (code from the chat, replaces all {1} lines by {2})', path, old, now),
  };
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

/** The editor in front, or else one in view: diffs, logs and output are for reading only. */
function editorInUse(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const all = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor, ...visibleTextEditors];
  return all.find(({ document }) => WRITABLE.has(document.uri.scheme));
}

const WRITABLE: ReadonlySet<string> = new Set(['file', 'untitled', 'vscode-notebook-cell']);

/** A name in a comment means a file where there is one, and else nothing. */
function guessedFile(guess: string | undefined, workspace: Workspace): string | undefined {
  return guess !== undefined && findFile(workspace, guess).kind === 'file' ? guess : undefined;
}

/** Only a file has a path: that of an unsaved text would mean some other file. */
function activeFile(): string | undefined {
  const uri = editorInUse()?.document.uri;
  return uri?.scheme === 'file' ? uri.fsPath : undefined;
}

function noFile(path: string, reason: NoFile): Refusal {
  return { kind: reason, message: noFileWords(path, reason, vscode.l10n.t) };
}
