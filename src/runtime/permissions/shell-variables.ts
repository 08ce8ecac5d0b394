import type { Construct, SimpleCommand } from './shell-commands.ts';
import { knownText, literalText, type Word } from './shell-word.ts';

/** Variables that decide which programs later names mean, or that are run themselves. */
const DIRECTING =
  /^(?:BASH_ENV|ENV|PS[0-4]|PROMPT_COMMAND|PATH|IFS|SHELLOPTS|BASHOPTS|LD_\w+|DYLD_\w+|BASH_FUNC_.*)$/s;

/** These set variables by `name=value`. */
const ASSIGNING = /^(?:export|declare|typeset|local|readonly|env|sudo|doas)$/;
/** And these by a name alone. */
const READING = /^(?:read|mapfile|readarray|getopts)$/;

/** Whether a command sets a variable after which anything could run. `base` is its name, null if that is unknown. */
export function setsDirecting({ assignments, words }: SimpleCommand, base: string | null): boolean {
  const rest = words.slice(1);
  return (
    assignments.some(assignsDirecting) ||
    [...assignments, ...words].some(expandsToAssign) ||
    (base !== null && ASSIGNING.test(base) && rest.some(assignsDirecting)) ||
    (base !== null && READING.test(base) && rest.some((word) => DIRECTING.test(knownText(word)))) ||
    (base === 'printf' && printsDirecting(rest))
  );
}

function assignsDirecting(word: Word): boolean {
  const name = /^([^=]+?)\+?=/s.exec(knownText(word))?.[1];
  return name !== undefined && DIRECTING.test(name);
}

/** `${NAME:=value}`. */
function expandsToAssign({ segments }: Word): boolean {
  return segments.some(
    (segment) =>
      segment.kind === 'expansion' &&
      Array.from(segment.text.matchAll(/\$\{(\w+):?=/g)).some(([, name = '']) => DIRECTING.test(name)),
  );
}

/** `printf -v NAME`. */
function printsDirecting([option, name]: readonly Word[]): boolean {
  const text = option === undefined ? null : literalText(option);
  if (text === null || !text.startsWith('-v')) return false;
  return DIRECTING.test(
    text.length > 2 ? text.slice(2) : knownText(name ?? { segments: [], bare: '', quoted: false }),
  );
}

/** `for NAME in ...`. */
export function loopsOverDirecting({ words: [first, name] }: Construct): boolean {
  return first?.bare === 'for' && name !== undefined && DIRECTING.test(name.bare);
}
