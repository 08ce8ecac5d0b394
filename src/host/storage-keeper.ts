import * as vscode from 'vscode';
import { retentionRules } from '../app/retention.ts';
import type { Retained, StorageCare } from '../app/storage-care.ts';
import type { CommandParts } from './command-parts.ts';
import { COMMANDS } from './contribution-ids.ts';
import { hostSettings } from './host-settings.ts';
import { inform } from './notifications.ts';
import { sizeText } from './sessions-tree.ts';
import { careIn, collectedWords } from './storage-commands.ts';

export type KeeperParts = Pick<CommandParts, 'storage' | 'sessions' | 'reports' | 'log'>;

/** Finishes what was cut off, and does what the retention settings want. Says what it did. */
export async function keepStorage(parts: KeeperParts, signal: AbortSignal): Promise<void> {
  const { log } = parts;
  const care = careIn(parts);
  const finished = (await care.finish()).filter(({ end }) => end === 'finished');
  if (finished.length > 0) {
    parts.reports.storageChanged();
    await say(vscode.l10n.t('A removal that had been cut off was finished: {0}.', finished.length));
  }
  const { settings, problems } = hostSettings(null);
  for (const { name, message } of problems) if (name.startsWith('retention.')) log.warn(message);
  const done = await care.retain(retentionRules(settings), signal);
  if (done === null) return;
  for (const reason of done.failed) log.warn(`removing a session from the trash: ${reason}`);
  if (done.contents !== null && done.contents.kind !== 'collected')
    log.warn(`collecting contents: ${JSON.stringify(done.contents)}`);
  for (const id of done.archived) parts.sessions.refresh(id);
  parts.reports.storageChanged();
  await sayRetained(parts, care, done, settings['retention.archiveAfterDays']);
}

async function sayRetained(
  parts: KeeperParts,
  care: StorageCare,
  { archived, removed, contents }: Retained,
  days: number,
): Promise<void> {
  const size = sizeText(removed.bytes, vscode.env.language);
  const collected = contents?.kind === 'collected' && contents.set_aside.count + contents.removed.count > 0;
  const words = [
    ...(archived.length === 0 ? [] : [archivedWords(archived.length, days)]),
    ...(removed.count === 0
      ? []
      : [
          removed.count === 1
            ? vscode.l10n.t('1 session was removed from the trash for good: {0}.', size)
            : vscode.l10n.t('{0} sessions were removed from the trash for good: {1}.', removed.count, size),
        ]),
    ...(collected ? [collectedWords(contents)] : []),
  ];
  if (words.length === 0) return;
  const undo = vscode.l10n.t('Undo');
  const pressed = await say(words.join(' '), ...(archived.length === 0 ? [] : [undo]));
  if (pressed !== undo) return;
  const sessions = await parts.sessions.sessions();
  for (const id of archived) {
    await sessions.mark(id, { archived: false });
    parts.sessions.refresh(id);
  }
}

function archivedWords(count: number, days: number): string {
  return count === 1
    ? vscode.l10n.t('1 session was archived, unused for {0} days.', days)
    : vscode.l10n.t('{0} sessions were archived, unused for {1} days.', count, days);
}

/** With the way to where it can be looked at. */
async function say(words: string, ...buttons: readonly string[]): Promise<string | undefined> {
  const show = vscode.l10n.t('Show');
  const pressed = await inform(words, show, ...buttons);
  if (pressed === show) await vscode.commands.executeCommand(COMMANDS.showStorage);
  return pressed;
}
