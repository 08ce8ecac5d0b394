import * as vscode from 'vscode';
import { sessionPaths } from '../storage/session-paths.ts';
import { lineOfSeq } from './log-lines.ts';
import { hasLog } from './log-presence.ts';
import { inform } from './notifications.ts';
import type { ReportDocuments } from './report-documents.ts';

/** Files above this VS Code keeps from extensions. */
const LARGEST = 50 * 1024 * 1024;

export interface LogTarget {
  readonly session_id: string;
  readonly seq?: number | undefined;
  readonly line?: number | undefined;
}

/** Opens the log of a session at an event or a line, which is then selected. */
export async function showLog(storage: string, target: LogTarget, reports: ReportDocuments): Promise<void> {
  const uri = vscode.Uri.file(sessionPaths(storage, target.session_id).log);
  if (!(await hasLog(storage, target.session_id))) return;
  const { size } = await vscode.workspace.fs.stat(uri);
  const document = size > LARGEST ? null : await opened(uri);
  if (document === null) return showExcerpt(target, reports);
  const editor = await vscode.window.showTextDocument(document, { preview: true });
  const lines = { count: document.lineCount, at: (index: number) => document.lineAt(index).text };
  const { seq, line } = target;
  if (seq !== undefined) return select(editor, lineOfSeq(lines, seq), seq);
  if (line !== undefined) return select(editor, line - 1, null);
}

/** Null for what VS Code does not take for a text: a disk may have left zeroes in it. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument | null> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return null;
  }
}

async function showExcerpt({ session_id, seq, line }: LogTarget, reports: ReportDocuments): Promise<void> {
  const place = seq !== undefined ? { seq } : line !== undefined ? { line } : null;
  const { editor, at } = await reports.show({ kind: 'log', session_id, place });
  say(
    place === null
      ? vscode.l10n.t('VS Code does not open this log as a whole. These are its last lines.')
      : vscode.l10n.t('VS Code does not open this log as a whole. These are the lines around the place.'),
  );
  select(editor, at, seq ?? null);
}

function select(editor: vscode.TextEditor, index: number | null, seq: number | null): void {
  const { document } = editor;
  if (index === null) {
    if (seq !== null) say(vscode.l10n.t('No line of the log holds the event of seq {0}.', seq));
    return;
  }
  const { range } = document.lineAt(Math.min(Math.max(index, 0), document.lineCount - 1));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Not waited for: it is answered only when the person closes it. */
function say(message: string): void {
  void inform(message);
}
