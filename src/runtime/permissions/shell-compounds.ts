import type { Redirect } from './shell-commands.ts';
import { plainWord, type Word } from './shell-word.ts';
import { readWord, type WordReading } from './shell-words.ts';

/** What the compound commands need of the grammar around them. */
export interface CompoundReading {
  readonly reading: WordReading;
  /** A list up to one of these reserved words, which is taken too and returned. */
  listUpTo(...stops: readonly string[]): string;
  /** A list up to a parenthesis, which is taken too. */
  listInParentheses(): void;
  /** A list up to the end of a branch of `case`; whether more branches may follow. */
  branch(): boolean;
  takesReserved(word: string): boolean;
  blanks(): void;
  /** Blanks, newlines and comments. */
  gap(): void;
  construct(words: readonly Word[], redirects?: readonly Redirect[]): void;
  simple(words: readonly Word[]): void;
  readonly isSubstituted: boolean;
}

/** Reads a compound command after its first word. */
const COMPOUNDS: Readonly<Record<string, (within: CompoundReading) => void>> = {
  '(': (within) => within.listInParentheses(),
  '{': (within) => within.listUpTo('}'),
  if: readIf,
  while: readLoop,
  until: readLoop,
  for: readFor,
  case: readCase,
  '[[': readTest,
};

export function isCompound(first: string): boolean {
  return Object.hasOwn(COMPOUNDS, first);
}

export function readCompound(first: string, within: CompoundReading): void {
  COMPOUNDS[first]?.(within);
}

function readIf(within: CompoundReading): void {
  for (let stop = 'elif'; stop === 'elif';) {
    within.listUpTo('then');
    stop = within.listUpTo('elif', 'else', 'fi');
    if (stop === 'else') within.listUpTo('fi');
  }
}

function readLoop(within: CompoundReading): void {
  within.listUpTo('do');
  within.listUpTo('done');
}

/** The variable of a loop is set like by an assignment: it could be PATH. */
function readFor(within: CompoundReading): void {
  const { source } = within.reading;
  within.blanks();
  const name = readWord(within.reading);
  if (name === null || name.quoted || !/^[A-Za-z_]\w*$/.test(name.bare)) {
    source.fail('a loop has no variable that is understood');
    return;
  }
  within.gap();
  const words = within.takesReserved('in') ? [plainWord('in'), ...readWords(within)] : [];
  source.takes(';');
  within.gap();
  within.construct([plainWord('for'), name, ...words]);
  if (!within.takesReserved('do')) source.fail('a loop has no do');
  within.listUpTo('done');
}

function readWords(within: CompoundReading): readonly Word[] {
  const words: Word[] = [];
  for (;;) {
    within.blanks();
    const word = readWord(within.reading);
    if (word === null) return words;
    words.push(word);
  }
}

function readCase(within: CompoundReading): void {
  const { source } = within.reading;
  within.blanks();
  const subject = readWord(within.reading);
  within.gap();
  if (subject === null || !within.takesReserved('in')) {
    source.fail('a case is not understood');
    return;
  }
  within.construct([plainWord('case'), subject, plainWord('in')]);
  do {
    within.gap();
    if (within.takesReserved('esac')) return;
    readCasePattern(within);
  } while (within.branch());
}

function readCasePattern(within: CompoundReading): void {
  const { source } = within.reading;
  // Old versions of bash take the parenthesis after the pattern for the end of the substitution around it.
  if (!source.takes('(') && within.isSubstituted) source.fail('it has a case inside a substitution');
  do {
    within.blanks();
    if (readWord(within.reading) === null) source.fail('a pattern of a case is missing');
    within.blanks();
  } while (source.takes('|'));
  if (!source.takes(')')) source.fail('a pattern of a case is not understood');
}

/** `[[ ... ]]`. Where a shell does not know it, what follows `&&` and `||` is a command to it. */
function readTest(within: CompoundReading): void {
  const { source } = within.reading;
  const pieces: Word[][] = [[plainWord('[[')]];
  const all: Word[] = [plainWord('[[')];
  for (;;) {
    within.gap();
    const joint = ['&&', '||', '(', ')'].find((one) => source.takes(one));
    const word = joint === undefined ? readWord(within.reading) : plainWord(joint);
    if (word === null) {
      source.fail('a [[ is not understood');
      return;
    }
    all.push(word);
    if (joint === undefined) pieces.at(-1)?.push(word);
    else pieces.push([]);
    if (joint === undefined && !word.quoted && word.bare === ']]') break;
  }
  if (pieces.length === 1) within.simple(all);
  else for (const words of [all, ...pieces.filter((piece) => piece.length > 0)]) within.construct(words);
}
