import { themeIcon } from '../presenter/state-looks.ts';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { COMMANDS, FOCUS_CHAT_VIEW } from './contribution-ids.ts';
import { foreign, plain } from './shown-text.ts';
import type { Translate } from './translation.ts';
import { needsDecision, type TurnFacts, type TurnState } from './turn-facts.ts';
import { endWords, pendingWords } from './turn-words.ts';

/** What the status bar shows of the conversation. */
export interface StatusLook {
  /** With its icon in front, as the status bar writes icons. */
  readonly text: string;
  readonly tooltip: string;
  /** For a screen reader: without the icon. */
  readonly label: string;
  /** The bar's own warning colours. Others would be unreadable on the coloured bars that some themes have. */
  readonly warning: boolean;
  readonly command: string;
}

/** Pure: null while there is no turn to speak of. */
export function statusLook(
  facts: TurnFacts,
  t: Translate,
  timeWords: (at: number) => string,
): StatusLook | null {
  const { state } = facts;
  const title = foreign(facts.title);
  if (state === null) return null;
  const { icon, words, since, warning } = lookOf(facts, state, t);
  const label = t('Ledgerline: {0}', words);
  const when = since === null ? null : whenWords(state, timeWords(since), t);
  return {
    text: `$(${icon}) ${plain(label)}`,
    tooltip: [label, ...whyLines(facts, t), title, when ?? ''].filter((line) => line !== '').join('\n'),
    label: title === '' ? label : `${label}, ${title}`,
    warning,
    command: warning ? COMMANDS.goToDecision : FOCUS_CHAT_VIEW,
  };
}

/** All of it: the bar has room for its beginning only. */
function whyLines({ state, why }: TurnFacts, t: Translate): readonly string[] {
  return state === 'running' || state === 'waiting' || state === 'completed'
    ? []
    : [translatedSentence(why, t)];
}

interface Look {
  readonly icon: string;
  readonly words: string;
  readonly since: number | null;
  readonly warning: boolean;
}

/** A call that waits for a person counts before what runs beside it. */
function lookOf(facts: TurnFacts, state: TurnState, t: Translate): Look {
  const { pending, activity, began_at, last_at } = facts;
  if (needsDecision(facts)) {
    const unknown = pending.some(({ asked }) => asked === 'outcome_unknown');
    const words = t('Needs you: {0}', pendingWords(pending, t));
    return { icon: themeIcon(unknown ? 'outcome_unknown' : 'waiting'), words, since: last_at, warning: true };
  }
  switch (state) {
    case 'running': {
      const words =
        activity === null
          ? t('Working')
          : t('Working: {0}', lowerFirst(translatedSentence(activity.text, t)));
      return { icon: themeIcon('running'), words, since: activity?.since ?? began_at, warning: false };
    }
    case 'waiting':
      return { icon: themeIcon('waiting'), words: t('Waiting'), since: last_at, warning: false };
    case 'completed':
    case 'partial_failed':
    case 'failed':
    case 'interrupted':
    case 'timed_out':
      return { icon: themeIcon(state), words: endWords(state, facts, t), since: last_at, warning: false };
  }
}

function whenWords(state: TurnState, time: string, t: Translate): string {
  return state === 'running' || state === 'waiting' ? t('Since {0}', time) : t('At {0}', time);
}

/** Activities begin with a verb, which is small after a colon in every language we speak. */
function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
