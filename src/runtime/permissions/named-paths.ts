import type { NamedPath } from './command-part.ts';
import type { NameReadings } from './command-names.ts';
import { isFilter, looksForFiles, useOf } from './reading-commands.ts';
import type { Construct, Redirect, SimpleCommand } from './shell-commands.ts';
import { literalText, type Word } from './shell-word.ts';
import type { Unwrapped } from './unwrapped.ts';
import { shapesOf, withoutGlobs } from './word-shapes.ts';

/** What a command names that could be a path. What it hands on to other commands is found with those. */
export function commandPaths(
  { assignments, words, redirects }: SimpleCommand,
  name: NameReadings | null,
  runs: Unwrapped,
): readonly NamedPath[] {
  const [first, ...rest] = words;
  const texts = rest.map((word) => shapesOf(word)[0] ?? '');
  const base = name?.isStandard === true ? (name.base ?? '') : '';
  const use = runs.kind === 'nothing' ? useOf(base, texts) : 'write';
  const owned = new Set(ownWords(rest, runs));
  const own = rest.filter((word, index) => owned.has(word) && !isFilter(base, texts, index, use));
  const shape = looksForFiles(base) ? withoutGlobs : (text: string): string => text;
  return [
    // To run a file is not to change it.
    ...(first === undefined ? [] : shapesOf(first).map((path) => ({ path, use: 'read' }) as const)),
    ...wordPaths([...assignments, ...own], use).map(({ path }) => ({ path: shape(path), use })),
    ...redirectPaths(redirects),
  ];
}

/** Without the words that are a command or a script of their own. */
function ownWords(words: readonly Word[], runs: Unwrapped): readonly Word[] {
  if (runs.kind !== 'runs') return words;
  const given = new Set(runs.commands.flat());
  const scripts = new Set<string | null>(runs.scripts);
  return words.filter((word) => !given.has(word) && !scripts.has(literalText(word)));
}

/** A loop may do anything with its words. A test only looks. */
export function constructPaths({ words, redirects }: Construct): readonly NamedPath[] {
  const [first, ...rest] = words;
  const isTest = first !== undefined && /^(?:\[\[|!|-\w+)$/.test(first.bare);
  return [
    ...wordPaths(first === undefined ? [] : [first], 'read'),
    ...wordPaths(rest, isTest ? 'look' : 'write'),
    ...redirectPaths(redirects),
  ];
}

function wordPaths(words: readonly Word[], use: NamedPath['use']): readonly NamedPath[] {
  return words.flatMap((word) =>
    shapesOf(word).flatMap((shape) => pathsIn(shape).map((path) => ({ path, use }))),
  );
}

function redirectPaths(redirects: readonly Redirect[]): readonly NamedPath[] {
  return redirects.flatMap(({ direction, target }) => {
    if (direction === 'copy' || direction === 'text') return [];
    const use = direction === 'in' ? 'read' : 'write';
    return shapesOf(target).map((path) => ({ path, use }) as const);
  });
}

/** The word itself, and what stands in it as in `--output=x`, `of=x`, `-ox`, `@x`, `HEAD:x` or `x:y`. */
export function pathsIn(text: string): readonly string[] {
  const pieces = /[=:@,]/.test(text) ? text.split(/[=:@,]/) : [];
  const value = /^-\w(.+)$/s.exec(text)?.[1];
  return [text, ...pieces.filter((piece) => piece !== ''), ...(value === undefined ? [] : [value])];
}
