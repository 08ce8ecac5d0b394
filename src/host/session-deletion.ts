import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import type { Moved, Trashed } from '../storage/trash.ts';
import type { CommandParts } from './command-parts.ts';
import { inform, insist, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { titleIn } from './session-picker.ts';
import { relativeTime, sizeText } from './sessions-tree.ts';

type Parts = Pick<CommandParts, 'chat' | 'sessions'>;

/** Into the trash. The one that is open is closed first, and the chat then shows a new one. */
export async function deleteSession(parts: Parts, entry: SessionEntry): Promise<void> {
  const { chat, sessions } = parts;
  const host = await chat.host();
  const { session_id } = entry;
  const wasOpen = host.sessionId === session_id;
  if (wasOpen && entry.state === 'running' && !(await mayStop(entry))) return;
  if (wasOpen && entry.state === 'running') await host.receive({ type: 'stop' });
  if (wasOpen) await host.receive({ type: 'new_session' });
  const moved = await (await sessions.sessions()).delete(session_id);
  sessions.refresh(session_id);
  if (moved.kind !== 'moved') {
    if (wasOpen) await host.receive({ type: 'open_session', session_id });
    return say(moved);
  }
  const undo = vscode.l10n.t('Undo');
  const answer = await inform(
    vscode.l10n.t('“{0}” was deleted. The trash of this workspace keeps it.', titleIn(entry)),
    undo,
  );
  if (answer !== undo) return;
  await restore(parts, moved.name, session_id);
  if (wasOpen) await chat.present({ type: 'open_session', session_id });
}

async function mayStop(entry: SessionEntry): Promise<boolean> {
  const yes = { title: vscode.l10n.t('Stop and delete') };
  const question = vscode.l10n.t('“{0}” is working. Deleting it stops that.', titleIn(entry));
  return (await insist(question, yes)) === yes;
}

interface TrashPick extends vscode.QuickPickItem {
  readonly trashed: Trashed;
}

export async function restoreSession(parts: Parts): Promise<void> {
  const { language } = vscode.env;
  const found = await (await parts.sessions.sessions()).deleted();
  const picked = await chooseOne<TrashPick>(
    found.map((trashed) => ({
      trashed,
      label: titleIn(trashed),
      description: relativeTime(trashed.deleted_at, Date.now(), language),
      detail: [
        trashed.session_id,
        sizeText(trashed.size, language),
        ...(trashed.problem === null ? [] : [translatedSentence(trashed.problem, vscode.l10n.t)]),
      ].join(' · '),
    })),
    {
      title: vscode.l10n.t('Restore deleted session'),
      placeHolder:
        found.length === 0
          ? vscode.l10n.t('The trash is empty.')
          : vscode.l10n.t('Deleted sessions; the trash keeps them until you restore them'),
      matchOnDetail: true,
    },
  );
  if (picked === undefined) return;
  const { name, session_id } = picked.trashed;
  if (await restore(parts, name, session_id)) await parts.chat.present({ type: 'open_session', session_id });
}

async function restore({ sessions }: Parts, name: string, sessionId: string): Promise<boolean> {
  const moved = await (await sessions.sessions()).restore(name);
  sessions.refresh(sessionId);
  if (moved.kind !== 'moved') await say(moved);
  return moved.kind === 'moved';
}

async function say(moved: Exclude<Moved, { kind: 'moved' }>): Promise<void> {
  await warn(refusal(moved));
}

function refusal(moved: Exclude<Moved, { kind: 'moved' }>): string {
  switch (moved.kind) {
    case 'held':
      return moved.by === null
        ? vscode.l10n.t('The session is open in another window. Nothing was changed; close it there first.')
        : vscode.l10n.t(
            'The session is open in another window (process {0}). Nothing was changed; close it there first.',
            moved.by.pid,
          );
    case 'missing':
      return vscode.l10n.t('The session has no log, or it is gone. Nothing was changed.');
    case 'exists':
      return vscode.l10n.t('There is a session with this id again. Nothing was changed.');
  }
}
