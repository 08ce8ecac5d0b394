import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { stateWords } from './session-words.ts';
import { lookOf, relativeTime } from './sessions-tree.ts';

interface SessionPick extends vscode.QuickPickItem {
  readonly entry?: SessionEntry;
}

/** Lets the person choose one of the sessions; the one that is open comes first when something is done to it. */
export async function pickSession(
  entries: readonly SessionEntry[],
  options: { readonly title: string; readonly placeHolder: string; readonly current: string | null },
): Promise<SessionEntry | undefined> {
  const { title, placeHolder, current } = options;
  const isCurrent = (entry: SessionEntry): boolean => entry.session_id === current;
  const parts: readonly (readonly [string, readonly SessionEntry[]])[] = [
    [vscode.l10n.t('open'), entries.filter(isCurrent)],
    [vscode.l10n.t('pinned'), entries.filter((one) => !isCurrent(one) && one.pinned && !one.archived)],
    [vscode.l10n.t('sessions'), entries.filter((one) => !isCurrent(one) && !one.pinned && !one.archived)],
    [vscode.l10n.t('archived'), entries.filter((one) => !isCurrent(one) && one.archived)],
  ];
  const picked = await vscode.window.showQuickPick<SessionPick>(
    parts.flatMap(([label, some]) =>
      some.length === 0
        ? []
        : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...some.map((entry) => pickOf(entry))],
    ),
    {
      title,
      placeHolder: entries.length === 0 ? vscode.l10n.t('There is no session yet.') : placeHolder,
      matchOnDescription: true,
    },
  );
  return picked?.entry;
}

export function titleIn(entry: Pick<SessionEntry, 'title' | 'session_id'>): string {
  return entry.title === '' ? entry.session_id : entry.title;
}

function pickOf(entry: SessionEntry): SessionPick {
  const { icon, color } = lookOf(entry);
  const time = relativeTime(entry.updated_at, Date.now(), vscode.env.language);
  return {
    entry,
    label: titleIn(entry),
    description: `${stateWords(entry)} · ${time}`,
    iconPath: new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color)),
  };
}
