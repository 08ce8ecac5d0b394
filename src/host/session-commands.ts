import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { SessionCommand } from './contribution-ids.ts';
import { fork, forkHere } from './fork-commands.ts';
import { inform } from './notifications.ts';
import { deleteSession, restoreSession } from './session-deletion.ts';
import { exportSession } from './session-export.ts';
import { searchInSessions } from './session-search-picker.ts';
import { sessionIdIn } from './session-argument.ts';
import { pickSession, type PickOptions } from './session-picker.ts';
import type { ForPage } from './shown-conversation.ts';

type ChosenReveal = Extract<ForPage, { type: 'reveal' }>;

/** Commands that choose a session, say something about it, or take it elsewhere. */
export function sessionCommands(parts: CommandParts): Record<SessionCommand, CommandHandler> {
  const { chat } = parts;
  const marking =
    (mark: { pinned?: boolean; archived?: boolean }, title: string): CommandHandler =>
    (session) =>
      withSession(parts, session, { title, fits: (entry) => wouldChange(entry, mark) }, async (entry) => {
        await (await parts.sessions.sessions()).mark(entry.session_id, mark);
        parts.sessions.refresh(entry.session_id);
      });
  return {
    openSession: (session) => openSession(parts, session),
    fork: (session) => fork(parts, session),
    forkHere: (place) => forkHere(parts, place, { summary: false }),
    forkHereWithSummary: (place) => forkHere(parts, place, { summary: true }),
    exportSession: async (session) =>
      exportSession(parts, sessionIdIn(session) ?? (await chat.host()).sessionId),
    importSession: async () => (await import('./session-import.ts')).importSession(parts),
    renameSession: (session) =>
      withSession(parts, session, { title: vscode.l10n.t('Rename session') }, (entry) =>
        rename(parts, entry),
      ),
    pinSession: marking({ pinned: true }, vscode.l10n.t('Pin session')),
    unpinSession: marking({ pinned: false }, vscode.l10n.t('Unpin session')),
    archiveSession: marking({ archived: true }, vscode.l10n.t('Archive session')),
    unarchiveSession: marking({ archived: false }, vscode.l10n.t('Take session out of the archive')),
    deleteSession: (session) =>
      withSession(
        parts,
        session,
        { title: vscode.l10n.t('Delete session'), begin: 'nowhere' },
        async (entry, all) => deleteSession(parts, entry, all),
      ),
    restoreSession: async (name) => restoreSession(parts, name),
    searchSessions: () => search(parts),
    copySessionId: (session) =>
      withSession(parts, session, { title: vscode.l10n.t('Copy session id') }, async ({ session_id }) =>
        vscode.env.clipboard.writeText(session_id),
      ),
  };
}

function wouldChange(entry: SessionEntry, mark: { pinned?: boolean; archived?: boolean }): boolean {
  return (
    (mark.pinned ?? entry.pinned) !== entry.pinned || (mark.archived ?? entry.archived) !== entry.archived
  );
}

/** Works on the session that is meant, or on the one that the person then chooses. */
async function withSession(
  { chat, sessions }: CommandParts,
  argument: unknown,
  options: {
    readonly title: string;
    readonly fits?: (entry: SessionEntry) => boolean;
    readonly begin?: PickOptions['begin'];
  },
  work: (entry: SessionEntry, all: readonly SessionEntry[]) => Promise<void>,
): Promise<void> {
  const entries = await sessions.all();
  const id = sessionIdIn(argument);
  const entry =
    id === null
      ? await pickSession(entries, {
          title: options.title,
          fits: options.fits,
          placeHolder: vscode.l10n.t('Sessions of this workspace'),
          open: (await chat.host()).sessionId,
          begin: options.begin ?? 'open',
        })
      : entries.find((one) => one.session_id === id);
  if (entry !== undefined) return work(entry, entries);
  if (id !== null)
    await inform(vscode.l10n.t('This session has no log yet. It begins with the first message.'));
}

async function openSession({ chat, sessions, agents }: CommandParts, argument: unknown): Promise<void> {
  const named = sessionIdIn(argument);
  const chosen =
    named ??
    (
      await pickSession(await sessions.all(), {
        title: vscode.l10n.t('Open session'),
        placeHolder: vscode.l10n.t('Sessions of this workspace'),
        open: (await chat.knownFacts()).session_id,
        begin: 'first',
      })
    )?.session_id;
  if (chosen === undefined) return;
  // Opened again, it would be closed first, and what runs in it with it: what is in view somewhere is shown there. A child has a tab of its own: it does not take the place of the session that it works for.
  if ((await (await agents.panels()).show(chosen)) === 'shown') return;
  await chat.present({ type: 'open_session', session_id: chosen });
}

async function rename({ sessions }: CommandParts, entry: SessionEntry): Promise<void> {
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename session'),
    prompt: vscode.l10n.t('Empty gives it back the first line of its first message.'),
    value: entry.title,
  });
  if (title === undefined || title.trim() === entry.title) return;
  await (await sessions.sessions()).rename(entry.session_id, title);
  sessions.refresh(entry.session_id);
}

async function search({ chat, sessions, agents, log }: CommandParts): Promise<void> {
  const place = await searchInSessions(await sessions.sessions(), await sessions.all(), log);
  if (place === undefined) return;
  const { session_id, turn_id, seq } = place;
  const found: ChosenReveal =
    turn_id === null
      ? { v: 1, type: 'reveal', what: 'composer' }
      : { v: 1, type: 'reveal', what: 'turn', turn_id, ...(seq === null ? {} : { seq }) };
  if ((await (await agents.panels()).show(session_id, found)) === 'shown') return;
  await chat.present({ type: 'open_session', session_id });
  // One that could not be opened has been told of.
  if (session_id === (await chat.host()).sessionId) await chat.tell(found);
}
