import type { Pattern } from './glob.ts';
import type { Redirect, SimpleCommand } from './shell-commands.ts';
import { isHarmless } from './shell-redirects.ts';
import {
  hasOrigin,
  knownText,
  plainWord,
  possiblePattern,
  writtenPattern,
  type Segment,
  type Spelling,
  type Word,
} from './shell-word.ts';

/** Every text that a deny or ask rule may mean a command by. `names` are the readings of its first word. */
export function possiblePatterns(
  { assignments, words, redirects }: Omit<SimpleCommand, 'kind' | 'piped'>,
  names: readonly Word[],
): readonly Pattern[] {
  const readings = names.map((name) => [name, ...words.slice(1)]);
  const whole = assignments.length === 0 ? [] : [[...assignments, ...words]];
  const all = [...readings, ...whole].flatMap((reading) => [reading, ...withRedirects(reading, redirects)]);
  const alone = names.length === 0 && assignments.length === 0 ? withRedirects([], redirects) : [];
  return [...all, ...alone].flatMap((reading) =>
    spellings(reading).map((spelling) => possiblePattern(reading, spelling)),
  );
}

/** `echo x > file` and `echo x >file`: a rule may be written either way. */
function withRedirects(words: readonly Word[], redirects: readonly Redirect[]): readonly (readonly Word[])[] {
  if (redirects.length === 0) return [];
  return [
    [...words, ...redirects.flatMap(({ operator, target }) => [plainWord(operator), target])],
    [...words, ...redirects.map(attached)],
  ];
}

function attached({ operator, target }: Redirect): Word {
  const first: Segment = { kind: 'literal', text: operator, special: false };
  return { ...target, segments: [first, ...target.segments] };
}

function spellings(words: readonly Word[]): readonly Spelling[] {
  return words.some(needsQuotes) ? ['quoted', 'unquoted'] : ['unquoted'];
}

function needsQuotes({ segments }: Word): boolean {
  return segments.length === 0 || segments.some((segment) => segment.kind === 'literal' && segment.special);
}

/**
 * What an allow rule must cover; none where a rule cannot know what the command does. A word keeps the quotes that
 * it needs: without them `"npm test/x"` would be taken for `npm` with the word `test/x`.
 */
export function writtenPatterns({ assignments, words, redirects }: SimpleCommand): readonly Pattern[] {
  const targets = redirects.map(({ target }) => target);
  const isUnknown = [...words, ...targets].some((word) => hasOrigin(word, 'shell'));
  if (words.length === 0 || assignments.length > 0 || isUnknown || !redirects.every(isAllowable)) return [];
  return [writtenPattern(words)];
}

/** Output goes nowhere, and input comes from here. */
function isAllowable(redirect: Redirect): boolean {
  if (redirect.direction === 'in') return !/^\/dev\/(?:tcp|udp)\//.test(knownText(redirect.target));
  return redirect.direction === 'text' || isHarmless(redirect);
}
