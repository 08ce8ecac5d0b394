import * as vscode from 'vscode';
import type { SessionEntry, Sessions } from '../app/sessions.ts';
import type { SearchFound, SearchHit } from '../storage/session-search.ts';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import { titleIn } from './session-picker.ts';
import { whoseWords } from './session-words.ts';
import { plain } from './shown-text.ts';
import { relativeTime, titlesOf } from './sessions-tree.ts';

/** What was chosen: a place, or the session as a whole. */
export type ChosenPlace = Pick<SearchHit, 'session_id' | 'turn_id' | 'seq'>;

interface FoundPick extends vscode.QuickPickItem {
  readonly place: ChosenPlace;
}

/** A list that is drawn anew for every find would flicker. */
const DRAW_EVERY_MS = 150;
const SHORTEST = 2;

/** Asks for words and shows where they are, while it still reads. Undefined when nothing was chosen. */
export async function searchInSessions(
  sessions: Sessions,
  entries: readonly SessionEntry[],
  log: vscode.LogOutputChannel,
): Promise<ChosenPlace | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Search in all sessions'),
    prompt: vscode.l10n.t(
      'Names, prompts, answers, thoughts, decisions, arguments and output of tools, checkpoints. Upper and lower case are the same.',
    ),
    validateInput: (value) =>
      value.trim().length < SHORTEST ? vscode.l10n.t('Give at least two characters.') : null,
  });
  if (text === undefined) return undefined;
  const stop = new AbortController();
  const pick = vscode.window.createQuickPick<FoundPick>();
  pick.title = vscode.l10n.t('Search in all sessions: {0}', text.trim());
  pick.matchOnDetail = true;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  pick.placeholder = vscode.l10n.t('Searching…');
  pick.show();
  const chosen = new Promise<ChosenPlace | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item === undefined) return;
      resolve(item.place);
      pick.hide();
    });
    pick.onDidHide(() => {
      stop.abort();
      resolve(undefined);
    });
  });
  const filled = fill(pick, { sessions, entries, text: text.trim(), signal: stop.signal });
  filled.catch((error: unknown) => {
    log.error(`searching: ${String(error)}`);
    pick.busy = false;
    pick.placeholder = vscode.l10n.t('The search failed: {0}', String(error));
  });
  const place = await chosen;
  pick.dispose();
  return place;
}

async function fill(
  pick: vscode.QuickPick<FoundPick>,
  options: {
    readonly sessions: Sessions;
    readonly entries: readonly SessionEntry[];
    readonly text: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { sessions, text, signal } = options;
  const titles = shownTitles(options.entries);
  const items: FoundPick[] = [];
  const count = { turns: 0, names: 0, unread: 0 };
  let drawn = 0;
  for await (const found of sessions.search(text, signal)) {
    if (signal.aborted) return;
    items.push(pickOf(found, titles.get(found.session_id) ?? found.session_id));
    if (found.kind === 'hit') count[found.where === 'title' ? 'names' : 'turns'] += 1;
    if (found.kind === 'unreadable') count.unread += 1;
    if (Date.now() - drawn < DRAW_EVERY_MS) continue;
    drawn = Date.now();
    pick.items = [...items];
  }
  if (signal.aborted) return;
  pick.items = items;
  pick.busy = false;
  pick.placeholder = [resultWords(count, sessions.mostHits), ...unreadWords(count.unread)].join(' ');
}

/** With whose child one is: what it says was said for another. */
function shownTitles(entries: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const titles = titlesOf(entries);
  return new Map(
    entries.map((entry) => [entry.session_id, [titleIn(entry), ...whoseWords(entry, titles)].join(' · ')]),
  );
}

function resultWords({ turns, names }: { turns: number; names: number }, most: number): string {
  if (turns === 0 && names > 0) return vscode.l10n.t('Only names of sessions have it. Type to narrow down.');
  if (turns === 0) return vscode.l10n.t('Nothing was found.');
  if (turns === 1) return vscode.l10n.t('1 turn has it. Type to narrow down.');
  return turns + names >= most
    ? vscode.l10n.t('The first {0} turns that have it. Type to narrow down.', turns)
    : vscode.l10n.t('{0} turns have it. Type to narrow down.', turns);
}

function unreadWords(sessions: number): readonly string[] {
  if (sessions === 0) return [];
  return sessions === 1
    ? [vscode.l10n.t('1 session could not be read.')]
    : [vscode.l10n.t('{0} sessions could not be read.', sessions)];
}

function pickOf(found: SearchFound, title: string): FoundPick {
  const { session_id } = found;
  const whole = { session_id, turn_id: null, seq: null };
  switch (found.kind) {
    case 'hit':
      return hitPick(found, title);
    case 'more': {
      const label = vscode.l10n.t('… and {0} more here', found.count);
      return { place: whole, label, detail: plain(title), alwaysShow: true };
    }
    case 'unreadable': {
      const icon = STATE_LOOKS.attention;
      return {
        place: whole,
        label: vscode.l10n.t('Could not be read'),
        detail: plain([title, found.reason].join(' · ')),
        iconPath: new vscode.ThemeIcon(icon.icon, new vscode.ThemeColor(icon.color)),
        alwaysShow: true,
      };
    }
  }
}

function hitPick(hit: SearchHit, title: string): FoundPick {
  const { before, match, after } = hit.excerpt;
  const time = hit.ts === null ? '' : relativeTime(hit.ts, Date.now(), vscode.env.language);
  const asked = hit.where === 'prompt' || hit.prompt === null ? [] : [`“${hit.prompt}”`];
  return {
    place: hit,
    label: plain(`${before.slice(-24).toWellFormed()}${match}${after}`),
    description: time,
    detail: plain([whereWords(hit.where), ...asked, title].join(' · ')),
  };
}

function whereWords(where: SearchHit['where']): string {
  switch (where) {
    case 'prompt':
      return vscode.l10n.t('Message');
    case 'answer':
      return vscode.l10n.t('Answer of the model');
    case 'title':
      return vscode.l10n.t('Name');
    case 'reasoning':
      return vscode.l10n.t('Thought');
    case 'decision':
      return vscode.l10n.t('Decision');
    case 'call':
      return vscode.l10n.t('Tool call');
    case 'output':
      return vscode.l10n.t('Tool output');
    case 'failure':
      return vscode.l10n.t('Failure');
    case 'checkpoint':
      return vscode.l10n.t('Checkpoint');
    case 'damaged':
      return vscode.l10n.t('Damaged line');
  }
}
