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
  const taken = await whileShown(
    vscode.ProgressLocation.Notification,
    vscode.l10n.t('Checking the bundle…'),
    () => take(parts, file),
  );
  // Said when the work is no longer shown: whoever reads it may take their time.
  if (taken.kind === 'refused') return sayRefused(file, taken.refused);
  const { session_id } = taken;
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

interface Refused {
  readonly line: number | null;
  readonly reason: string;
}

type Taken =
  | { readonly kind: 'taken'; readonly session_id: string }
  /** Null where the file or the disk failed. */
  | { readonly kind: 'refused'; readonly refused: Refused | null };

async function take({ storage, log }: Parts, file: vscode.Uri): Promise<Taken> {
  const makers = await import('./export-makers.ts');
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > makers.LARGEST_BUNDLE) throw new makers.RefusedBundle(null, 'the file is too large');
    const bytes = await vscode.workspace.fs.readFile(file);
    const store = new makers.SessionStore(
      makers.nodeStorePorts((text) => log.warn(text)),
      storage,
    );
    const { session_id } = await makers.importBundle(store, bytes);
    return { kind: 'taken', session_id };
  } catch (error) {
    log.error(`importing ${file.fsPath}: ${String(error)}`);
    return { kind: 'refused', refused: error instanceof makers.RefusedBundle ? error : null };
  }
}

async function sayRefused(file: vscode.Uri, refused: Refused | null): Promise<void> {
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
