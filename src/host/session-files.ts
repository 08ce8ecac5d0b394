import * as vscode from 'vscode';

export interface SessionFilesPorts {
  /** The log of a session was written, made or removed. */
  changed(sessionId: string): void;
  removed(sessionId: string): void;
  /** Names and marks, or the folder as a whole. */
  allChanged(): void;
}

/** Watches the files of all sessions, also once their folder was removed and made again. */
export class SessionFiles implements vscode.Disposable {
  private logs: readonly vscode.Disposable[] = [];
  private readonly others: readonly vscode.Disposable[];

  constructor(
    private readonly storage: vscode.Uri,
    private readonly ports: SessionFilesPorts,
  ) {
    const all = (): void => ports.allChanged();
    this.watchLogs();
    this.others = [
      ...watched(new vscode.RelativePattern(storage, 'session-marks.jsonl'), all),
      ...watched(new vscode.RelativePattern(storage, 'sessions'), () => this.watchAgain()),
    ];
  }

  dispose(): void {
    for (const one of [...this.logs, ...this.others]) one.dispose();
  }

  /** A watcher ends with its folder, and what was written before it began again it does not tell. */
  private watchAgain(): void {
    for (const one of this.logs) one.dispose();
    this.watchLogs();
    this.ports.allChanged();
  }

  private watchLogs(): void {
    const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(this.storage, 'sessions'), '*.jsonl');
    const [watcher, ...heard] = watched(pattern, (uri) => this.ports.changed(sessionOf(uri)));
    const removed = watcher.onDidDelete((uri) => this.ports.removed(sessionOf(uri)));
    this.logs = [watcher, ...heard, removed];
  }
}

function watched(
  pattern: vscode.RelativePattern,
  changed: (uri: vscode.Uri) => void,
): readonly [vscode.FileSystemWatcher, ...vscode.Disposable[]] {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  return [watcher, watcher.onDidCreate(changed), watcher.onDidChange(changed), watcher.onDidDelete(changed)];
}

function sessionOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.jsonl'.length);
}
