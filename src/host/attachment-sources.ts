import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import { denialOf } from '../runtime/permissions/denied-paths.ts';
import { inOrder, nameGlob } from './fuzzy-order.ts';
import { workspacePath } from './workspace-path.ts';

export type Suggestion = Extract<HostMessage, { type: 'suggestions' }>['items'][number];

const SHOWN = 40;
/** Of one look into the folders. */
const FOUND = 300;
/** With fewer, names are looked for that only hold the letters in their order. */
const ENOUGH = 12;

/** What could be attached to a message: what the person is looking at first, then files and folders by name. */
export class AttachmentSources {
  private last = new vscode.CancellationTokenSource();

  /** Null when a later question has taken its place. */
  async find(text: string): Promise<readonly Suggestion[] | null> {
    this.last.cancel();
    this.last.dispose();
    const { token } = (this.last = new vscode.CancellationTokenSource());
    const near = [...selection(), ...openEditors(), ...problems()].filter(
      ({ label, detail, attachment }) =>
        inOrder(text, [`${detail}/${label}`, attachment.path ?? label], (path) => path).length > 0,
    );
    const found = await inFolders(text, token);
    if (token.isCancellationRequested) return null;
    const known = new Set(near.map(({ attachment }) => attachment.path));
    const others = found.filter(({ attachment }) => !known.has(attachment.path));
    return [...near, ...others].slice(0, SHOWN);
  }

  dispose(): void {
    this.last.cancel();
    this.last.dispose();
  }
}

function selection(): readonly Suggestion[] {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined || editor.selection.isEmpty) return [];
  const path = workspacePath(editor.document.uri);
  if (path === null || isDenied(path)) return [];
  const { start, end } = editor.selection;
  const start_line = start.line + 1;
  // Up to the beginning of a line, that line is not in it.
  const end_line = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const name = `${nameOf(path)}:${start_line}${end_line === start_line ? '' : `-${end_line}`}`;
  return [
    {
      attachment: { kind: 'selection', label: name, path, start_line, end_line },
      label: name,
      detail: inFolder(path, vscode.l10n.t('Selection')),
    },
  ];
}

function openEditors(): readonly Suggestion[] {
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs: all }) => all);
  const paths = tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText ? (workspacePath(input.uri) ?? []) : [],
  );
  return [...new Set(paths)]
    .filter((path) => !isDenied(path))
    .map((path) => ({
      attachment: { kind: 'editor', label: nameOf(path), path },
      label: nameOf(path),
      detail: inFolder(path, vscode.l10n.t('Open editor')),
    }));
}

function problems(): readonly Suggestion[] {
  const count = vscode.languages
    .getDiagnostics()
    .filter(([uri]) => workspacePath(uri) !== null)
    .reduce((sum, [, list]) => sum + list.filter(isShown).length, 0);
  if (count === 0) return [];
  const label = vscode.l10n.t('Problems ({0})', count);
  return [{ attachment: { kind: 'problems', label }, label, detail: vscode.l10n.t('Workspace') }];
}

function isShown({ severity }: vscode.Diagnostic): boolean {
  return severity !== vscode.DiagnosticSeverity.Hint;
}

async function inFolders(text: string, token: vscode.CancellationToken): Promise<readonly Suggestion[]> {
  const query = text.replace(/^\.?\/+/u, '');
  const exclude = excluded();
  const look = async (include: string): Promise<readonly string[]> => {
    const uris = await vscode.workspace.findFiles(include, exclude, FOUND, token);
    return uris.flatMap((uri) => workspacePath(uri) ?? []);
  };
  if (query === '') return suggestions('', await look('*'), await topFolders());
  const glob = nameGlob(query, { loose: false });
  const [files, inside] = await Promise.all([look(glob), look(`${glob}/**`)]);
  if (token.isCancellationRequested) return [];
  const few = files.length + inside.length < ENOUGH;
  const loose = few && query.length > 1 ? await look(nameGlob(query, { loose: true })) : [];
  return suggestions(query, [...files, ...loose], inside);
}

/** A folder of the workspace may be gone; the others are still there. */
async function listed(uri: vscode.Uri): Promise<readonly [string, vscode.FileType][]> {
  try {
    return await vscode.workspace.fs.readDirectory(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return [];
    throw error;
  }
}

/** As paths of something in them, which is how others are found. */
async function topFolders(): Promise<readonly string[]> {
  const all = (vscode.workspace.workspaceFolders ?? []).map(async ({ uri }) => {
    const entries = uri.scheme === 'file' ? await listed(uri) : [];
    return entries.flatMap(([name, type]) =>
      type === vscode.FileType.Directory && name !== 'node_modules'
        ? (workspacePath(vscode.Uri.joinPath(uri, name, 'x')) ?? [])
        : [],
    );
  });
  return (await Promise.all(all)).flat();
}

function suggestions(
  query: string,
  files: readonly string[],
  inside: readonly string[],
): readonly Suggestion[] {
  const folders = [...files, ...inside].flatMap(foldersOf).map((path) => ({ kind: 'folder', path }));
  const all = [...new Set(files)].map((path) => ({ kind: 'file', path }));
  const unique = new Map([...all, ...folders].map((one) => [one.path, one]));
  return inOrder(query, [...unique.values()], ({ path }) => path)
    .filter(({ path }) => !isDenied(path))
    .slice(0, SHOWN)
    .map(({ kind, path }) => ({
      attachment: { kind, label: nameOf(path), path },
      label: kind === 'folder' ? `${nameOf(path)}/` : nameOf(path),
      detail: folderOf(path),
    }));
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** What the person hides from lists and searches, and what no tool reads. */
function excluded(): string {
  const hidden = ['files.exclude', 'search.exclude'].flatMap((name) => {
    const value = vscode.workspace.getConfiguration().get<unknown>(name);
    return typeof value === 'object' && value !== null ? Object.entries(value) : [];
  });
  const globs = hidden.flatMap(([glob, on]) => (on === true ? [glob] : []));
  return `{${[...new Set([...globs, '**/.git', '**/node_modules'])].join(',')}}`;
}

function isDenied(path: string): boolean {
  return denialOf(path.split('/')) !== undefined;
}

/** Several may have one name. */
function inFolder(path: string, what: string): string {
  const folder = folderOf(path);
  return folder === '' ? what : `${folder} · ${what}`;
}

function folderOf(path: string): string {
  return path.slice(0, -nameOf(path).length - 1);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
