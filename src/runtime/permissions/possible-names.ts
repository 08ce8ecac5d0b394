/**
 * Names in a path of which a part is only known when the command runs. No argument of a program can have these
 * characters, so they never stand for themselves.
 */

/** Whatever a variable or a substitution turns out to be. */
export const UNKNOWN = '\u0000';
/** Whatever files there are: `*`. */
export const FILES = '\u0001';
/** One character of such a file: `?`, `[...]`. */
export const ONE = '\u0002';

const MARKS: readonly string[] = [UNKNOWN, FILES, ONE];
const OPEN = new RegExp(`[${MARKS.join('')}]+`, 'gu');

/** With less beside a variable there is nothing to go by: `${n}s` is a number of seconds. */
const LEAST_KNOWN = 3;

export function isOpen(name: string): boolean {
  return MARKS.some((mark) => name.includes(mark));
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
  const least = name.includes(UNKNOWN) ? LEAST_KNOWN : 1;
  return name.replaceAll(OPEN, '').length >= least && matches(name, known);
}

/** Takes at most the product of both lengths, and what is known is short. */
function matches(name: string, known: string): boolean {
  let [at, next] = [0, 0];
  let resume: { at: number; next: number } | null = null;
  while (next < known.length) {
    const mark = name[at];
    if (mark === UNKNOWN || mark === FILES) {
      at += 1;
      resume = { at, next };
    } else if (mark === ONE || mark === known[next]) {
      at += 1;
      next += 1;
    } else if (resume === null) return false;
    else {
      resume = { at: resume.at, next: resume.next + 1 };
      ({ at, next } = resume);
    }
  }
  return saysNothing(name.slice(at)) && !name.includes(ONE, at);
}

/** Whether an open name could turn out to begin like this, by what it begins with itself. */
export function couldBegin(name: string, beginning: string): boolean {
  return name.startsWith(beginning) || couldBeNamed(name, beginning);
}

/** Whether an open name could turn out to end like this, by what it ends with itself: `a*` is not taken for `a.key`. */
export function couldEnd(name: string, ending: string): boolean {
  const after = name.slice(name.search(OPEN));
  return after.endsWith(ending) || couldBeNamed(after, `x${ending}`);
}
