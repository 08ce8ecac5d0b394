/**
 * Names in a path of which a part is only known when the command runs. No argument of a program can have these
 * two characters, so they never stand for themselves.
 */

/** Whatever a variable or a substitution turns out to be. */
export const UNKNOWN = '\u0000';
/** Whatever files there are: `*`, `?`, `[...]`. */
export const FILES = '\u0001';

const OPEN = new RegExp(`[${UNKNOWN}${FILES}]+`, 'gu');

export function isOpen(name: string): boolean {
  return name.includes(UNKNOWN) || name.includes(FILES);
}

/** Of which nothing is known. Such a name is not guessed: it could be any. */
export function saysNothing(name: string): boolean {
  return name.replaceAll(OPEN, '') === '';
}

/** For people. */
export function shownPath(path: string): string {
  return path.replaceAll(OPEN, '*');
}

/** Whether the name could turn out to be this one. */
export function couldBeNamed(name: string, known: string): boolean {
  if (!isOpen(name)) return name === known;
  if (saysNothing(name)) return false;
  const [first = '', ...rest] = name.split(OPEN);
  const last = rest.pop() ?? '';
  if (!known.startsWith(first) || !known.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = known.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= known.length - last.length;
}

/** Whether an open name could turn out to begin like this, by what it begins with itself. */
export function couldBegin(name: string, beginning: string): boolean {
  const [head = ''] = name.split(OPEN);
  return head.startsWith(beginning) || couldBeNamed(name, beginning);
}

/** Whether an open name could turn out to end like this, by what it ends with itself: `a*` is not taken for `a.key`. */
export function couldEnd(name: string, ending: string): boolean {
  const after = name.slice(name.search(OPEN));
  return !saysNothing(after) && couldBeNamed(after, `x${ending}`);
}
