/**
 * Globs of rules, and the texts that they are compared with. Both are lists of tokens: a character by its code
 * point, or one of the wildcards below. There are no regular expressions: whatever the glob, comparing takes at
 * most the product of both lengths.
 */
export type Token = number;
export type Glob = readonly Token[];
export type Pattern = readonly Token[];

/** Anything, also nothing. In a text: a place that is only known when the command runs. */
export const ANY: Token = -1;
/** In a text: unknown too, but within one word. */
export const ANY_IN_WORD: Token = -6;
/** One character. */
const ONE: Token = -2;
/** As above, but within one name of a path. */
const ANY_IN_NAME: Token = -3;
const ONE_IN_NAME: Token = -4;
/** The two tokens after it may be left out. */
const OPTIONAL: Token = -5;

const SLASH: Token = 0x2f;
const SPACE: Token = 0x20;

/** What a backslash makes ordinary. Braces and brackets mean nothing, but elsewhere they do: see `rules.ts`. */
export const ESCAPES = String.raw`\\[*?\\()[\]{}]`;
const ESCAPE = new RegExp(`^${ESCAPES}$`);
const PIECES = new RegExp(String.raw`${ESCAPES}|\*+/?|\?|[^]`, 'gu');

/** A longer glob is taken for a mistake. It bounds the time that comparing can take. */
export const LONGEST_GLOB = 1_000;

export function literal(text: string): Pattern {
  const tokens: Token[] = [];
  for (const character of text) tokens.push(codeOf(character));
  return tokens;
}

function codeOf(character: string): Token {
  return character.codePointAt(0) ?? 0;
}

/** Over the parts of a command line: `*` is anything. */
export function commandGlob(glob: string): Glob {
  return compiled(glob, { any: ANY, one: ONE });
}

/** Over paths: `*` and `?` stay within a name, `**` does not, and `**` with a slash after it may be nothing. */
export function pathGlob(glob: string): Glob {
  return compiled(glob, { any: ANY_IN_NAME, one: ONE_IN_NAME });
}

function compiled(glob: string, wild: { readonly any: Token; readonly one: Token }): Glob {
  const tokens: Token[] = [];
  for (const [piece] of glob.matchAll(PIECES)) {
    if (piece === '?') tokens.push(wild.one);
    else if (piece.startsWith('*')) tokens.push(...stars(piece, wild.any, tokens.at(-1)));
    else tokens.push(codeOf(ESCAPE.test(piece) ? piece.slice(1) : piece));
  }
  return tokens;
}

function stars(piece: string, single: Token, before: Token | undefined): readonly Token[] {
  const slash = piece.endsWith('/') ? [SLASH] : [];
  if (piece.length - slash.length === 1 || single === ANY) return [single, ...slash];
  const startsName = before === undefined || before === SLASH;
  return startsName && slash.length > 0 ? [OPTIONAL, ANY, SLASH] : [ANY, ...slash];
}

/** The glob that means exactly this text. */
export function escaped(text: string): string {
  return text.replace(/[*?\\()[\]{}]/g, String.raw`\$&`);
}

/** Whether the glob matches one text only. */
export function isExact(glob: Glob): boolean {
  return glob.every((token) => token >= 0);
}

/** Whether the glob matches the text whatever its unknown places turn out to be. */
export function covers(glob: Glob, text: Pattern): boolean {
  return reachesEnd(glob, text, (_, places, after) => {
    for (let at = 0; at < glob.length; at += 1) if (places[at] === 1 && glob[at] === ANY) after[at] = 1;
  });
}

/** Whether the glob could match the text, if its unknown places turn out that way. */
export function couldMatch(glob: Glob, text: Pattern): boolean {
  return reachesEnd(glob, text, (token, places, after) => {
    for (let at = places.indexOf(1); at <= glob.length; at += 1) {
      const goesOn = after[at - 1] === 1 && (token === ANY || glob[at - 1] !== SPACE);
      if (places[at] === 1 || goesOn) after[at] = 1;
    }
  });
}

/** Marks where in the glob one can be after an unknown place in the text, from where one was before it. */
type AfterUnknown = (token: Token, places: Uint8Array, after: Uint8Array) => void;

/** Reads the text once, keeping every place in the glob that is possible so far. */
function reachesEnd(glob: Glob, text: Pattern, afterUnknown: AfterUnknown): boolean {
  let places = new Uint8Array(glob.length + 1);
  let after = new Uint8Array(glob.length + 1);
  places[0] = 1;
  leaveOut(glob, places);
  for (const token of text) {
    if (glob.at(-1) === ANY && places[glob.length] === 1) return true;
    after.fill(0);
    if (token === ANY || token === ANY_IN_WORD) afterUnknown(token, places, after);
    else afterCharacter(glob, token, places, after);
    if (!after.includes(1)) return false;
    leaveOut(glob, after);
    [places, after] = [after, places];
  }
  return places[glob.length] === 1;
}

function afterCharacter(glob: Glob, character: Token, places: Uint8Array, after: Uint8Array): void {
  for (let at = 0; at < glob.length; at += 1) {
    if (places[at] !== 1) continue;
    const token = glob[at];
    if (token === ANY || (token === ANY_IN_NAME && character !== SLASH)) after[at] = 1;
    else if (token === character || token === ONE || (token === ONE_IN_NAME && character !== SLASH))
      after[at + 1] = 1;
  }
}

/** Adds the places that are reached by letting a wildcard be nothing. */
function leaveOut(glob: Glob, places: Uint8Array): void {
  for (let at = 0; at < glob.length; at += 1) {
    if (places[at] !== 1) continue;
    const token = glob[at];
    if (token === ANY || token === ANY_IN_NAME || token === OPTIONAL) places[at + 1] = 1;
    if (token === OPTIONAL) places[at + 3] = 1;
  }
}
