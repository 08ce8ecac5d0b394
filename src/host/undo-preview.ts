import { createHash, randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { PreviewedFile, UndoPreview } from '../app/undo-preview.ts';
import { REDO_SCHEME, UNDO_SCHEME } from './contribution-ids.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { placeQuery } from './undo-place.ts';
import { aboutUndo } from './undo-words.ts';

/**
 * Opens what an undo would do: each file as it is, beside what it would become. One file that can be shown alone is a diff;
 * otherwise they are in the editor for many, with all that a diff cannot say in front of them.
 */
export async function openUndoPreview(
  preview: UndoPreview,
  session_id: string,
  documents: ShownDocuments,
): Promise<void> {
  const { turn_id, path, files, way } = preview;
  const shown = shownMark(preview);
  const query = placeQuery({ session_id, turn_id, shown, ...(path === undefined ? {} : { path }) });
  const scheme = way === 'undo' ? UNDO_SCHEME : REDO_SCHEME;
  const add = (name: string, side: string, text: string): vscode.Uri =>
    documents.add(name, `${query}&side=${side}`, text, scheme);
  const [first, ...others] = files;
  const isPlain = first !== undefined && others.length === 0 && !hasMore(preview);
  if (isPlain) {
    const sides = [add(first.path, 'now', textOf(first.now)), add(first.path, 'then', textOf(first.next))];
    await vscode.commands.executeCommand('vscode.diff', ...sides, titleOf(first, way), { preview: true });
    return;
  }
  const hasNotes = hasMore(preview);
  const about = add(vscode.l10n.t('About this preview'), 'about', aboutUndo(preview, vscode.l10n.t));
  const texts = files.filter(({ is_binary }) => !is_binary);
  const resources = [
    ...(hasNotes ? [{ originalUri: undefined, modifiedUri: about }] : []),
    ...texts.map((file) => ({
      originalUri: file.now === null ? undefined : add(file.path, 'now', textOf(file.now)),
      modifiedUri: file.next === null ? undefined : add(file.path, 'then', textOf(file.next)),
    })),
  ];
  await openMany(manyTitle(way, hasNotes), about, resources);
}

/** After a reload VS Code opens the editors again, and they are empty: no preview of then is one of now. */
const WINDOW = randomUUID();

/** What a preview shows, in short: two that show the same have the same. */
export function shownMark({ files, refusals, commands, children }: UndoPreview): string {
  const shown = [
    files.map(({ path, now, next, note }) => [path, hashOf(now), hashOf(next), note]),
    refusals.map(({ path, kind }) => [path, kind]),
    commands.map(({ call_id }) => call_id),
    children,
    WINDOW,
  ];
  return hashOf(Buffer.from(JSON.stringify(shown))) ?? '';
}

function hashOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
}

interface Sides {
  readonly originalUri: vscode.Uri | undefined;
  readonly modifiedUri: vscode.Uri | undefined;
}

/** With an address of its own, so that buttons in its title know what it shows; else as anybody can open one. */
async function openMany(title: string, about: vscode.Uri, resources: readonly Sides[]): Promise<void> {
  const { commands } = vscode;
  const known = await commands.getCommands(false);
  if (known.includes(MANY)) {
    await commands.executeCommand(MANY, { title, multiDiffSourceUri: about, resources });
    return;
  }
  const listed = resources.map(({ originalUri, modifiedUri }) => [
    modifiedUri ?? originalUri,
    originalUri,
    modifiedUri,
  ]);
  await commands.executeCommand('vscode.changes', title, listed);
}

/** As the extension for Git opens it. */
const MANY = '_workbench.openMultiDiffEditor';

function hasMore({ files, refusals, commands, children, inherited }: UndoPreview): boolean {
  const isSaid = files.some(({ note, is_binary }) => note !== null || is_binary);
  return isSaid || refusals.length > 0 || commands.length > 0 || children > 0 || inherited;
}

function textOf(side: Buffer | null): string {
  return side === null ? '' : side.toString('utf8');
}

function titleOf({ path, now, next }: PreviewedFile, way: UndoPreview['way']): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (next === null) return vscode.l10n.t('{0} (now ↔ removed)', name);
  if (now === null) return vscode.l10n.t('{0} (not there ↔ there again)', name);
  return way === 'undo'
    ? vscode.l10n.t('{0} (now ↔ after undo)', name)
    : vscode.l10n.t('{0} (now ↔ after redo)', name);
}

/** VS Code writes behind it how many it shows. */
export function manyTitle(way: UndoPreview['way'], hasNotes: boolean): string {
  if (way === 'undo')
    return hasNotes ? vscode.l10n.t('Preview of undo, with notes') : vscode.l10n.t('Preview of undo');
  return hasNotes ? vscode.l10n.t('Preview of redo, with notes') : vscode.l10n.t('Preview of redo');
}
