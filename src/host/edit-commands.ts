import * as vscode from 'vscode';
import type { UndoPreview } from '../app/undo-preview.ts';
import type { ChangeReading } from '../app/changes.ts';
import { OF_PARENT } from '../app/undo-refusals.ts';
import type { Way } from '../runtime/turn-changes.ts';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import type { EditCommand } from './contribution-ids.ts';
import { REDO_SCHEME, UNDO_SCHEME } from './contribution-ids.ts';
import { inform } from './notifications.ts';
import { chooseOne, chooseSome } from './pick-lists.ts';
import { foreign } from './shown-text.ts';
import { mergePlaceOf, placeOf, type UndoPlace } from './undo-place.ts';
import { manyTitle, shownMark } from './undo-preview.ts';
import { fileWords } from './undo-words.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';

/** Commands about what was changed in files. */
export function editCommands(parts: CommandParts): Record<EditCommand, CommandHandler> {
  const { chat, proposals } = parts;
  return {
    undoTurn: () => undoTurn(chat, 'undo'),
    redoTurn: () => undoTurn(chat, 'redo'),
    previewUndo: () => previewUndo(chat),
    mergeUndo: (place) => mergeUndo(chat, place),
    confirmUndo: (shown) => confirm(parts, 'undo', shown),
    confirmRedo: (shown) => confirm(parts, 'redo', shown),
    applyCode: () => proposals.apply(),
    discardCode: () => proposals.discard(),
  };
}

/** A conversation and its last turn. */
type Chat = Pick<ChatView, 'knownFacts' | 'host' | 'present'>;

async function lastPreview(chat: Chat, way: Way): Promise<UndoPreview | null> {
  const { turn_id } = await chat.knownFacts();
  return turn_id === null ? null : (await chat.host()).changes.preview({ turn_id, way });
}

interface Row extends vscode.QuickPickItem {
  /** Null for what is only told. */
  readonly path: string | null;
}

/** The last turn, whole; of several files, or where something stays, the person says which. */
export async function undoTurn(chat: Chat, way: Way): Promise<void> {
  const preview = await lastPreview(chat, way);
  const paths = preview === null ? [] : [...preview.files, ...preview.refusals].map(({ path }) => path);
  if (preview === null || paths.length === 0) return sayNothing(way, preview);
  const { turn_id } = preview;
  const rows = rowsOf(preview);
  if (rows.length === 1) return chat.present({ type: way, turn_id });
  const picked = await chooseSome(rows, {
    title:
      way === 'undo'
        ? vscode.l10n.t('Undo changes of the last turn')
        : vscode.l10n.t('Redo changes of the last turn'),
    placeHolder:
      way === 'undo' ? vscode.l10n.t('Files to put back') : vscode.l10n.t('Files whose undo is taken back'),
  });
  const wanted = picked?.flatMap(({ path }) => (path === null ? [] : [path])) ?? [];
  if (wanted.length === paths.length) return chat.present({ type: way, turn_id });
  for (const path of wanted) await chat.present({ type: way, turn_id, path });
}

/** Of a line in a list. */
const LONGEST_PATH = 300;

/** What cannot be undone is in the list as well: it says so, and to pick it does nothing. */
function rowsOf({ files, refusals, commands, children }: UndoPreview): readonly Row[] {
  const { t } = vscode.l10n;
  return [
    ...files.map((file) => ({
      path: file.path,
      label: foreign(file.path, LONGEST_PATH),
      picked: true,
      description: fileWords(file, t),
      ...(file.note === null ? {} : { detail: translatedSentence(file.note, t) }),
    })),
    ...refusals.map(({ path, message }) => ({
      path,
      label: foreign(path, LONGEST_PATH),
      picked: false,
      description: t('is left as it is'),
      detail: translatedSentence(message, t),
    })),
    ...commands.map(({ command }) => ({
      path: null,
      label: foreign(command),
      picked: false,
      description: t('command: what it did cannot be undone'),
    })),
    ...(children === 0
      ? []
      : [
          {
            path: null,
            label: t('Files that subagents of this turn changed'),
            picked: false,
            description: t('undo them in their transcripts'),
          },
        ]),
  ];
}

async function sayNothing(way: Way, preview: UndoPreview | null): Promise<void> {
  if (preview?.inherited === true) return sayOfParent();
  const { t } = vscode.l10n;
  const nothing =
    way === 'undo'
      ? t('There is nothing to undo: the last turn changed no file, or it was undone before.')
      : t('There is nothing to redo: nothing of the last turn was undone.');
  const { commands = [], children = 0 } = preview ?? {};
  const after =
    commands.length === 0 ? nothing : t('{0} What its commands did cannot be undone here.', nothing);
  await inform(
    children === 0 ? after : t('{0} What its subagents changed is undone in their transcripts.', after),
  );
}

