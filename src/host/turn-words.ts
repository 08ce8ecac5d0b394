import { translatedSentence } from '../presenter/host-sentences.ts';
import { STATE_LOOKS } from '../presenter/state-looks.ts';
import { wholeSecondsText } from '../runtime/inspection/spoken-words.ts';
import type { Translate } from './translation.ts';
import type { PendingCall, TurnFacts, TurnState } from './turn-facts.ts';

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

/** Of a turn that is over, as the page says it; why it failed comes in short, and the page has all of it. */
export function endWords(
  state: Exclude<TurnState, 'running' | 'waiting'>,
  { why, timeout_ms }: Pick<TurnFacts, 'why' | 'timeout_ms'>,
  t: Translate,
): string {
  if (state === 'failed')
    return t('Failed: {0}', why === '' ? t('the log does not say why') : inShort(translatedSentence(why, t)));
  if (state === 'timed_out' && timeout_ms !== null)
    return t('Timed out after {0}', wholeSecondsText({ ms: timeout_ms }));
  return t(STATE_LOOKS[state].phrase);
}

const LONGEST_REASON = 60;

/** The first sentence: it has the fact, and the others what to do. */
function inShort(text: string): string {
  const [first = ''] = text.split(/(?<=[.!?])\s/u, 1);
  const fact = first.trim().replace(/\.$/u, '');
  return fact.length <= LONGEST_REASON ? fact : `${fact.slice(0, LONGEST_REASON - 1).trimEnd()}…`;
}
