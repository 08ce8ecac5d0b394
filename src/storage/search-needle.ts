export interface SearchExcerpt {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Made when it is shown: most of what is found is only counted. */
export type Excerpt = () => SearchExcerpt;

const AROUND = 60;

/** What is looked for in a text. Cases are told apart by nobody; everything else counts as it is. */
export class Needle {
  private readonly lower: string;

  constructor(text: string) {
    this.lower = small(text);
  }

  excerpt(text: string): Excerpt | null {
    const found = small(text).indexOf(this.lower);
    return found === -1 ? null : () => this.around(text, found);
  }

  private around(text: string, found: number): SearchExcerpt {
    const lower = small(text);
    const { start: at } = characterAt(text, lower, found);
    const { end } = characterAt(text, lower, found + this.lower.length - 1);
    const start = Math.max(0, at - AROUND);
    return {
      before: oneLine(`${start > 0 ? '…' : ''}${text.slice(start, at).toWellFormed()}`),
      match: oneLine(text.slice(at, end)),
      after: oneLine(text.slice(end, end + 2 * AROUND).toWellFormed()),
    };
  }
}

/** A capital sigma becomes another small letter at the end of a word, and nobody means that by what they type. */
function small(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Where the character is whose lower case has an offset: that of some characters is longer than they are. */
function characterAt(text: string, lower: string, offset: number): { start: number; end: number } {
  if (lower.length === text.length) return { start: offset, end: offset + 1 };
  let start = 0;
  let passed = 0;
  for (const character of text) {
    const end = start + character.length;
    passed += character.toLowerCase().length;
    if (passed > offset) return { start, end };
    start = end;
  }
  return { start, end: start };
}

function oneLine(text: string): string {
  // A single space stays: to put it in for itself, word by word, took longer than to find the words.
  return text.replace(/\s{2,}|[^\S ]/gu, ' ');
}

/** What was found of several: how many of them, and the words around the longest. */
export interface Sighting {
  /** Which ones, by their place in the list. */
  readonly seen: readonly number[];
  readonly excerpt: Excerpt;
}

/** Several needles, each of which has to be found. */
export class Needles {
  private readonly byLength: readonly { readonly index: number; readonly needle: Needle }[];
  readonly count: number;

  constructor(terms: readonly string[]) {
    this.count = terms.length;
    this.byLength = terms
      .map((text, index) => ({ text, index, needle: new Needle(text) }))
      .sort((a, b) => b.text.length - a.text.length);
  }

  /** In the texts of one place; null where none is. */
  look(texts: readonly string[]): Sighting | null {
    const seen: number[] = [];
    let excerpt: Excerpt | null = null;
    for (const { index, needle } of this.byLength) {
      const found = firstOf(texts, needle);
      if (found === null) continue;
      seen.push(index);
      excerpt ??= found;
    }
    return excerpt && { seen, excerpt };
  }

  /** All of them, in the texts of one place. */
  all(texts: readonly string[]): Excerpt | null {
    const sighting = this.look(texts);
    return sighting?.seen.length === this.count ? sighting.excerpt : null;
  }
}

function firstOf(texts: readonly string[], needle: Needle): Excerpt | null {
  for (const text of texts) {
    const excerpt = needle.excerpt(text);
    if (excerpt !== null) return excerpt;
  }
  return null;
}
