const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** An emoji of a family is some eleven units; what is longer than this is cut all the same. */
const LONGEST_CHARACTER = 32;

/** The first characters as people count them: none is cut in two. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let found = '';
  let count = 0;
  for (const { segment } of CHARACTERS.segment(text.slice(0, most * LONGEST_CHARACTER))) {
    if (count === most) break;
    found += segment;
    count += 1;
  }
  return found;
}
