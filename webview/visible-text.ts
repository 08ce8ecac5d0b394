/**
 * Characters without a shape of their own: controls, changes of the writing direction, joiners, fillers, selectors, and
 * blanks other than the space. In a command or a path they could hide or reorder what a person is about to approve.
 */
const SHAPELESS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** These are seen, or their absence is. */
const SEEN: ReadonlySet<string> = new Set([' ', '\n', '\t']);

/** What makes one picture of several belongs to the picture. */
const JOINING: ReadonlySet<string> = new Set(['\u200D', '\uFE0F']);
const PICTURE = /\p{Extended_Pictographic}\uFE0F?$/u;

/** Shows such characters by their number. */
export function visibleText(text: string): string {
  return text.replaceAll(SHAPELESS, (one: string, at: number) => {
    const isPicture = JOINING.has(one) && PICTURE.test(text.slice(Math.max(0, at - 3), at));
    return SEEN.has(one) || isPicture ? one : escaped(one);
  });
}

/** What changes the direction of writing: in code it can show other code than there is. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, escaped);
}

function escaped(one: string): string {
  const code = one.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A stretch of a command line: words, or so many blanks that what follows them would be out of view. */
export type Stretch =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'spaces' | 'line_ends'; readonly count: number };

/** Within a line, at its beginning, where a script is indented, and over several lines. */
const LONG_BLANKS = /((?<=\S)[ \t]{9,}|[ \t]{41,}|(?:[ \t]*\n){4,})/;

export function stretchesOf(text: string): readonly Stretch[] {
  return visibleText(text)
    .split(LONG_BLANKS)
    .flatMap((part, index): Stretch[] => {
      if (part === '') return [];
      if (index % 2 === 0) return [{ kind: 'words', text: part }];
      const ends = part.split('\n').length - 1;
      return [ends === 0 ? { kind: 'spaces', count: part.length } : { kind: 'line_ends', count: ends }];
    });
}
