import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import type { Choices } from './choices.ts';
import { PROVIDER_KEY, SETTINGS_SECTION } from './contribution-ids.ts';
import { exists } from './file-presence.ts';
import { changedSessionKeys, keysAtAGlance, keysOfList, type SessionKeyValues } from './session-keys.ts';
import type { SessionsView } from './sessions-view.ts';

export interface PaletteContextOptions {
  readonly sessions: SessionsView;
  readonly choices: Choices;
  readonly storage: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Keeps the palette to what applies: which sessions there are, and who answers. At the start it looks at folders
 * only; what it says of them is corrected by whoever reads the list.
 */
export class PaletteContext implements vscode.Disposable {
  private keys: SessionKeyValues | null = null;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly options: PaletteContextOptions) {
    const { sessions, choices } = options;
    this.subscriptions = [
      sessions.onDidList((entries) => this.settle('looking at the trash', this.list(entries))),
      choices.onDidChange(() => this.setProvider()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTINGS_SECTION)) this.setProvider();
      }),
    ];
    this.setProvider();
    this.settle('looking for sessions', this.glance());
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async glance(): Promise<void> {
    const { storage } = this.options;
    const names = await namesIn(vscode.Uri.joinPath(storage, 'sessions'));
    const marks = await exists(vscode.Uri.joinPath(storage, 'session-marks.jsonl'));
    const glance = {
      logs: names.some((name) => name.endsWith('.jsonl')),
      marks,
      deleted: await this.hasDeleted(),
    };
    // The list may have been read meanwhile, and knows better.
    if (this.keys === null) this.set(keysAtAGlance(glance));
  }

  private async list(entries: readonly SessionEntry[]): Promise<void> {
    this.set(keysOfList(entries, this.keys?.['ledgerline.hasDeleted'] ?? false));
    const deleted = await this.hasDeleted();
    if (this.keys !== null) this.set({ ...this.keys, 'ledgerline.hasDeleted': deleted });
  }

  private async hasDeleted(): Promise<boolean> {
    const names = await namesIn(vscode.Uri.joinPath(this.options.storage, 'trash'));
    return names.some((name) => name.endsWith('.jsonl'));
  }

  private set(now: SessionKeyValues): void {
    const changed = changedSessionKeys(this.keys, now);
    this.keys = now;
    for (const [key, value] of changed) this.setKey(key, value);
  }

  private setProvider(): void {
    const { choices } = this.options;
    const set = vscode.workspace.getConfiguration(SETTINGS_SECTION).get<unknown>('provider');
    this.setKey(PROVIDER_KEY, choices.valueOf('provider') ?? set);
  }

  private setKey(key: string, value: unknown): void {
    this.settle(`setting ${key}`, vscode.commands.executeCommand('setContext', key, value));
  }

  private settle(what: string, work: Thenable<unknown>): void {
    work.then(undefined, (error: unknown) => this.options.log.error(`${what}: ${String(error)}`));
  }
}

async function namesIn(folder: vscode.Uri): Promise<readonly string[]> {
  if (!(await exists(folder))) return [];
  return (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name);
}
