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

/** Of what a session is a fork, where it does not stand under that. */
export function forkWords(parent: string): string {
  return vscode.l10n.t('fork of {0}', foreign(parent));
}

/** The same for one that may be a child or a fork: in a list where nothing stands under another. */
export function whoseWords(
  { parent, fork }: Pick<SessionEntry, 'parent' | 'fork'>,
  titles: ReadonlyMap<string, string>,
): readonly string[] {
  const named = (id: string): string => titles.get(id) ?? id;
  if (parent !== null) return [childWords(named(parent.session_id))];
  return fork === null ? [] : [forkWords(named(fork.session_id))];
}
