import * as vscode from 'vscode';
import type { SessionEntry } from '../app/sessions.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';

/** In the label of a pick, `$(name)` would be drawn as an icon. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}

/** One phrase a state, as everywhere; what is wrong with a log comes first. */
export function stateWords({ problem, state }: Pick<SessionEntry, 'problem' | 'state'>): string {
  if (problem !== null) return translatedSentence(problem, vscode.l10n.t);
  switch (state) {
    case 'running':
      return vscode.l10n.t('Working');
    case 'waiting':
      return vscode.l10n.t('Needs you');
    case 'completed':
      return vscode.l10n.t('Completed');
    case 'partial_failed':
      return vscode.l10n.t('Stopped early: partial answer');
    case 'failed':
      return vscode.l10n.t('Failed');
    case 'interrupted':
      return vscode.l10n.t('Response interrupted');
    case 'timed_out':
      return vscode.l10n.t('Timed out');
    case null:
      return vscode.l10n.t('No message yet');
  }
}
