import * as vscode from 'vscode';
import { forkPoints, type ForkPoint } from '../app/fork-points.ts';
import { forkSession } from '../app/fork-session.ts';
import type { CommandParts } from './command-parts.ts';
import { parseRequestPlace } from './diagnostics-arguments.ts';
import { hasLog } from './log-presence.ts';
import { inform, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { sessionIdIn } from './session-argument.ts';
import { relativeTime } from './sessions-tree.ts';
import { foreign } from './shown-text.ts';

interface Place {
  readonly session_id: string;
  /** Null: the last good event. */
  readonly at_seq: number | null;
  readonly summary: boolean;
}

const LONGEST_PROMPT = 120;

/** Who names a session means its end; who names none is asked where. */
export async function fork(parts: CommandParts, argument: unknown): Promise<void> {
  const named = sessionIdIn(argument);
  if (named !== null) return forkAt(parts, { session_id: named, at_seq: null, summary: false });
  const session_id = (await parts.chat.host()).sessionId;
  const place = await choosePlace(parts, session_id);
  if (place !== null) await forkAt(parts, place);
}

/** From a line of the diagnostics tree, or from an entry of a page, which says what it is of. */
export async function forkHere(
  parts: CommandParts,
  argument: unknown,
  { summary }: { readonly summary: boolean },
): Promise<void> {
  const { diagnostics } = parts;
  const node = diagnostics.node(argument);
  const known = { session_id: diagnostics.shownSession ?? undefined, at_seq: node?.fork_at ?? undefined };
  const { session_id, at_seq } = (node === null ? parseRequestPlace(argument) : known) ?? {};
  if (at_seq === undefined || at_seq < 0) {
    await warn(vscode.l10n.t('It is not known from where to fork. Nothing was done.'));
    return;
  }
  const session = session_id ?? (await parts.chat.host()).sessionId;
  await forkAt(parts, { session_id: session, at_seq, summary });
}

/** The one in the chat is forked there, and what is not is forked where it is: opening it first would take its log. */
async function forkAt({ chat, storage, log }: CommandParts, place: Place): Promise<void> {
  const { session_id, at_seq, summary } = place;
  if (session_id === (await chat.host()).sessionId)
    return chat.present({ type: 'fork', summary, ...(at_seq === null ? {} : { at_seq }) });
  if (!(await hasLog(storage, session_id))) return;
  const made = await forkSession(storage, place, (text) => log.warn(text));
  if (made !== null) return chat.present({ type: 'open_session', session_id: made });
  await inform(vscode.l10n.t('The session has nothing to fork yet.'));
}

/** Null when the list was closed. With one turn there is nothing to choose. */
async function choosePlace({ storage, log }: CommandParts, session_id: string): Promise<Place | null> {
  const { points, damaged } = await forkPoints(storage, session_id, (text) => log.warn(text));
  const end: Place = { session_id, at_seq: null, summary: false };
  const earlier = points.slice(0, -1).toReversed();
  if (earlier.length === 0) return end;
  const items = [
    {
      label: damaged ? vscode.l10n.t('From the last good event') : vscode.l10n.t('From the end'),
      description: titleOf(points.at(-1)),
      at_seq: null,
    },
    ...earlier.map((point) => ({
      label: titleOf(point),
      description: relativeTime(point.ts, Date.now(), vscode.env.language),
      at_seq: point.to_seq,
    })),
  ];
  const title = vscode.l10n.t('Fork session');
  const placeHolder = vscode.l10n.t('After which turn the new session goes on');
  const chosen = await chooseOne(items, { title, placeHolder, matchOnDescription: true });
  if (chosen === undefined) return null;
  if (chosen.at_seq === null) return end;
  const summary = await chooseSummary();
  return summary === null ? null : { session_id, at_seq: chosen.at_seq, summary };
}

async function chooseSummary(): Promise<boolean | null> {
  const chosen = await chooseOne(
    [
      {
        label: vscode.l10n.t('Without a summary'),
        detail: vscode.l10n.t('The model knows nothing of what came after that turn.'),
        summary: false,
      },
      {
        label: vscode.l10n.t('With a summary of what is left behind'),
        detail: vscode.l10n.t(
          'Made from the log by rules, without asking the model. It says what it leaves out.',
        ),
        summary: true,
      },
    ],
    {
      title: vscode.l10n.t('Fork session'),
      placeHolder: vscode.l10n.t(
        'What the model is told of the turns after it. Changed files stay as they are.',
      ),
    },
  );
  return chosen?.summary ?? null;
}

function titleOf(point: ForkPoint | undefined): string {
  const words = foreign(point?.title ?? '', LONGEST_PROMPT);
  return words === '' ? vscode.l10n.t('Without a message') : words;
}
