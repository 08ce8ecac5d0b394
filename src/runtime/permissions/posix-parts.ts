import { joinedSplits, runsInput, type CommandPart, type Split } from './command-part.ts';
import { readName } from './command-names.ts';
import { ANY, type Pattern } from './glob.ts';
import { possiblePatterns, writtenPatterns } from './part-patterns.ts';
import type { Construct, Redirect, ShellCommand, SimpleCommand } from './shell-commands.ts';
import { parseScript } from './shell-grammar.ts';
import {
  hasOrigin,
  knownText,
  literalText,
  plainWord,
  possiblePattern,
  wordsText,
  type Word,
} from './shell-word.ts';
import { NOTHING, type Unwrapped } from './unwrapped.ts';
import { unwrap } from './wrappers.ts';

/** More programs that run programs than this are taken for an attack. */
const MOST_WRAPPERS = 12;

/** Every command that a line for a POSIX shell could run, also through programs that run others. */
export function posixParts(line: string, depth = 0): Split {
  const script = parseScript(line, depth);
  if (script.kind === 'unparsed') return script;
  return joinedSplits(script.commands.map((command) => commandParts(command, depth)));
}

function commandParts(command: ShellCommand, depth: number): Split {
  if (depth > MOST_WRAPPERS) return { kind: 'unparsed', why: 'it is nested too deeply' };
  if (command.kind === 'construct') return { kind: 'parts', parts: [constructPart(command)] };
  const [first] = command.words;
  const name = first === undefined ? null : readName(first);
  const runs = name === null || name.base === null ? NOTHING : unwrap(name.base, command.words);
  const extra = [...(isAnything(command, runs) ? [[ANY]] : []), ...somewhere(command, runs, depth)];
  const own = simplePart(command, runs, extra);
  const inner =
    runs.kind !== 'runs'
      ? []
      : [
          ...runs.commands.map((words) => commandParts(simple(words), depth + 1)),
          ...runs.scripts.map((script) => posixParts(script, depth + 1)),
        ];
  return joinedSplits([{ kind: 'parts', parts: [own] }, ...inner]);
}

function simple(words: readonly Word[]): SimpleCommand {
  return { kind: 'simple', assignments: [], words, redirects: [], piped: false };
}

function constructPart({ words, redirects }: Construct): CommandPart {
  return {
    text: [wordsText(words), ...redirects.map(redirectText)].filter((text) => text !== '').join(' '),
    couldBe: possiblePatterns({ assignments: [], words, redirects }, words.slice(0, 1)),
    mustBe: [],
    handsOn: false,
    saysAll: false,
  };
}

function simplePart(command: SimpleCommand, runs: Unwrapped, extra: readonly Pattern[]): CommandPart {
  const { assignments, words, redirects } = command;
  const [first] = words;
  const name = first === undefined ? null : readName(first);
  const mustBe = evaluatesWords(command) ? [] : writtenPatterns(command);
  const isTransparent = runs.kind === 'runs' && runs.transparent && name?.isStandard === true;
  return {
    text: [wordsText([...assignments, ...words]), ...redirects.map(redirectText)]
      .filter((text) => text !== '')
      .join(' '),
    couldBe: [...possiblePatterns(command, name?.words ?? []), ...extra],
    mustBe,
    handsOn: isTransparent && mustBe.length > 0,
    saysAll: saysAll(command, runs),
  };
}

function redirectText({ operator, target }: Redirect): string {
  return wordsText([plainWord(operator), target]);
}

function saysAll({ words, redirects, piped }: SimpleCommand, runs: Unwrapped): boolean {
  const base = words[0] === undefined ? null : readName(words[0]).base;
  const readsProgram = piped && (runs.kind === 'somewhere' || runsInput(base ?? ''));
  return (
    runs.kind !== 'unknown' &&
    !readsProgram &&
    !words.some((word) => hasOrigin(word, 'input')) &&
    redirects.every(({ direction }) => direction === 'out' || direction === 'copy')
  );
}

/** Whether it could run any command at all. */
function isAnything(command: SimpleCommand, runs: Unwrapped): boolean {
  const [first] = command.words;
  return (
    runs.kind === 'unknown' ||
    (first !== undefined && readName(first).base === null) ||
    command.assignments.some((word) => SUBSTITUTES.test(knownText(word))) ||
    evaluatesWords(command)
  );
}

const SUBSTITUTES = /\$[({]|`|[<>]\(/;
const EVALUATES =
  /^(?:let|test|\[|\[\[|printf|read|unset|declare|typeset|local|export|readonly|wait|mapfile|readarray|getopts)$/;

/** In the index of an array, these run a substitution even if it was quoted: `test -v 'a[$(x)]'`. */
function evaluatesWords({ words: [first, ...rest] }: SimpleCommand): boolean {
  if (first === undefined || !EVALUATES.test(readName(first).base ?? '')) return false;
  return rest.some((word) => /\[[^]*(?:\$[({]|`|[<>]\()/.test(knownText(word)));
}

const MOST_WORDS = 50;

/** Where one of the words is the command: every one could be, and every one could be a whole script. */
function somewhere({ words }: SimpleCommand, runs: Unwrapped, depth: number): readonly Pattern[] {
  if (runs.kind !== 'somewhere') return [];
  if (words.length > MOST_WORDS) return [[ANY]];
  return words.slice(1).flatMap((word, index) => {
    const text = literalText(word) ?? '';
    const script = /[\s;&|<>`$]/.test(text) ? posixParts(text, depth + 1) : null;
    const inside = script?.kind === 'parts' ? script.parts.flatMap((part) => part.couldBe) : [];
    const rest = words.slice(index + 1);
    const names = readName(word).words.map((name) => [name, ...rest.slice(1)]);
    return [
      ...names.map((one) => possiblePattern(one, 'unquoted')),
      ...inside,
      ...(script?.kind === 'unparsed' ? [[ANY]] : []),
    ];
  });
}
