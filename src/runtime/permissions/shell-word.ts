import { ANY, ANY_IN_WORD, literal, type Pattern, type Token } from './glob.ts';

/**
 * Where an expansion gets its value. `shell`: a variable, a substitution, braces. `files`: `*`, `?`, `[...]`.
 * `home`: `~`. `input`: a place that xargs or find fills in. `folders`: the folders of a program whose name is
 * known.
 */
export type Origin = 'shell' | 'files' | 'home' | 'input' | 'folders';

export type Segment =
  /** `special`: it was quoted, and would mean something else without quotes. */
  | { readonly kind: 'literal'; readonly text: string; readonly special: boolean }
  /** `splits`: it may become several words, or none. */
  | {
      readonly kind: 'expansion';
      readonly text: string;
      readonly origin: Origin;
      readonly splits: boolean;
      /** Of a word with braces or brackets, which is one expansion: without its quotes, and open where it expands. */
      readonly rough?: string;
    };

export interface Word {
  readonly segments: readonly Segment[];
  /** The text before the first quote or expansion. Only here can a name of a variable stand. */
  readonly bare: string;
  readonly quoted: boolean;
}

/** A word that was written without quotes. */
export function plainWord(text: string): Word {
  return { segments: [{ kind: 'literal', text, special: false }], bare: text, quoted: false };
}

export function inputWord(text: string): Word {
  return { segments: [{ kind: 'expansion', text, origin: 'input', splits: true }], bare: '', quoted: false };
}

/** The text of a word that is known before the command runs; null for others. */
export function literalText(word: Word): string | null {
  const texts = word.segments.map((segment) => (segment.kind === 'literal' ? segment.text : null));
  return texts.includes(null) ? null : texts.join('');
}

/** All that is known of a word, without the rest. */
export function knownText(word: Word): string {
  return word.segments.map((segment) => (segment.kind === 'literal' ? segment.text : '')).join('');
}

export function hasOrigin(word: Word, ...origins: readonly Origin[]): boolean {
  return word.segments.some((segment) => segment.kind === 'expansion' && origins.includes(segment.origin));
}

/** How a text is spelled: with the quotes that it needs, or with none. */
export type Spelling = 'quoted' | 'unquoted';

/**
 * Words as people read them: each with the quotes that it needs and no others. Two lists of words that mean
 * different things never have the same text.
 */
export function wordsText(words: readonly Word[]): string {
  return words.map((word) => spelled(word, 'quoted')).join(' ');
}

function spelled(word: Word, spelling: Spelling): string {
  if (word.segments.length === 0) return spelling === 'quoted' ? "''" : '';
  return word.segments.map((segment) => spelledSegment(segment, spelling)).join('');
}

function spelledSegment(segment: Segment, spelling: Spelling): string {
  if (segment.kind === 'expansion' || spelling === 'unquoted' || !segment.special) return segment.text;
  return `'${segment.text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What an allow rule must cover: only what is filled in later is unknown. */
export function writtenPattern(words: readonly Word[]): Pattern {
  return patternOf(
    words.map((word) => (hasOrigin(word, 'input') ? [ANY] : [spelled(word, 'quoted')])),
    () => ' ',
  );
}

/** What the words could turn out to be: every expansion is unknown, and may add words or remove its own. */
export function possiblePattern(words: readonly Word[], spelling: Spelling): Pattern {
  return patternOf(
    words.map((word) => possiblePieces(word, spelling)),
    (index) => (words[index] !== undefined && mayVanish(words[index]) ? '' : ' '),
  );
}

/** A text, or something unknown. */
type Piece = string | Token;

function possiblePieces(word: Word, spelling: Spelling): readonly Piece[] {
  if (word.segments.length === 0) return [spelled(word, spelling)];
  return word.segments.map((segment) => {
    if (segment.kind === 'literal') return spelledSegment(segment, spelling);
    return segment.origin === 'folders' ? ANY_IN_WORD : ANY;
  });
}

/** Of the pieces of each word, and of what stands before each word but the first. */
function patternOf(words: readonly (readonly Piece[])[], before: (index: number) => string): Pattern {
  const tokens: Token[] = [];
  let known = '';
  for (const [index, pieces] of words.entries()) {
    if (index > 0) known += before(index);
    for (const piece of pieces) {
      if (typeof piece === 'string') known += piece;
      else {
        for (const token of literal(known)) tokens.push(token);
        tokens.push(piece);
        known = '';
      }
    }
  }
  for (const token of literal(known)) tokens.push(token);
  return tokens;
}

function mayVanish({ segments }: Word): boolean {
  return (
    segments.length > 0 && segments.every((segment) => segment.kind === 'expansion') && segments.some(splits)
  );
}

function splits(segment: Segment): boolean {
  return segment.kind === 'expansion' && segment.splits;
}

export function maySplit(word: Word): boolean {
  return word.segments.some(splits);
}
