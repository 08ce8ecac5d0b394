import * as vscode from 'vscode';
import { API_KEY_SECRET } from './contribution-ids.ts';
import { insist } from './notifications.ts';

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

  /** Asks for a key. An empty answer asks whether to remove the one that is there; leaving the box changes nothing. */
  async ask(): Promise<void> {
    const stored = (await this.read()) !== null;
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t('Set API key'),
      prompt: stored
        ? vscode.l10n.t('A key is stored. A new one replaces it; with an empty box you can remove it.')
        : vscode.l10n.t('Kept in the secret storage of VS Code.'),
      placeHolder: 'sk-…',
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) =>
        /\s/.test(value.trim()) ? vscode.l10n.t('A key has no spaces in it.') : null,
    });
    if (key === undefined) return;
    if (key.trim() !== '') return this.secrets.store(API_KEY_SECRET, key.trim());
    if (stored) await this.askToRemove();
  }

  /** The stored key can be shown to nobody, so what is gone is gone. */
  private async askToRemove(): Promise<void> {
    const keep = { title: vscode.l10n.t('Keep the key'), isCloseAffordance: true };
    const remove = { title: vscode.l10n.t('Remove the key') };
    const question = vscode.l10n.t('Remove the stored API key?');
    const chosen = await insist<vscode.MessageItem>(question, keep, remove);
    if (chosen === remove) await this.secrets.delete(API_KEY_SECRET);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
