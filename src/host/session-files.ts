import * as vscode from 'vscode';

export interface SessionFilesPorts {
  /** The log of a session was written, made or removed. */
  changed(sessionId: string): void;
  removed(sessionId: string): void;
  /** Names and marks, or the folder as a whole. */
  allChanged(): void;
}

/** So long after it was asked for, a watcher is at work. */
const ARMED_MS = 1000;

/** Watches the files of all sessions, also once their folder was removed and made again. */
export class SessionFiles implements vscode.Disposable {
  private logs: readonly vscode.Disposable[] = [];
  private readonly others: readonly vscode.Disposable[];
  private secondLook: NodeJS.Timeout | undefined;

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
    clearTimeout(this.secondLook);
    for (const one of [...this.logs, ...this.others]) one.dispose();
  }

  /** A watcher ends with its folder, and what was written before the next one is at work that does not tell. */
  private watchAgain(): void {
    for (const one of this.logs) one.dispose();
    this.watchLogs();
    this.ports.allChanged();
    clearTimeout(this.secondLook);
    this.secondLook = setTimeout(() => this.ports.allChanged(), ARMED_MS);
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
