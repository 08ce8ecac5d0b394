import * as vscode from 'vscode';
import type { RemovalEnd } from '../storage/storage-keeping.ts';
import type { Collected } from '../storage/blob-collector.ts';
import { Sessions } from '../app/sessions.ts';
import { StorageCare } from '../app/storage-care.ts';
import type { Trashed } from '../storage/trash.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { StorageCommand } from './contribution-ids.ts';
import { inform, insistOn, warn } from './notifications.ts';
import { chooseDeliberately } from './pick-lists.ts';
import { titleIn } from './session-picker.ts';
import { relativeTime, sizeText } from './sessions-tree.ts';
import { foreign } from './shown-text.ts';
import { saidWhileSlow } from './slow-work.ts';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;
/** The most that a question names one by one. */
const NAMED = 8;

type Parts = Pick<CommandParts, 'storage' | 'sessions' | 'reports' | 'log'>;

/** Commands about the storage as a whole. What cannot be taken back is asked, and its button is never the first. */
export function storageCommands(parts: Parts): Record<StorageCommand, CommandHandler> {
  return {
    showStorage: async () => {
      await parts.reports.show({ kind: 'storage' });
    },
    collectContents: () => collectContents(parts),
    emptyTrash: () => emptyTrash(parts),
    removeDeletedSession: (name) => removeDeletedSession(parts, name),
  };
}

export function careIn({ storage, log }: Pick<Parts, 'storage' | 'log'>): StorageCare {
  const tell = (message: string): void => log.warn(message);
  return new StorageCare(storage, new Sessions(storage, tell), tell);
}

function size(bytes: number): string {
  return sizeText(bytes, vscode.env.language);
}

/** Waits for work that reads much, with a way to end it; undefined where the person did. */
async function reading<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const end = new AbortController();
  try {
    return await saidWhileSlow(vscode.l10n.t('Reading the storage…'), work(end.signal), () => end.abort());
  } catch (error) {
    if (end.signal.aborted) return undefined;
    throw error;
  }
}

/** Nothing is asked: what is set aside is kept, and comes back by itself when it is wanted. */
async function collectContents(parts: Parts): Promise<void> {
  const care = careIn(parts);
  const done = await reading((signal) => care.collect(signal));
  if (done === undefined) return;
  parts.reports.storageChanged();
  await (done.kind === 'collected' ? inform(collectedWords(done)) : warn(refusal(done)));
}

export function collectedWords({ set_aside, removed }: Extract<Collected, { kind: 'collected' }>): string {
  const gone =
    removed.count === 0
      ? []
      : [
          vscode.l10n.t(
            'Removed for good, since nothing had named it for 30 days: {0}, {1}.',
            contents(removed.count),
            size(removed.bytes),
          ),
        ];
  if (set_aside.count === 0 && removed.count === 0)
    return vscode.l10n.t(
      'Every content is named by something, or is younger than a day. Nothing was changed.',
    );
  if (set_aside.count === 0) return gone.join(' ');
  return [
    vscode.l10n.t(
      'Set aside, since nothing names it any more: {0}, {1}. What is set aside is kept for 30 days, and comes back by itself when it is wanted.',
      contents(set_aside.count),
      size(set_aside.bytes),
    ),
    ...gone,
  ].join(' ');
}

function contents(count: number): string {
  return count === 1 ? vscode.l10n.t('1 content') : vscode.l10n.t('{0} contents', count);
}

async function emptyTrash(parts: Parts): Promise<void> {
  const care = careIn(parts);
  const report = await reading((signal) => care.use(signal));
  if (report === undefined) return;
  const due = report.sessions.filter(
    ({ kept_since }) => kept_since !== null && Date.now() - kept_since >= KEPT_DAYS * DAY_MS,
  );
  const bytes = due.reduce((sum, { log, beside }) => sum + log + beside, 0);
  if (due.length === 0) {
    await inform(vscode.l10n.t('Nothing in the trash is older than 30 days. Nothing was changed.'));
    return;
  }
  const yes: vscode.MessageItem = { title: vscode.l10n.t('Remove for good') };
  const question =
    due.length === 1
      ? vscode.l10n.t('Remove 1 session for good? It was deleted more than 30 days ago.')
      : vscode.l10n.t('Remove {0} sessions for good? They were deleted more than 30 days ago.', due.length);
  const listed = due.slice(0, NAMED).map((one) => `• ${titleIn(one)} (${size(one.log + one.beside)})`);
  const rest = due.length > NAMED ? [vscode.l10n.t('and {0} more', due.length - NAMED)] : [];
  const frees = vscode.l10n.t('This frees {0} and cannot be undone.', size(bytes));
  const detail = [...listed, ...rest, '', frees].join('\n');
  if ((await insistOn(question, detail, keepItem(), yes)) !== yes) return;
  const ends = await care.removeOld(due.map(({ key }) => key));
  parts.reports.storageChanged();
  parts.sessions.refresh();
  if ('kind' in ends) return void (await warn(refusal(ends)));
  const removed = [...ends.values()].filter((end) => end.kind === 'removed');
  const failed = [...ends.values()].find((end) => end.kind !== 'removed');
  const gone = removed.reduce((sum, end) => sum + end.bytes, 0);
  const said =
    removed.length === 1
      ? vscode.l10n.t('1 session was removed for good: {0}.', size(gone))
      : vscode.l10n.t('{0} sessions were removed for good: {1}.', removed.length, size(gone));
  const after = await reading((signal) => care.collect(signal));
  parts.reports.storageChanged();
  const isMore = after?.kind === 'collected' && after.set_aside.count + after.removed.count > 0;
  const words = isMore ? `${said} ${collectedWords(after)}` : said;
  await (failed === undefined ? inform(words) : warn(`${words} ${refusal(failed)}`));
}

