import { KNOWN_NAMES, placeOf } from './link-target.ts';
import type { Place } from './nodes.ts';

/** Brackets belong to a name in pairs, as in `[id]` and `(group)`; else they are around the path. */
const CHARS = String.raw`[\p{L}\p{N}_.@+\-$~]`;
const SEGMENT = String.raw`(?:${CHARS}|\(${CHARS}{1,40}\)|\[{1,2}${CHARS}{1,40}\]{1,2}){1,80}`;
const NAME = String.raw`(?:${SEGMENT}\.[A-Za-z][A-Za-z0-9]{0,9}|\.[A-Za-z][\w\-]{1,40}|${KNOWN_NAMES})`;
const FILE_PATH = String.raw`(?:[A-Za-z]:[/\\]|\.{0,2}[/\\])?(?:${SEGMENT}[/\\]){0,16}${NAME}`;
const LINE = String.raw`(?::\d{1,7}(?::\d{1,5})?(?:-\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)`;
/** What may stand before a path: anything else could be the beginning of it. */
const BEFORE = String.raw`(?<=^|\s|(?:^|\s)[(\[{"'<«“‘„]{1,3}|[（「『【，。、：—])`;
const IN_TEXT = new RegExp(String.raw`${BEFORE}${FILE_PATH}${LINE}(?![\p{L}\p{N}_/\\:@])`, 'gu');
const WHOLE = new RegExp(String.raw`^${FILE_PATH}${LINE}?$`, 'u');

export type Part = string | { readonly words: string; readonly place: Place };

/** Of what comes before a text, as much as is looked at. */
const LOOKED_AT = 200;

/**
 * Splits running text at the paths that name a line: without one, too many words look like a path. What stands
 * before the text in its line decides whether its beginning can be that of a path.
 */
export function pathsInText(text: string, before = ''): readonly Part[] {
  const start = Math.min(before.length, LOOKED_AT);
  const line = before.slice(before.length - start) + text;
  const parts: Part[] = [];
  let from = start;
  for (const match of matchesFrom(line, start)) {
    const place = isTail(line, match.index, from) ? null : writtenPlace(match[0]);
    if (place === null) continue;
    if (match.index > from) parts.push(line.slice(from, match.index));
    parts.push({ words: match[0], place });
    from = match.index + match[0].length;
  }
  if (from < line.length) parts.push(line.slice(from));
  return parts;
}

function matchesFrom(line: string, start: number): Iterable<RegExpExecArray> {
  const expression = new RegExp(IN_TEXT);
  expression.lastIndex = start;
  return line.matchAll(expression);
}

/** After a path and a space, it may be the rest of a name with spaces; not when that path was one by itself. */
function isTail(line: string, index: number, linkedTo: number): boolean {
  if (line[index - 1] !== ' ' || index - 1 === linkedTo) return false;
  const word = /\S*$/u.exec(line.slice(Math.max(0, index - 1 - LOOKED_AT), index - 1))?.[0] ?? '';
  return /[/\\]/.test(word) && !/[,;:.!?)\]}"'>»”’]$/u.test(word);
}

/** Code of one word is a path when it has a folder or a line. */
export function pathInCode(text: string): Place | null {
  if (text.length > 300 || !WHOLE.test(text) || !/[/\\:#]/.test(text)) return null;
  return writtenPlace(text);
}

/** People write paths of Windows, too; every system that has backslashes takes slashes. */
function writtenPlace(words: string): Place | null {
  const drive = /^[A-Za-z]:(?=[/\\])/.exec(words)?.[0] ?? '';
  const place = placeOf(words.slice(drive.length).replaceAll('\\', '/'));
  return place === null ? null : { ...place, path: drive + place.path };
}
