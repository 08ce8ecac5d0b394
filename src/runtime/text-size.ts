/** In UTF-8, without a platform's encoder: the runtime has none. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Each half of a surrogate pair counts two of the four bytes of its character.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** The beginning of a text, never ending inside a character, with a mark where something was left out. */
export function headOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** A text as one line of bounded length. */
export function lineOf(text: string, longest: number): string {
  return headOf(
    headOf(text.trimStart(), 4 * longest)
      .replaceAll(/\s+/gu, ' ')
      .trimEnd(),
    longest,
  );
}
