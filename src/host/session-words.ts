import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';

/** One phrase a state, as everywhere; what is wrong with a log comes first. */
export function stateWords({ problem, state }: Pick<SessionEntry, 'problem' | 'state'>): string {
  if (problem !== null) return translatedSentence(problem, vscode.l10n.t);
  return state === null ? vscode.l10n.t('No message yet') : vscode.l10n.t(STATE_LOOKS[state].phrase);
}
