import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { roleName } from '../presenter/agent-roles.ts';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { foreign } from './shown-text.ts';

/** One phrase a state, as everywhere; what is wrong with a log comes first. */
export function stateWords({ problem, state }: Pick<SessionEntry, 'problem' | 'state'>): string {
  if (problem !== null) return translatedSentence(problem, vscode.l10n.t);
  return state === null ? vscode.l10n.t('No message yet') : vscode.l10n.t(STATE_LOOKS[state].phrase);
}

/** The role of a child, which may be of another version. */
export function agentWords(agent: string): string {
  return foreign(vscode.l10n.t(roleName(agent)));
}

/** Whose child a session is, where it does not stand under its parent. */
export function childWords(parent: string): string {
  return vscode.l10n.t('child of {0}', foreign(parent));
}

/** The same for one that may be a child: in a list where nothing stands under another. */
export function whoseWords(
  { parent }: Pick<SessionEntry, 'parent'>,
  titles: ReadonlyMap<string, string>,
): readonly string[] {
  return parent === null ? [] : [childWords(titles.get(parent.session_id) ?? parent.session_id)];
}
