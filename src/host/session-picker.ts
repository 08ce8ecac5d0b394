import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { chooseDeliberately, chooseOne } from './pick-lists.ts';
import { sessionFamilies } from './session-families.ts';
import { stateWords, whoseWords } from './session-words.ts';
import { foreign } from './shown-text.ts';
import { lookOf, relativeTime, titlesOf } from './sessions-tree.ts';

interface SessionPick extends vscode.QuickPickItem {
  readonly entry?: SessionEntry;
}

export interface PickOptions {
  readonly title: string;
  readonly placeHolder: string;
  /** The session in the chat. */
  readonly open: string | null;
  /**
   * Where the list begins. The open one is the likely one when something is done to a session, not when one is opened;
   * where Enter, pressed too soon, would do harm, it begins nowhere.
   */
  readonly begin: 'open' | 'first' | 'nowhere';
  /** Which of them can be chosen; all where nothing is said. */
  readonly fits?: ((entry: SessionEntry) => boolean) | undefined;
}

/** Lets the person choose one of the sessions. Children come last: there may be many, and typing finds them. */
export async function pickSession(
  all: readonly SessionEntry[],
  { title, placeHolder, open, begin, fits = () => true }: PickOptions,
): Promise<SessionEntry | undefined> {
  const entries = all.filter(fits);
  const isFirst = (entry: SessionEntry): boolean => begin === 'open' && entry.session_id === open;
  const others = sessionFamilies(all).roots.filter(
    (one) => one.parent === null && fits(one) && !isFirst(one),
  );
  const children = entries.filter((one) => one.parent !== null && !isFirst(one));
  const parts = [
    { label: vscode.l10n.t('open'), some: entries.filter(isFirst) },
    { label: vscode.l10n.t('pinned'), some: others.filter((one) => one.pinned && !one.archived) },
    { label: vscode.l10n.t('sessions'), some: others.filter((one) => !one.pinned && !one.archived) },
    { label: vscode.l10n.t('archived'), some: others.filter((one) => one.archived) },
    { label: vscode.l10n.t('agents'), some: children },
  ].filter(({ some }) => some.length > 0);
  const titles = titlesOf(all);
  const choose = begin === 'nowhere' ? chooseDeliberately : chooseOne;
  const picked = await choose<SessionPick>(
    parts.flatMap(({ label, some }) => {
      const picks = some.map((entry) => pickOf(entry, { titles, isOpen: entry.session_id === open }));
      return parts.length === 1 ? picks : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...picks];
    }),
    {
      title,
      placeHolder: entries.length === 0 ? vscode.l10n.t('There is no session yet.') : placeHolder,
      matchOnDescription: true,
    },
  );
  return picked?.entry;
}

/** The first line of a prompt may be anything: as it is shown outside of the chat. */
export function titleIn(entry: Pick<SessionEntry, 'title' | 'session_id'>): string {
  const title = foreign(entry.title);
  return title === '' ? entry.session_id : title;
}

function pickOf(
  entry: SessionEntry,
  { titles, isOpen }: { readonly titles: ReadonlyMap<string, string>; readonly isOpen: boolean },
): SessionPick {
  const { icon, color } = lookOf(entry);
  const time = relativeTime(entry.updated_at, Date.now(), vscode.env.language);
  return {
    entry,
    label: titleIn(entry),
    description: [
      ...(isOpen ? [vscode.l10n.t('open')] : []),
      ...whoseWords(entry, titles),
      stateWords(entry),
      time,
    ].join(' · '),
    iconPath: new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color)),
  };
}
