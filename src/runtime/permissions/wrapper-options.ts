import { literalText, maySplit, type Word } from './shell-word.ts';

/** The options of a program that runs another one. What is not listed here is not understood. */
export interface Options {
  /** Letters of options without a value, and of those with one. */
  readonly flags?: string;
  readonly values?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
  /** Whether a dash alone is an option too. */
  readonly lone?: boolean;
}

export interface AfterOptions {
  readonly rest: readonly Word[];
  /** How many words were options or their values. */
  readonly used: number;
  /** By letter; null where the value is only known when the command runs. */
  readonly values: ReadonlyMap<string, string | null>;
}

/** The words after the options, or null where the options are not understood. */
export function afterOptions(words: readonly Word[], options: Options): AfterOptions | null {
  const values = new Map<string, string | null>();
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const text = literalText(word);
    if (text === null) return null;
    if (text === '--') return { rest: words.slice(at + 1), used: at + 1, values };
    if (!text.startsWith('-') || (text === '-' && options.lone !== true)) break;
    const option = text.startsWith('--') ? longOption(text, options) : shortOptions(text, options);
    if (option === null) return null;
    const value = words[at + 1];
    if (option.takesNext && (value === undefined || maySplit(value))) return null;
    if (option.name !== null)
      values.set(option.name, option.takesNext && value !== undefined ? literalText(value) : option.value);
    at += option.takesNext ? 2 : 1;
  }
  return { rest: words.slice(at), used: at, values };
}

interface Option {
  readonly name: string | null;
  readonly value: string;
  /** Whether the next word is its value. */
  readonly takesNext: boolean;
}

function longOption(text: string, { longFlags = [], longValues = [] }: Options): Option | null {
  const [name = '', ...value] = text.slice(2).split('=');
  if (longValues.includes(name)) return { name, value: value.join('='), takesNext: value.length === 0 };
  return longFlags.includes(name) && value.length === 0 ? { name: null, value: '', takesNext: false } : null;
}

/** Several letters in one word, the last perhaps with its value. */
function shortOptions(text: string, { flags = '', values = '' }: Options): Option | null {
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const value = text.slice(at + 1);
    if (values.includes(letter)) return { name: letter, value, takesNext: value === '' };
    if (!flags.includes(letter)) return null;
  }
  return { name: null, value: '', takesNext: false };
}
