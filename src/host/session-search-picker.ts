import * as vscode from 'vscode';
import type { SessionEntry, Sessions } from '../app/sessions.ts';
import type { SearchHit } from '../storage/session-search.ts';
import { titleIn } from './session-picker.ts';
import { plain } from './shown-text.ts';
import { relativeTime } from './sessions-tree.ts';

interface HitPick extends vscode.QuickPickItem {
  readonly hit: SearchHit;
}

/** A list that is drawn anew for every find would flicker. */
const DRAW_EVERY_MS = 150;
const SHORTEST = 2;

/** Asks for words and shows where they are, while it still reads. Undefined when nothing was chosen. */
export async function searchInSessions(
  sessions: Sessions,
  entries: readonly SessionEntry[],
  log: vscode.LogOutputChannel,
): Promise<SearchHit | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Search in all sessions'),
    prompt: vscode.l10n.t(
      'Prompts, answers, arguments and output of tools. Upper and lower case are the same.',
    ),
    validateInput: (value) =>
      value.trim().length < SHORTEST ? vscode.l10n.t('Give at least two characters.') : null,
  });
  if (text === undefined) return undefined;
  const stop = new AbortController();
  const pick = vscode.window.createQuickPick<HitPick>();
  pick.title = vscode.l10n.t('Search in all sessions: {0}', text.trim());
  pick.matchOnDetail = true;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  pick.placeholder = vscode.l10n.t('Searching…');
  pick.show();
  const chosen = new Promise<SearchHit | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item === undefined) return;
      resolve(item.hit);
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
  const hit = await chosen;
  pick.dispose();
  return hit;
}

async function fill(
  pick: vscode.QuickPick<HitPick>,
  options: {
    readonly sessions: Sessions;
    readonly entries: readonly SessionEntry[];
    readonly text: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { sessions, text, signal } = options;
  const titles = new Map(options.entries.map((entry) => [entry.session_id, titleIn(entry)]));
  const items: HitPick[] = [];
  let drawn = 0;
  for await (const hit of sessions.search(text, signal)) {
    if (signal.aborted) return;
    items.push(pickOf(hit, titles.get(hit.session_id) ?? hit.session_id));
    if (Date.now() - drawn < DRAW_EVERY_MS) continue;
    drawn = Date.now();
    pick.items = [...items];
  }
  if (signal.aborted) return;
  pick.items = items;
  pick.busy = false;
  pick.placeholder =
    items.length === 0
      ? vscode.l10n.t('Nothing was found.')
      : items.length === 1
        ? vscode.l10n.t('1 turn has it. Type to narrow down.')
        : items.length >= sessions.mostHits
          ? vscode.l10n.t('The first {0} turns that have it. Type to narrow down.', items.length)
          : vscode.l10n.t('{0} turns have it. Type to narrow down.', items.length);
}

function pickOf(hit: SearchHit, title: string): HitPick {
  const { before, match, after } = hit.excerpt;
  const time = hit.ts === null ? '' : relativeTime(hit.ts, Date.now(), vscode.env.language);
  return {
    hit,
    label: plain(`${before.slice(-24).toWellFormed()}${match}${after}`),
    description: time,
    detail: plain(`${whereWords(hit.where)} · ${title}`),
  };
}

function whereWords(where: SearchHit['where']): string {
  switch (where) {
    case 'prompt':
      return vscode.l10n.t('Message');
    case 'answer':
      return vscode.l10n.t('Answer of the model');
    case 'call':
      return vscode.l10n.t('Tool call');
    case 'output':
      return vscode.l10n.t('Tool output');
    case 'failure':
      return vscode.l10n.t('Failure');
    case 'damaged':
      return vscode.l10n.t('Damaged line');
  }
}
