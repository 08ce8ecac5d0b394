import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import type { SearchFound, SearchHit } from '../storage/session-search.ts';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import { stateIcon } from './search-lines.ts';
import { titleIn } from './session-picker.ts';
import { whoseWords } from './session-words.ts';
import { foreign, plain } from './shown-text.ts';
import { relativeTime, titlesOf } from './sessions-tree.ts';

/** What was chosen: a place, or the session as a whole. */
export type ChosenPlace = Pick<SearchHit, 'session_id' | 'turn_id' | 'seq'>;

export interface FoundLine extends vscode.QuickPickItem {
  readonly does: { readonly kind: 'open'; readonly place: ChosenPlace };
}

/** With whose child one is: what it says was said for another. */
export function shownTitles(entries: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const titles = titlesOf(entries);
  return new Map(
    entries.map((entry) => [entry.session_id, [titleIn(entry), ...whoseWords(entry, titles)].join(' · ')]),
  );
}

/** What a search has come upon so far. */
export interface FoundCount {
  /** Places that were given. */
  readonly hits: number;
  readonly turns: number;
  readonly names: number;
  /** Sessions that could not be read, or not all of them. */
  readonly unread: number;
}

export const NOTHING_FOUND: FoundCount = { hits: 0, turns: 0, names: 0, unread: 0 };

export function counted(count: FoundCount, found: SearchFound): FoundCount {
  if (found.kind === 'hit') {
    const given = { ...count, hits: count.hits + 1 };
    return found.where === 'title'
      ? { ...given, names: count.names + 1 }
      : { ...given, turns: count.turns + 1 };
  }
  if (found.kind === 'more') return { ...count, turns: count.turns + found.count };
  return { ...count, unread: count.unread + 1 };
}

/** What a search that is over has found. */
export function resultWords(count: FoundCount, most: number): string {
  return [turnWords(count, most), ...unreadWords(count.unread)].join(' ');
}

function turnWords({ hits, turns, names }: FoundCount, most: number): string {
  if (turns === 0 && names > 0) return vscode.l10n.t('Only names of sessions have it. Type to narrow down.');
  if (turns === 0) return vscode.l10n.t('Nothing was found.');
  if (turns === 1) return vscode.l10n.t('1 turn has it. Type to narrow down.');
  return hits >= most
    ? vscode.l10n.t('The first {0} turns that have it. Type to narrow down.', hits - names)
    : vscode.l10n.t('{0} turns have it. Type to narrow down.', turns);
}

function unreadWords(sessions: number): readonly string[] {
  if (sessions === 0) return [];
  return sessions === 1
    ? [vscode.l10n.t('1 session could not be read.')]
    : [vscode.l10n.t('{0} sessions could not be read.', sessions)];
}

export function foundLine(found: SearchFound, title: string): FoundLine {
  const { session_id } = found;
  const does = { kind: 'open', place: { session_id, turn_id: null, seq: null } } as const;
  switch (found.kind) {
    case 'hit':
      return hitLine(found, title);
    case 'more': {
      const label = vscode.l10n.t('… and {0} more here', found.count);
      return { does, label, detail: plain(title), alwaysShow: true };
    }
    case 'unreadable':
      return unreadLine(does, vscode.l10n.t('Could not be read'), [title, found.reason]);
    case 'too_long':
      return unreadLine(does, vscode.l10n.t('Not all of it was searched'), [
        title,
        vscode.l10n.t('a line is longer than 32 MB'),
      ]);
  }
}

function unreadLine(does: FoundLine['does'], label: string, words: readonly string[]): FoundLine {
  const { icon, color } = STATE_LOOKS.attention;
  const iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  return { does, label, detail: plain(words.join(' · ')), iconPath, alwaysShow: true };
}

const LONGEST_LABEL = 240;

function hitLine(hit: SearchHit, title: string): FoundLine {
  const { before, match, after } = hit.excerpt;
  const words = foreign(`${before.slice(-24)}${match}${after}`, LONGEST_LABEL);
  const time = hit.ts === null ? '' : relativeTime(hit.ts, Date.now(), vscode.env.language);
  const asked =
    hit.where === 'prompt' || hit.prompt === null ? [] : [vscode.l10n.t('“{0}”', foreign(hit.prompt))];
  // The icon alone would say nothing to somebody who hears the list.
  const state = hit.state === null ? [] : [vscode.l10n.t(STATE_LOOKS[hit.state].phrase)];
  return {
    does: { kind: 'open', place: hit },
    // A prompt can be an image alone.
    label: words === '' ? whereWords(hit.where) : plain(words),
    description: time,
    detail: plain([whereWords(hit.where), ...state, ...asked, title].join(' · ')),
    ...(hit.state === null ? {} : { iconPath: stateIcon(hit.state) }),
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
    case 'summary':
      return vscode.l10n.t('Summary of another branch');
    case 'unknown':
      return vscode.l10n.t('Unknown event');
    case 'damaged':
      return vscode.l10n.t('Damaged line');
    case 'torn':
      return vscode.l10n.t('Torn end of the log');
  }
}