interface TrashPick extends vscode.QuickPickItem {
  readonly trashed: Trashed;
}

/** A person must be able to get rid of a secret. Never before a question that names the session. */
async function removeDeletedSession(parts: Parts, name: unknown): Promise<void> {
  const deleted = await (await parts.sessions.sessions()).deleted();
  const { language } = vscode.env;
  const trashed =
    typeof name === 'string'
      ? deleted.find((one) => one.name === name)
      : (
          await chooseDeliberately<TrashPick>(
            deleted.map((one) => ({
              trashed: one,
              label: titleIn(one),
              description: relativeTime(one.deleted_at, Date.now(), language),
              detail: `${one.session_id} · ${size(one.size)}`,
            })),
            {
              title: vscode.l10n.t('Remove a deleted session for good'),
              placeHolder:
                deleted.length === 0
                  ? vscode.l10n.t('The trash is empty.')
                  : vscode.l10n.t('Choose the one that has to go; you are asked again'),
            },
          )
        )?.trashed;
  if (trashed === undefined) return;
  const yes: vscode.MessageItem = { title: vscode.l10n.t('Remove for good') };
  const { kept_since } = trashed;
  const isEarly = kept_since === null || Date.now() - kept_since < KEPT_DAYS * DAY_MS;
  const question = isEarly
    ? vscode.l10n.t('Remove “{0}” for good, before its 30 days are over?', titleIn(trashed))
    : vscode.l10n.t('Remove “{0}” for good?', titleIn(trashed));
  const detail = vscode.l10n.t(
    'Its log goes, with its name, what was typed and not sent, and all contents that nothing else names. What other sessions share stays, and so do its forks and agents, which have logs of their own. This cannot be undone.',
  );
  if ((await insistOn(question, `${trashed.session_id}\n\n${detail}`, keepItem(), yes)) !== yes) return;
  const care = careIn(parts);
  const end = await reading((signal) => care.removeNow(trashed.name, signal));
  if (end === undefined) return;
  parts.reports.storageChanged();
  parts.sessions.refresh();
  if (end.kind === 'removed')
    await inform(vscode.l10n.t('“{0}” was removed for good: {1}.', titleIn(trashed), size(end.bytes)));
  else await warn(refusal(end));
}

/** The first of them: Enter, pressed at once, removes nothing. As the one for Escape it would not be the first. */
function keepItem(): vscode.MessageItem {
  return { title: vscode.l10n.t('Keep') };
}

type Refused =
  | Exclude<RemovalEnd, { kind: 'removed' }>
  | Exclude<Collected, { kind: 'collected' }>
  | { readonly kind: 'busy' };

export function refusal(end: Refused): string {
  switch (end.kind) {
    case 'busy':
      return vscode.l10n.t(
        'Another window is tidying up the storage. Nothing was changed; try again in a moment.',
      );
    case 'unreadable':
      return vscode.l10n.t(
        '{0} cannot be read, so it is not known what it names. Nothing was changed. {1}',
        foreign(end.path === '' ? vscode.l10n.t('The storage folder') : end.path),
        foreign(end.reason),
      );
    case 'unsettled':
      return vscode.l10n.t('Too much is being written at the moment. Nothing was changed; try again later.');
    case 'fresh':
      return vscode.l10n.t(
        'Contents of the session were written less than 5 minutes ago, and may be in use. Nothing was changed; try again in 5 minutes.',
      );
    case 'kept':
      return vscode.l10n.t('The trash keeps it for 30 days. Nothing was changed.');
    case 'held':
      return vscode.l10n.t(
        'The session is open in another window. Nothing was changed; close it there first.',
      );
    case 'missing':
      return vscode.l10n.t('The session is not in the trash any more. Nothing was changed.');
    case 'failed':
      return vscode.l10n.t('The disk refused: {0}', foreign(end.reason));
  }
}
