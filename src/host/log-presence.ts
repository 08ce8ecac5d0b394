import * as vscode from 'vscode';
import { sessionPaths } from '../storage/session-paths.ts';
import { exists } from './file-presence.ts';
import { inform } from './notifications.ts';

/** Says so to the person where there is none. */
export async function hasLog(storage: string, sessionId: string): Promise<boolean> {
  if (await exists(vscode.Uri.file(sessionPaths(storage, sessionId).log))) return true;
  await inform(vscode.l10n.t('This session has no log yet. It begins with the first message.'));
  return false;
}
