import * as vscode from 'vscode';
import { API_KEY_SECRET } from './contribution-ids.ts';
import { insist } from './notifications.ts';

/** Asks for a key. An empty answer asks whether to remove the one that is there; leaving the box changes nothing. */
export async function askForKey(secrets: vscode.SecretStorage): Promise<void> {
  const isStored = ((await secrets.get(API_KEY_SECRET)) ?? '') !== '';
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Set API key'),
    prompt: isStored
      ? vscode.l10n.t('A key is stored. A new one replaces it; with an empty box you can remove it.')
      : vscode.l10n.t('Kept in the secret storage of VS Code.'),
    placeHolder: 'sk-…',
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/\s/.test(value.trim()) ? vscode.l10n.t('A key has no spaces in it.') : null),
  });
  if (key === undefined) return;
  if (key.trim() !== '') await secrets.store(API_KEY_SECRET, key.trim());
  else if (isStored) await askToRemove(secrets);
}

/** The stored key can be shown to nobody, so what is gone is gone. */
async function askToRemove(secrets: vscode.SecretStorage): Promise<void> {
  const keep = { title: vscode.l10n.t('Keep the key'), isCloseAffordance: true };
  const remove = { title: vscode.l10n.t('Remove the key') };
  const question = vscode.l10n.t('Remove the stored API key?');
  const chosen = await insist<vscode.MessageItem>(question, keep, remove);
  if (chosen === remove) await secrets.delete(API_KEY_SECRET);
}
