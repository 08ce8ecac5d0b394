import * as vscode from 'vscode';
import { retentionRules } from '../app/retention.ts';
import { Sessions } from '../app/sessions.ts';
import { StorageCare } from '../app/storage-care.ts';
import { nodeStorePorts } from '../app/node-ports.ts';
import { ownBytes } from '../storage/storage-use.ts';
import { StorageUseReader } from '../storage/use-reader.ts';
import type { Report } from '../presenter/report-text.ts';
import type { Say } from '../presenter/speech.ts';
import { hostSettings } from './host-settings.ts';
import type { ShownUse } from './session-uses.ts';
import { sizeText } from './sessions-tree.ts';
import { storageDocument } from './storage-document.ts';

/** What is stored now, for people. What keeps it from being exact is in it. */
export async function storageText(storage: string, say: Say): Promise<Report> {
  const sessions = new Sessions(storage, () => undefined);
  const report = await new StorageCare(storage, sessions, () => undefined).use(new AbortController().signal);
  const { settings } = hostSettings(null);
  const retention = { ...retentionRules(settings), trash_days_set: settings['retention.trashDays'] };
  return storageDocument(storage, report, retention, { say, size });
}

function size(bytes: number): string {
  return sizeText(bytes, vscode.env.language);
}

/** Those in their place, by their ids. */
export async function usedBySession(
  storage: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ShownUse>> {
  const { use } = await new StorageUseReader(
    nodeStorePorts(() => undefined),
    storage,
  ).read(signal);
  return new Map(
    use.sessions.flatMap((one) =>
      one.deleted_at === null ? [[one.key, { alone: ownBytes(one), shared: one.shared.bytes }]] : [],
    ),
  );
}
