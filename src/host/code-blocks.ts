/** What applying a block of code changes in a text: lines from `from` up to `to`, both counted from 0. */
export interface LineReplacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Pure: the lines that differ, so that a preview shows these and not the whole file. Null when none do. */
export function replacementFor(before: string, code: string): LineReplacement | null {
  const old = linesOf(before);
  const now = linesOf(withLastLineEnd(code));
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from += 1;
  let same = 0;
  while (
    same < old.length - from &&
    same < now.length - from &&
    old[old.length - 1 - same] === now[now.length - 1 - same]
  ) {
    same += 1;
  }
  if (from === old.length && from === now.length) return null;
  return { from, to: old.length - same, text: now.slice(from, now.length - same).join('') };
}

export function lineCount(text: string): number {
  return linesOf(text).length;
}

/** Pure: whether code that takes the place of a text would take most of it away. */
export function isMuchShorter(code: string, text: string): boolean {
  return lineCount(code) * 2 < lineCount(text);
}

export function withLastLineEnd(code: string): string {
  return code === '' || code.endsWith('\n') ? code : `${code}\n`;
}

/** With their ends. Files may have either kind of end; what is compared and written is the simple one. */
function linesOf(text: string): readonly string[] {
  return text.replaceAll('\r\n', '\n').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
