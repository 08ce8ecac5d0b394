import * as vscode from 'vscode';
import {
  deleteFamily,
  restoreFamily,
  trashedFamilies,
  type MovedChild,
  type MovedFamily,
} from '../app/family-moves.ts';
import type { SessionEntry } from '../app/sessions.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { descendantsOf, familiesOf } from '../presenter/session-families.ts';
import type { Moved, Trashed } from '../storage/trash.ts';
import type { CommandParts } from './command-parts.ts';
import { inform, insist, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { titleIn } from './session-picker.ts';
import { relativeTime, sizeText } from './sessions-tree.ts';
import { foreign } from './shown-text.ts';

type Parts = Pick<CommandParts, 'chat' | 'sessions' | 'agents'>;

/**
 * Into the trash, with its children. The one that is open is closed first, and the chat then shows a new one; tabs with
 * transcripts of them go.
 */
export async function deleteSession(
  parts: Parts,
  entry: SessionEntry,
  all: readonly SessionEntry[],
): Promise<void> {
  const { chat, sessions, agents } = parts;
  const host = await chat.host();
  const { session_id } = entry;
  const children = descendantsOf(familiesOf(all), session_id).map((one) => one.session_id);
  const open = host.sessionId;
  const wasOpen = open === session_id || children.includes(open);
  const isWorking = wasOpen && all.some((one) => one.session_id === open && one.state === 'running');
  if ((isWorking || children.length > 0) && !(await mayDelete(entry, { isWorking, children }))) return;
  await agents.close([session_id, ...children]);
  if (isWorking) await host.receive({ type: 'stop' });
  if (wasOpen) await host.receive({ type: 'new_session' });
  const family = await deleteFamily(await sessions.sessions(), session_id, children);
  refresh(parts, session_id, children);
  if (family.moved.kind !== 'moved') {
    if (wasOpen) await host.receive({ type: 'open_session', session_id: open });
    return say(family.moved, entry);
  }
  const undo = vscode.l10n.t('Undo');
  if ((await sayDeleted(entry, family, undo)) !== undo) return;
  await restore(parts, family.moved.name, session_id);
  if (wasOpen) await chat.present({ type: 'open_session', session_id: open });
}

async function mayDelete(
  entry: SessionEntry,
  { isWorking, children }: { readonly isWorking: boolean; readonly children: readonly string[] },
): Promise<boolean> {
  const title = titleIn(entry);
  const questions = [
    ...(isWorking ? [vscode.l10n.t('“{0}” is working. Deleting it stops that.', title)] : []),
    ...(children.length === 0 ? [] : [childrenQuestion(title, children.length)]),
  ];
  const yes = { title: isWorking ? vscode.l10n.t('Stop and delete') : vscode.l10n.t('Delete') };
  return (await insist(questions.join(' '), yes)) === yes;
}

function childrenQuestion(title: string, count: number): string {
  return count === 1
    ? vscode.l10n.t('“{0}” has 1 agent with a log of its own, which goes to the trash with it.', title)
    : vscode.l10n.t(
        '“{0}” has {1} agents with logs of their own, which go to the trash with it.',
        title,
        count,
      );
}

async function sayDeleted(
  entry: SessionEntry,
  { children }: MovedFamily,
  undo: string,
): Promise<string | undefined> {
  const title = titleIn(entry);
  const left = children.filter(({ moved }) => moved.kind !== 'moved');
  if (left.length > 0)
    return warn(
      [
        vscode.l10n.t(
          '“{0}” was deleted, but {1} of its {2} agents could not be, and stand in the list by themselves.',
          title,
          left.length,
          children.length,
        ),
        ...reasonsOf(left),
      ].join(' '),
      undo,
    );
  if (children.length === 0)
    return inform(vscode.l10n.t('“{0}” was deleted. The trash of this workspace keeps it.', title), undo);
  return inform(
    children.length === 1
      ? vscode.l10n.t('“{0}” and its agent were deleted. The trash of this workspace keeps them.', title)
      : vscode.l10n.t(
          '“{0}” and its {1} agents were deleted. The trash of this workspace keeps them.',
          title,
          children.length,
        ),
    undo,
  );
}

/** Each once: there may be many, and few reasons. */
function reasonsOf(left: readonly MovedChild[]): readonly string[] {
  return [
    ...new Set(
      left.flatMap(({ moved }) => {
        if (moved.kind === 'moved') return [];
        return [moved.kind === 'failed' ? foreign(moved.reason) : refusal(moved, null)];
      }),
    ),
  ];
}

interface TrashPick extends vscode.QuickPickItem {
  readonly trashed: Trashed;
}

/** The one of that name in the trash, or one that the person chooses. */
export async function restoreSession(parts: Parts, name?: unknown): Promise<void> {
  const trashed = await (await parts.sessions.sessions()).deleted();
  const chosen =
    typeof name === 'string' ? trashed.find((one) => one.name === name) : await pickTrashed(trashed);
  if (chosen === undefined) return;
  const { session_id } = chosen;
  if (!(await restore(parts, chosen.name, session_id))) return;
  if ((await (await parts.agents.panels()).show(session_id)) === 'shown') return;
  await parts.chat.present({ type: 'open_session', session_id });
}

/** What was deleted with its parent comes back with it, and is not listed by itself. */
async function pickTrashed(all: readonly Trashed[]): Promise<Trashed | undefined> {
  const { language } = vscode.env;
  const families = trashedFamilies(all);
  const picked = await chooseOne<TrashPick>(
    families.roots.map((trashed) => ({
      trashed,
      label: titleIn(trashed),
      description: relativeTime(trashed.deleted_at, Date.now(), language),
      detail: [
        trashed.session_id,
        sizeText(trashed.size, language),
        ...withChildren(descendantsOf(families, trashed.session_id).length),
        ...(trashed.problem === null ? [] : [translatedSentence(trashed.problem, vscode.l10n.t)]),
      ].join(' · '),
    })),
    {
      title: vscode.l10n.t('Restore deleted session'),
      placeHolder:
        families.roots.length === 0
          ? vscode.l10n.t('The trash is empty.')
          : vscode.l10n.t('Deleted sessions; the trash keeps them for at least 30 days'),
      matchOnDetail: true,
    },
  );
  return picked?.trashed;
}

function withChildren(count: number): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? vscode.l10n.t('with 1 agent') : vscode.l10n.t('with {0} agents', count)];
}

async function restore(parts: Parts, name: string, sessionId: string): Promise<boolean> {
  const { moved, children } = await restoreFamily(await parts.sessions.sessions(), name);
  refresh(
    parts,
    sessionId,
    children.map((one) => one.session_id),
  );
  if (moved.kind !== 'moved') await say(moved, null);
  const left = children.filter((one) => one.moved.kind !== 'moved');
  if (left.length > 0)
    await warn(
      [
        vscode.l10n.t('{0} of {1} agents could not be restored.', left.length, children.length),
        ...reasonsOf(left),
      ].join(' '),
    );
  return moved.kind === 'moved';
}

function refresh({ sessions }: Parts, sessionId: string, children: readonly string[]): void {
  for (const id of [sessionId, ...children]) sessions.refresh(id);
}

type NotMoved = Exclude<Moved, { kind: 'moved' }>;

async function say(moved: NotMoved, entry: SessionEntry | null): Promise<void> {
  await warn(refusal(moved, entry));
}

function refusal(moved: NotMoved, entry: SessionEntry | null): string {
  switch (moved.kind) {
    case 'held':
      if (moved.by !== null && moved.by.pid === process.pid && entry?.parent !== null)
        return vscode.l10n.t('The agent is working for another session. Stop it there first.');
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