async function sayOfParent(): Promise<void> {
  await inform(translatedSentence(OF_PARENT, vscode.l10n.t));
}

async function previewUndo(chat: Chat): Promise<void> {
  const preview = await lastPreview(chat, 'undo');
  if (preview === null || preview.files.length + preview.refusals.length === 0)
    return sayNothing('undo', preview);
  await chat.present({ type: 'preview_undo', turn_id: preview.turn_id });
}

/** Of the file that a button names, or of one that has changed since and is picked. */
async function mergeUndo(chat: Chat, argument: unknown): Promise<void> {
  const place = argument === undefined ? await pickMerge(chat) : mergePlaceOf(argument);
  if (place === null) return;
  await chat.present({ type: 'merge_undo', ...place });
}

async function pickMerge(chat: Chat): Promise<ReturnType<typeof mergePlaceOf>> {
  const previews = [await lastPreview(chat, 'undo'), await lastPreview(chat, 'redo')];
  const rows = previews.flatMap((preview) =>
    preview === null
      ? []
      : preview.refusals
          .filter(({ kind }) => kind === 'file_changed')
          .map(({ path }) => ({
            label: foreign(path, LONGEST_PATH),
            description: preview.way === 'undo' ? vscode.l10n.t('undo') : vscode.l10n.t('redo'),
            place: { turn_id: preview.turn_id, path, way: preview.way },
          })),
  );
  if (rows.length === 0 && previews[0]?.inherited === true) {
    await sayOfParent();
    return null;
  }
  if (rows.length === 0) {
    await inform(vscode.l10n.t('There is nothing to merge: no file of the last turn has changed since.'));
    return null;
  }
  const title = vscode.l10n.t('Merge an undo with what came since');
  return (rows.length === 1 ? rows[0] : await chooseOne(rows, { title }))?.place ?? null;
}

/** The button of a preview: what it shows is carried out. Where that is not what would be done now, that is shown first. */
async function confirm(
  { chat, agents }: Pick<CommandParts, 'chat' | 'agents'>,
  way: Way,
  shown: unknown,
): Promise<void> {
  const scheme = way === 'undo' ? UNDO_SCHEME : REDO_SCHEME;
  const place = shown instanceof vscode.Uri && shown.scheme === scheme ? placeOf(shown.query) : null;
  if (place === null || !(shown instanceof vscode.Uri)) return;
  const { session_id, turn_id, path } = place;
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const close = async (): Promise<void> => {
    if (activeTab !== undefined && isPreview(activeTab, shown, way))
      await vscode.window.tabGroups.close([activeTab]);
  };
  const about = { turn_id, ...(path === undefined ? {} : { path }) };
  const conversation = await conversationOf({ chat, agents }, session_id);
  if (conversation === null) {
    await inform(
      vscode.l10n.t('This preview is of a session that is not open here. Open the session, then undo there.'),
    );
    return;
  }
  const now = await conversation.changes.preview({ ...about, way });
  if (now !== null && shownMark(now) === place.shown) {
    await conversation.send({ type: way, ...about });
    return close();
  }
  await close();
  await conversation.send({ type: 'preview_undo', way, ...about });
  await inform(
    vscode.l10n.t(
      'Something is different since this preview was opened, so nothing was changed. Look at what would be done now.',
    ),
  );
}

interface OfPreview {
  readonly changes: Pick<ChangeReading, 'preview'>;
  readonly send: (message: object) => Promise<void>;
}

/** In the chat, or in the tab of a child. */
async function conversationOf(
  { chat, agents }: Pick<CommandParts, 'chat' | 'agents'>,
  session_id: UndoPlace['session_id'],
): Promise<OfPreview | null> {
  if ((await chat.knownFacts()).session_id === session_id)
    return { changes: (await chat.host()).changes, send: (message) => chat.present(message) };
  const host = await (await agents.panels()).hostOf(session_id);
  return host === null ? null : { changes: host.changes, send: (message) => host.receive(message) };
}

/** The editor for many has no type that is stable: it is known by its title. */
function isPreview({ input, label }: vscode.Tab, shown: vscode.Uri, way: Way): boolean {
  if (input instanceof vscode.TabInputTextDiff) return input.modified.toString() === shown.toString();
  return label.startsWith(manyTitle(way, false));
}
