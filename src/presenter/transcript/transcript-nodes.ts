import type { Words } from '../../runtime/inspection/spoken-words.ts';
import type { Say } from '../speech.ts';

/** A session for people, as a closed set of plain values: each way to write it down does so for all of them. */
export type TranscriptNode =
  /** Of an event, and where that is in the log. */
  | { readonly kind: 'heading'; readonly words: Words; readonly place: Words }
  /** One fact, in our words. Plain texts among its values are somebody else's. */
  | { readonly kind: 'line'; readonly words: Words }
  /** Words of others, all of them or a stretch. */
  | { readonly kind: 'quote'; readonly of: QuoteOf; readonly label: Words | null; readonly text: string }
  /** Base64 of a picture whose kind was looked up in its bytes. */
  | { readonly kind: 'image'; readonly mime: string; readonly data: string; readonly label: Words };

/** Whose words: the person's, an answer, text that is no answer, what a tool was given and gave, anything else. */
export type QuoteOf = 'prompt' | 'answer' | 'text' | 'partial' | 'tool' | 'note';

export interface TranscriptSection {
  readonly title: Words;
  /** Of a turn: how its prompt begins, and its state. */
  readonly turn: { readonly prompt: string; readonly state: Words } | null;
  readonly nodes: readonly TranscriptNode[];
}

export interface Transcript {
  /** The first words of the first prompt, or the name that a person gave; may be empty. */
  readonly title: string;
  readonly about: readonly TranscriptNode[];
  readonly sections: readonly TranscriptSection[];
}

/** A stretch of a sentence: ours, or somebody else's. */
export interface Spoken {
  readonly text: string;
  readonly foreign: boolean;
}

const OPEN = '\u{E000}';
const CLOSE = '\u{E001}';

/** Says words so that what is somebody else's in them can still be told from what is ours. */
export function spokenParts(words: Words, say: Say): readonly Spoken[] {
  return say(fenced(words))
    .split(/(\u{E000}[^\u{E001}]*\u{E001})/u)
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith(OPEN) ? { text: part.slice(1, -1), foreign: true } : { text: part, foreign: false },
    );
}

function fenced(words: Words): Words {
  if (typeof words === 'string') return `${OPEN}${oneLine(words)}${CLOSE}`;
  if (typeof words === 'number' || 'count' in words || 'ms' in words) return words;
  if ('told' in words) return fenced(words.told);
  if ('at' in words) return Number.isNaN(Date.parse(words.at)) ? fenced(words.at) : words;
  return { ...words, values: words.values.map(fenced) };
}

const LONGEST_VALUE = 500;

function oneLine(text: string): string {
  const line = visible(text)
    .replaceAll(/[\u{E000}\u{E001}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return line.length <= LONGEST_VALUE ? line : `${line.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}

/** Controls, changes of direction and what has no shape, so that nothing is read in another order than it is written. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is there to find
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(
      UNSEEN,
      (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
    );
}
