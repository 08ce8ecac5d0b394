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

  /** Asks for a key. An empty answer removes the stored one; leaving the box changes nothing. */
  async ask(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t('Set API key'),
      prompt: vscode.l10n.t(
        'Kept in the secret storage of VS Code. Leave it empty to remove the stored key.',
      ),
      placeHolder: 'sk-…',
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) =>
        /\s/.test(value.trim()) ? vscode.l10n.t('A key has no spaces in it.') : null,
    });
    if (key === undefined) return;
    if (key.trim() === '') await this.secrets.delete(API_KEY_SECRET);
    else await this.secrets.store(API_KEY_SECRET, key.trim());
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
