import * as vscode from 'vscode';
import { SETTINGS_SECTION } from './contribution-ids.ts';
import { exists } from './file-presence.ts';
import type { KeeperParts } from './storage-keeper.ts';

/** Long after a window has begun: nobody waits for it. */
const FIRST_MS = 20_000;
/** Who just set something wants to see that it works. */
const CHANGED_MS = 3000;
const AGAIN_MS = 3_600_000;

const WANTED = ['retention.archiveAfterDays', 'retention.trashDays'] as const;

/** Looks after the storage now and then. Loads nothing where nothing is wanted. */
export class StorageUpkeep implements vscode.Disposable {
  private timer: NodeJS.Timeout;
  private readonly over = new AbortController();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly parts: KeeperParts) {
    this.timer = setTimeout(() => this.run(), FIRST_MS);
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SETTINGS_SECTION}.retention`)) this.schedule(CHANGED_MS);
    });
  }

  dispose(): void {
    this.over.abort();
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private schedule(after: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), after);
  }

  private run(): void {
    this.schedule(AGAIN_MS);
    this.keep().catch((error: unknown) => {
      if (!this.over.signal.aborted) this.parts.log.error(`looking after the storage: ${String(error)}`);
    });
  }

  private async keep(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION);
    const isSet = WANTED.some((name) => configuration.inspect(name)?.globalValue !== undefined);
    const journal = vscode.Uri.joinPath(vscode.Uri.file(this.parts.storage), 'storage-journal.jsonl');
    if (!isSet && !(await exists(journal))) return;
    const { keepStorage } = await import('./late-commands.ts');
    await keepStorage(this.parts, this.over.signal);
  }
}
