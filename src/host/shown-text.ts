/**
 * Pure: words of others where VS Code reads signs of its own out of words. A title is by default the first line of a
 * prompt, and so can be anything that was pasted.
 */

const LONGEST = 120;
/** Controls, line ends, changes of the writing direction, and what has no shape. Joiners stay: scripts need them. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;

/** As one line of a sensible length, so that the words around it are still read, and read in their order. */
export function foreign(text: string, longest = LONGEST): string {
  const line = text.toWellFormed().replaceAll(UNSEEN, ' ').replaceAll(/\s+/gu, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}

/** In notifications, `[words](address)` would be a link, also one that runs a command. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', ']\u2060(');
}

/** In the lines of a pick and in the status bar, `$(name)` would be drawn as an icon. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}
