import * as vscode from 'vscode';
import { translatedSentence } from '../presenter/host-sentences.ts';
import type { CommandParts } from './command-parts.ts';
import { inform, warn, whileShown } from './notifications.ts';
import { shownPath } from './saved-export.ts';

type Parts = Pick<CommandParts, 'sessions' | 'log' | 'storage' | 'chat'>;

/** Takes a bundle in as a session that can only be read, and shows it. */
export async function importSession(parts: Parts): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import a bundle'),
      openLabel: vscode.l10n.t('Import'),
      canSelectMany: false,
      filters: { [vscode.l10n.t('Ledgerline bundle')]: ['jsonl'] },
      ...defaultFolder(),
    })) ?? [];
  if (file === undefined) return;
  const session_id = await whileShown(
    vscode.ProgressLocation.Notification,
    vscode.l10n.t('Checking the bundle…'),
    () => take(parts, file),
  );
  if (session_id === null) return;
  parts.sessions.refresh(session_id);
  await parts.chat.present({ type: 'open_session', session_id });
  await inform(
    vscode.l10n.t(
      'The bundle was imported as a session that can be read and forked, and is never written to.',
    ),
  );
}

function defaultFolder(): { readonly defaultUri?: vscode.Uri } {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder === undefined ? {} : { defaultUri: folder };
}

/** Null where it was refused, which is then said. */
async function take({ storage, log }: Parts, file: vscode.Uri): Promise<string | null> {
  const makers = await import('./export-makers.ts');
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > makers.LARGEST_BUNDLE) throw new makers.RefusedBundle(null, 'the file is too large');
    const bytes = await vscode.workspace.fs.readFile(file);
    const store = new makers.SessionStore(
      makers.nodeStorePorts((text) => log.warn(text)),
      storage,
    );
    return (await makers.importBundle(store, bytes)).session_id;
  } catch (error) {
    log.error(`importing ${file.fsPath}: ${String(error)}`);
    await sayRefused(file, error instanceof makers.RefusedBundle ? error : null);
    return null;
  }
}

async function sayRefused(
  file: vscode.Uri,
  refused: { readonly line: number | null; readonly reason: string } | null,
): Promise<void> {
  const path = shownPath(file);
  if (refused === null) {
    await warn(
      vscode.l10n.t(
        '{0} was not imported: it could not be read or taken in. The output of Ledgerline has the details.',
        path,
      ),
    );
    return;
  }
  const reason = translatedSentence(refused.reason, vscode.l10n.t);
  await warn(
    refused.line === null
      ? vscode.l10n.t('{0} was not imported: {1}. Nothing was changed.', path, reason)
      : vscode.l10n.t(
          '{0} was not imported: line {1}: {2}. Nothing was changed.',
          path,
          refused.line,
          reason,
        ),
  );
}
