import * as vscode from 'vscode';
import { sessionPaths } from '../storage/session-paths.ts';
import { exists } from './file-presence.ts';
import { lineOfSeq } from './log-lines.ts';
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
  if (!(await exists(uri))) {
    await vscode.window.showInformationMessage(
      vscode.l10n.t('This session has no log yet. It begins with the first message.'),
    );
    return;
  }
  const { size } = await vscode.workspace.fs.stat(uri);
  const editor = size > LARGEST ? await showExcerpt(target, size, reports) : await openWhole(uri);
  select(editor, target, { whole: size <= LARGEST });
}

async function openWhole(uri: vscode.Uri): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(uri, { preview: true });
}

async function showExcerpt(
  { session_id, seq, line }: LogTarget,
  size: number,
  reports: ReportDocuments,
): Promise<vscode.TextEditor> {
  const place = seq !== undefined ? { seq } : line !== undefined ? { line } : null;
  const editor = await reports.show({ kind: 'log', session_id, place });
  const megabytes = Math.round(size / (1024 * 1024));
  // Not waited for: it would only be answered when the person closes it.
  vscode.window
    .showInformationMessage(
      vscode.l10n.t(
        'The log has {0} MB, more than VS Code opens. These are the lines around the place.',
        megabytes,
      ),
    )
    .then(undefined, () => undefined);
  return editor;
}

function select(
  editor: vscode.TextEditor,
  { seq, line }: LogTarget,
  { whole }: { readonly whole: boolean },
): void {
  const { document } = editor;
  const lines = { count: document.lineCount, at: (index: number) => document.lineAt(index).text };
  const last = document.lineCount - 1;
  const index = seq !== undefined ? lineOfSeq(lines, seq) : line !== undefined && whole ? line - 1 : null;
  if (seq !== undefined && index === null) {
    vscode.window
      .showWarningMessage(vscode.l10n.t('No line of the log holds the event of seq {0}.', seq))
      .then(undefined, () => undefined);
  }
  if (index === null) return;
  const { range } = document.lineAt(Math.min(index, last));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
