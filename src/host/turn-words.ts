import { STATE_LOOKS } from '../presenter/state-looks.ts';
import type { Translate } from './translation.ts';
import type { PendingCall, TurnState } from './turn-facts.ts';

/** The phrases for the states of a turn, the same wherever VS Code itself shows them. */

export function pendingWords(pending: readonly PendingCall[], t: Translate): string {
  const count = (asked: PendingCall['asked']): number => pending.filter((one) => one.asked === asked).length;
  const approvals = count('approval');
  const questions = count('question');
  const unknown = count('outcome_unknown');
  const parts = [
    ...(approvals === 0 ? [] : [approvals === 1 ? t('1 approval') : t('{0} approvals', approvals)]),
    ...(questions === 0 ? [] : [questions === 1 ? t('1 question') : t('{0} questions', questions)]),
    ...(unknown === 0 ? [] : [unknown === 1 ? t('1 unknown outcome') : t('{0} unknown outcomes', unknown)]),
  ];
  return parts.join(', ');
}

/** Of a turn that is over. */
export function endWords(state: Exclude<TurnState, 'running' | 'waiting'>, t: Translate): string {
  return t(STATE_LOOKS[state].phrase);
}
