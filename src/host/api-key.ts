import * as vscode from 'vscode';
import { API_KEY_SECRET } from './contribution-ids.ts';

/** The provider's key. It lives in VS Code's secret storage and nowhere else, and is never logged or shown. */
export class ApiKey {
  readonly onDidChange: vscode.Event<void>;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.onDidChange = this.changed.event;
    this.subscription = secrets.onDidChange(({ key }) => {
      if (key === API_KEY_SECRET) this.changed.fire();
    });
  }

  async read(): Promise<string | null> {
    const key = await this.secrets.get(API_KEY_SECRET);
    return key === undefined || key === '' ? null : key;
  }

  async ask(): Promise<void> {
    const { askForKey } = await import('./late-commands.ts');
    await askForKey(this.secrets);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
