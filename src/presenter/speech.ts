import { spanText, type Words } from '../runtime/inspection/spoken-words.ts';
import { translatedSentence, type Translate } from './host-sentences.ts';

/** Says words in the language of a person. */
export type Say = (words: Words) => string;

export interface Language {
  readonly t: Translate;
  /** As in BCP 47: how it writes numbers. */
  readonly tag: string;
}

export function sayingIn({ t, tag }: Language): Say {
  const tenths = (seconds: number): string =>
    seconds.toLocaleString(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const say: Say = (words) => {
    if (typeof words !== 'object') return String(words);
    if ('told' in words) return translatedSentence(words.told, t, (count) => count.toLocaleString(tag));
    if ('at' in words) return timeText(words.at, tag);
    if ('ms' in words) return spanText(words, tenths);
    if ('count' in words) return words.count.toLocaleString(tag);
    return t(words.sentence, ...words.values.map(say));
  };
  return say;
}

/** What is no time stays as it is: a log may say anything. */
function timeText(at: string, tag: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms)
    ? at
    : new Date(ms).toLocaleString(tag, { dateStyle: 'short', timeStyle: 'medium' });
}
