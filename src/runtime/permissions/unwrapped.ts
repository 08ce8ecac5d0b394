import { literalText, type Word } from './shell-word.ts';

/** What a command runs besides itself. */
export type Unwrapped =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'runs';
      readonly commands: readonly (readonly Word[])[];
      readonly scripts: readonly string[];
      /** Whether it only hands on: then what it runs is all that matters. */
      readonly transparent: boolean;
    }
  /** A file or a program of a package, as if it were called itself. */
  | { readonly kind: 'file'; readonly words: readonly Word[] }
  /** A command that starts with one of its words, or stands in one. */
  | { readonly kind: 'somewhere' }
  /** Its words do not tell. */
  | { readonly kind: 'unknown' };

export const NOTHING: Unwrapped = { kind: 'nothing' };
export const SOMEWHERE: Unwrapped = { kind: 'somewhere' };
export const UNKNOWN: Unwrapped = { kind: 'unknown' };

export function runsWords(words: readonly Word[], transparent: boolean): Unwrapped {
  return { kind: 'runs', commands: [words], scripts: [], transparent };
}

export function runsScript(script: string | null, transparent: boolean): Unwrapped {
  return script === null ? UNKNOWN : { kind: 'runs', commands: [], scripts: [script], transparent };
}

/** Words that a program joins and gives to a shell. */
export function runsJoined(words: readonly Word[]): Unwrapped {
  if (words.length === 0) return NOTHING;
  const texts = words.map(literalText);
  return runsScript(texts.includes(null) ? null : texts.join(' '), false);
}
