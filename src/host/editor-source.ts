import * as vscode from 'vscode';
import type { EditorSource, Problem } from '../app/conversation-options.ts';

const SEVERITIES = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
} as const satisfies Record<vscode.DiagnosticSeverity, Problem['severity']>;

/** What VS Code knows about files beside what is on disk. */
export const editorSource: EditorSource = {
  unsaved(paths) {
    const wanted = paths.map((path) => vscode.Uri.file(path).toString());
    const open = vscode.workspace.textDocuments.find(
      ({ uri, isDirty }) => isDirty && wanted.includes(uri.toString()),
    );
    return open?.getText() ?? null;
  },
  edited() {
    return vscode.workspace.textDocuments
      .filter(({ uri, isDirty }) => isDirty && uri.scheme === 'file')
      .map(({ uri }) => uri.fsPath);
  },
  problems() {
    return vscode.languages.getDiagnostics().flatMap(([uri, list]) =>
      uri.scheme === 'file'
        ? list.map(({ range, severity, message }) => ({
            path: uri.fsPath,
            line: range.start.line + 1,
            severity: SEVERITIES[severity],
            message,
          }))
        : [],
    );
  },
};
